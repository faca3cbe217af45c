// Aligned tables for people.
#pragma once

#include <cstddef>
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
  static constexpr std::size_t kNoteColumns = 118;

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column; throws std::invalid_argument otherwise.
  void Add(std::vector<std::string> cells);

  // A text that belongs to the last row: stands below it, indented, wrapped at blanks to
  // kNoteColumns. REQUIRES: a row.
  void AddNote(std::string text);

  // Title line and rows, two spaces between columns, no trailing spaces, each line ended. `bold`
  // sets the titles apart with terminal escapes. Cell widths count UTF-8 code points.
  std::string Text(bool bold = false) const;

 private:
  std::vector<Column> columns_;
  struct Row {
    std::vector<std::string> cells;
    std::vector<std::string> notes;
  };
  std::vector<Row> rows_;
};

// "1572864" as "1,572,864".
std::string Grouped(std::int64_t number);

// "1 route", "2 routes".
std::string Counted(std::int64_t count, std::string_view noun);

}  // namespace fenestra::cli
