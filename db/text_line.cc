#include "db/text_line.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "db/parse_number.h"

namespace fenestra::text {
namespace {

constexpr bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '\\'; }

// The whole text as a number; false on anything else, a sign or white space included.
template <typename Number>
bool ReadNumber(std::string_view text, Number* out) {
  const std::optional<Number> number = ParseNumber<Number>(text);
  if (!number || text.starts_with('-')) return false;
  *out = *number;
  return true;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Reads the escape after a backslash at `*at`, and moves past it.
bool TakeEscape(std::string_view escaped, std::size_t* at, char* out) {
  if (++*at >= escaped.size()) return false;
  switch (escaped[*at]) {
    case 't':
      *out = '\t';
      return true;
    case 'n':
      *out = '\n';
      return true;
    case 'r':
      *out = '\r';
      return true;
    case '\\':
      *out = '\\';
      return true;
    case 'x': {
      if (*at + 2 >= escaped.size()) return false;
      const int high = HexValue(escaped[*at + 1]);
      const int low = HexValue(escaped[*at + 2]);
      *at += 2;
      *out = static_cast<char>(high * 16 + low);
      return high >= 0 && low >= 0;
    }
    default:
      return false;
  }
}

}  // namespace

std::string Escape(std::string_view raw) {
  std::string escaped;
  escaped.reserve(raw.size());
  for (char c : raw) {
    if (IsPlain(c)) {
      escaped += c;
    } else if (c == '\t') {
      escaped += "\\t";
    } else if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\r') {
      escaped += "\\r";
    } else if (c == '\\') {
      escaped += "\\\\";
    } else {
      escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

bool Unescape(std::string_view escaped, std::string* raw) {
  raw->clear();
  for (std::size_t at = 0; at < escaped.size(); ++at) {
    char c = escaped[at];
    if (c == '\\') {
      if (!TakeEscape(escaped, &at, &c)) return false;
    } else if (!IsPlain(c)) {
      return false;
    }
    *raw += c;
  }
  return true;
}

std::string FieldOf(std::string_view value) { return Escape(value); }

std::string FieldOf(std::int64_t value) { return std::to_string(value); }

std::string FieldOf(double value) {
  char buffer[32];  // the longest shortest form has 24 characters
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, result.ptr};
}

bool ReadField(std::string_view text, std::string* out) { return Unescape(text, out); }
bool ReadField(std::string_view text, Name* out) {
  std::string raw;
  if (!Unescape(text, &raw)) return false;
  *out = raw;
  return true;
}
bool ReadField(std::string_view text, std::int64_t* out) { return ReadNumber(text, out); }
bool ReadField(std::string_view text, int* out) { return ReadNumber(text, out); }

bool ReadField(std::string_view text, double* out) {
  // Infinity has one spelling, NaN none.
  return ReadNumber(text, out) && (std::isfinite(*out) || text == "inf");
}

bool ReadField(std::string_view text, bool* out) {
  *out = text == "1";
  return text == "0" || text == "1";
}

bool ReadField(std::string_view text, Route* out) {
  const auto route = ParseRoute(text);
  // A route has one spelling: "h0256" would be a second name of the same key.
  if (!route || ToString(*route) != text) return false;
  *out = *route;
  return true;
}

void AppendField(std::string_view field, std::string* line) {
  if (!line->empty()) *line += '\t';
  *line += field;
}

void SplitFields(std::string_view line, std::vector<std::string_view>* fields) {
  fields->clear();
  while (true) {
    const std::size_t tab = line.find('\t');
    fields->push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

}  // namespace fenestra::text
