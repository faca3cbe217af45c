#include "kernels/route.h"

#include <charconv>

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Pass, 2> kPasses{{{Pass::kForward, "fwd"}, {Pass::kBackward, "bwd"}}};
constexpr EnumNames<Dtype, 2> kDtypes{{{Dtype::kBf16, "w16"}, {Dtype::kFp32, "w32"}}};
constexpr EnumNames<Determinism, 3> kLevels{{{Determinism::kAny, "any"},
                                             {Determinism::kDeterministic, "deterministic"},
                                             {Determinism::kBoardInvariant, "board_invariant"}}};
constexpr EnumNames<View, 3> kViews{
    {{View::kRows, "rows"}, {View::kKey, "key"}, {View::kQuery, "query"}}};
constexpr EnumNames<Determinism, 3> kSuffixes{{{Determinism::kAny, "_nd"},
                                               {Determinism::kDeterministic, ""},
                                               {Determinism::kBoardInvariant, "_bi"}}};

bool Take(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool MatchesOne(std::string_view text, std::string_view glob) {
  // Greedy with one point of return: the last '*'.
  std::size_t t = 0;
  std::size_t g = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++t;
      ++g;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      mark = t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace

std::string_view ToString(Pass pass) { return NameOf(kPasses, pass); }
std::optional<Pass> ParsePass(std::string_view text) { return ValueOf(kPasses, text); }
std::string_view ToString(Dtype dtype) { return NameOf(kDtypes, dtype); }
std::optional<Dtype> ParseDtype(std::string_view text) { return ValueOf(kDtypes, text); }
std::string_view ToString(Determinism level) { return NameOf(kLevels, level); }
std::optional<Determinism> ParseDeterminism(std::string_view text) {
  return ValueOf(kLevels, text);
}
std::string_view ToString(View view) { return NameOf(kViews, view); }
std::optional<View> ParseView(std::string_view text) { return ValueOf(kViews, text); }

std::string ToString(const Route& route) {
  std::string text{ToString(route.pass)};
  if (route.residual) text += "_res";
  text.append("_").append(ToString(route.weight));
  text.append("_h").append(std::to_string(route.width));
  text.append(NameOf(kSuffixes, route.determinism));
  return text;
}

std::optional<Route> ParseRoute(std::string_view text) {
  Route route;
  const auto pass = ParsePass(text.substr(0, 3));
  if (!pass) return std::nullopt;
  route.pass = *pass;
  text.remove_prefix(3);
  route.residual = Take(&text, "_res");
  if (Take(&text, "_w32")) {
    route.weight = Dtype::kFp32;
  } else if (!Take(&text, "_w16")) {
    return std::nullopt;
  }
  if (!Take(&text, "_h")) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), route.width);
  if (error != std::errc{} || route.width <= 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const auto level = ValueOf(kSuffixes, text);
  if (!level) return std::nullopt;
  route.determinism = *level;
  return route;
}

std::vector<View> ViewsOf(int width) {
  if (width == 256) return {View::kRows, View::kKey, View::kQuery};
  return {View::kRows};
}

std::vector<Route> AllRoutes() {
  std::vector<Route> routes;
  for (Pass pass : {Pass::kForward, Pass::kBackward}) {
    for (bool residual : {false, true}) {
      for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
        for (int width : kWidths) {
          routes.push_back(
              Route{.pass = pass, .residual = residual, .weight = weight, .width = width});
        }
      }
    }
  }
  return routes;
}

bool MatchesGlob(std::string_view text, std::string_view glob) {
  while (true) {
    const std::size_t comma = glob.find(',');
    if (MatchesOne(text, glob.substr(0, comma))) return true;
    if (comma == std::string_view::npos) return false;
    glob.remove_prefix(comma + 1);
  }
}

}  // namespace fenestra
