// One record as tab-separated fields, and back: the inner layer of text evidence (db/text.h).
//
// Whole numbers and shortest round-trip doubles in decimal, booleans 0 or 1, enums and routes in
// their ToString form, strings with \t, \n, \r, \\ and \xNN for all that is not printable ASCII.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/fields.h"

namespace fenestra::text {

std::string Escape(std::string_view raw);
// False when an escape is broken or a byte is not printable ASCII.
bool Unescape(std::string_view escaped, std::string* raw);

// The text of one field.
std::string FieldOf(std::string_view value);
std::string FieldOf(std::int64_t value);
std::string FieldOf(double value);
inline std::string FieldOf(const std::string& value) { return FieldOf(std::string_view{value}); }
inline std::string FieldOf(const Name& value) { return FieldOf(std::string_view{value}); }
inline std::string FieldOf(int value) { return FieldOf(std::int64_t{value}); }
inline std::string FieldOf(bool value) { return value ? "1" : "0"; }
inline std::string FieldOf(const Route& value) { return ToString(value); }
inline std::string FieldOf(fields::AnyEnum auto value) { return std::string(ToString(value)); }

// Reads a field; false when it is no such value. Numbers must not be negative: nothing measured is.
bool ReadField(std::string_view text, std::string* out);
bool ReadField(std::string_view text, Name* out);
bool ReadField(std::string_view text, std::int64_t* out);
bool ReadField(std::string_view text, int* out);
bool ReadField(std::string_view text, double* out);
bool ReadField(std::string_view text, bool* out);
bool ReadField(std::string_view text, Route* out);
template <fields::AnyEnum Enum>
bool ReadField(std::string_view text, Enum* out) {
  const auto value = fields::ParseAs<Enum>(text);
  if (value) *out = *value;
  return value.has_value();
}

// Appends `field` to a tab-separated line.
void AppendField(std::string_view field, std::string* line);

// Splits at tabs; the views point into `line`.
void SplitFields(std::string_view line, std::vector<std::string_view>* fields);

// The fields that `visit_fields` visits, as one line.
template <typename Visit>
std::string JoinFields(Visit&& visit_fields) {
  std::string line;
  visit_fields(
      [&line](std::string_view, const auto& value) { AppendField(FieldOf(value), &line); });
  return line;
}

}  // namespace fenestra::text
