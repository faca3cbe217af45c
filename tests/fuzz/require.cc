#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/fuzz/target.h"

namespace fenestra::fuzz {

void Require(bool condition, std::string_view what, std::string_view detail) {
  if (condition) return;
  std::cerr << "broken: " << what << (detail.empty() ? "" : ": ") << detail << std::endl;
  std::abort();
}

void RequireErrorLine(std::string_view message, std::string_view place, bool with_line) {
  const bool printable = std::all_of(message.begin(), message.end(),
                                     [](unsigned char c) { return c >= ' ' && c != 0x7f; });
  Require(printable && !message.empty(), "an error is one printable line", message);
  const std::size_t at = message.find(place);
  Require(at != std::string_view::npos, "an error names its place", message);
  if (!with_line) return;
  const std::string_view rest = message.substr(at + place.size());
  Require(rest.size() > 1 && rest[0] == ':' && rest[1] >= '1' && rest[1] <= '9',
          "an error names its line", message);
}

}  // namespace fenestra::fuzz
