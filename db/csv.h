// Comma-separated values as RFC 4180 has them: quoted fields, "" for a quote inside one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fenestra {

// Rows of fields, the title row included; all rows have as many fields as the first. Lines end in
// \n or \r\n. `name` is what errors call the text. Throws Error with name and line on a quote that
// does not close, text behind a closing quote, a row of another length, or an empty text.
std::vector<std::vector<std::string>> ParseCsv(std::string_view text, std::string_view name);

}  // namespace fenestra
