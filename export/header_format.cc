#include "export/header_format.h"

#include <fmt/format.h>

#include <cctype>

#include "db/digest.h"

namespace fenestra::header {
namespace {

char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string_view EnumeratorOf(Pass pass) {
  return pass == Pass::kForward ? "Pass::kForward" : "Pass::kBackward";
}

std::string_view EnumeratorOf(Dtype dtype) {
  return dtype == Dtype::kBf16 ? "Dtype::kBf16" : "Dtype::kFp32";
}

}  // namespace

std::string EnumeratorOf(std::string_view name) {
  std::string text = "k";
  bool upper = true;
  for (char c : name) {
    if (c != '_') text += upper ? Upper(c) : c;
    upper = c == '_';
  }
  return text;
}

std::string NameOfEnumerator(std::string_view enumerator) {
  std::string text;
  for (char c : enumerator.substr(enumerator.starts_with('k') ? 1 : 0)) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !text.empty()) text += '_';
    text += Lower(c);
  }
  return text;
}

std::string BoardConstant(std::string_view board) {
  std::string text = "k";
  text += board;
  if (!board.empty()) text[1] = Upper(text[1]);
  return text;
}

std::string BoardOfConstant(std::string_view constant) {
  std::string text{constant.substr(constant.starts_with('k') ? 1 : 0)};
  if (!text.empty()) text[0] = Lower(text[0]);
  return text;
}

std::string TableName(std::string_view board, const Route& route) {
  return BoardConstant(board) + "_" + ToString(route);
}

std::string RouteRow(std::string_view board, const Route& route, std::string_view in_place) {
  return fmt::format("    {{{{{}, {}, {}, {}, Determinism::{}}}, {}, {}}},",
                     EnumeratorOf(route.pass), route.residual, EnumeratorOf(route.weight),
                     route.width, EnumeratorOf(ToString(route.determinism)),
                     TableName(board, route), in_place);
}

std::string TotalAssert(std::string_view table) {
  return fmt::format("static_assert(IsTotal({}));", table);
}

std::string ContentDigest(std::string_view text) {
  static constexpr std::string_view kKey = "// content ";
  std::string rest;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!text.starts_with(kKey)) rest += text.substr(0, size);
    text.remove_prefix(size);
  }
  return HexDigest(rest);
}

std::string BannerLine(std::string_view key, std::string_view value) {
  return fmt::format("{}{:<{}}{}\n", kComment, key, kKeyWidth, value);
}

}  // namespace fenestra::header
