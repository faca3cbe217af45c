// Aligned tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fenestra::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;  // with the unit, "time (ns)"
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column; throws std::invalid_argument otherwise.
  void Add(std::vector<std::string> cells);

  // Title line and rows, two spaces between columns, no trailing spaces, each line ended. `bold`
  // sets the titles apart with terminal escapes. Cell widths count UTF-8 code points.
  std::string Text(bool bold = false) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "1572864" as "1,572,864".
std::string Grouped(std::int64_t number);

// "1 route", "2 routes".
std::string Counted(std::int64_t count, std::string_view noun);

}  // namespace fenestra::cli
