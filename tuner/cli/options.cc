#include "tuner/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "accuracy/error.h"
#include "db/parse_number.h"
#include "tuner/cli/suggest.h"
#include "tuner/gpu_info.h"

namespace fenestra::cli {

void AddJson(CLI::App* app, bool* json) {
  app->add_flag("--json", *json, "Print JSON instead of a table");
}

void AddDb(CLI::App* app, std::string* db) {
  *db = kDefaultDb;
  app->add_option("--db", *db, "Database of evidence and plans")
      ->type_name("FILE")
      ->capture_default_str();
}

void AddBoard(CLI::App* app, std::string* board) {
  *board = "auto";
  app->add_option("--board", *board, "Board by name ('fenestra boards'), or auto: the GPU at hand")
      ->type_name("NAME")
      ->capture_default_str();
}

void AddRoutes(CLI::App* app, std::string* routes) {
  *routes = "*";
  app->add_option("--routes", *routes,
                  "Routes by name: * any run, ? one character, comma for alternatives")
      ->type_name("GLOB")
      ->capture_default_str();
}

void AddOut(CLI::App* app, std::string* out, const std::string& help) {
  app->add_option("--out", *out, help)->type_name("DIR");
}

namespace {

// Accepts what is a number that `fits`; `what` says in words which those are.
template <typename Number, typename Fits>
CLI::Validator NumberThat(Fits fits, const std::string& what) {
  return {[=](std::string& text) {
            const std::optional<Number> number = ParseNumber<Number>(text);
            if (number && fits(*number)) return std::string();
            return fmt::format("'{}' is not {}", text, what);
          },
          ""};
}

}  // namespace

CLI::Validator WholeNumber(std::int64_t least, std::int64_t most) {
  return NumberThat<std::int64_t>([=](auto number) { return number >= least && number <= most; },
                                  fmt::format("a whole number from {} to {}", least, most));
}

CLI::Validator BudgetFraction(double most) {
  return NumberThat<double>([=](double number) { return number > 0 && number <= most; },
                            fmt::format("a fraction of the budget, above 0 and at most {}", most));
}

CLI::Validator NoiseNumber() {
  return NumberThat<double>([](double number) { return number >= 0 && number < 1; },
                            "a fraction of the time, from 0 to below 1: 0.014 means 1.4 %");
}

std::vector<Route> ResolveRoutes(const std::string& glob) {
  std::vector<Route> matching;
  std::vector<std::string> names;
  for (const Route& route : AllRoutes()) {
    names.push_back(ToString(route));
    if (MatchesGlob(names.back(), glob)) matching.push_back(route);
  }
  // One that matches nothing is a slip, whatever the others match.
  std::istringstream alternatives(glob + ",");
  for (std::string one; std::getline(alternatives, one, ',');) {
    if (std::ranges::any_of(names, [&](const auto& name) { return MatchesGlob(name, one); })) {
      continue;
    }
    throw Error(
        fmt::format("--routes: no route matches '{}'{}; known are {{fwd,bwd}}[_res]_{{w16,w32}}_h"
                    "{{{}}}, as in bwd_w32_h5120 or 'bwd_*'; 'fenestra routes' lists them",
                    one, DidYouMean(one, names), fmt::join(kWidths, ",")));
  }
  return matching;
}

std::vector<std::string> BoardNames() {
  std::vector<std::string> names;
  names.reserve(kBoards.size());
  for (const Board& board : kBoards) names.emplace_back(board.name);
  return names;
}

const Board& ResolveBoard(const std::string& name, std::string_view option) {
  const std::string known = fmt::format("{}", fmt::join(BoardNames(), ", "));
  if (name != "auto") {
    if (const Board* board = FindBoard(name)) return *board;
    throw Error(fmt::format("{}: no board '{}'{} (known: {})", option, name,
                            DidYouMean(name, BoardNames()), known));
  }
  std::string why_not;
  const std::optional<GpuInfo> gpu = QueryGpu(&why_not);
  if (!gpu) {
    throw Error(fmt::format("--board auto: no GPU: {}; or name the board with --board (known: {})",
                            why_not, known),
                ExitCode::kMachine);
  }
  if (const Board* board = BoardOf(*gpu)) return *board;
  throw Error(fmt::format("--board auto: {} with {} SMs is no known board: add it to "
                          "kernels/board.h, or name another with --board (known: {})",
                          gpu->name, gpu->sm_count, known),
              ExitCode::kMachine);
}

}  // namespace fenestra::cli
