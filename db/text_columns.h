// How a record's columns are split between group lines and record lines of text evidence.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "db/fields.h"
#include "db/text_line.h"

namespace fenestra::text {

inline constexpr std::string_view kMagic = "fenestra-evidence";
inline constexpr std::string_view kEnd = "[end]";
inline constexpr std::string_view kGroupMark = "@";
inline constexpr std::size_t kMaxLineBytes = std::size_t{64} * 1024;

template <typename Record>
constexpr bool IsGroupColumn(std::string_view name) {
  constexpr const auto& names = fields::Kind<Record>::kGroup;
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Record>
struct Columns {
  std::string header;     // "[times]\t@route\t...\trows\t..."
  std::size_t group = 0;  // fields of a group line, the mark not counted
  std::size_t line = 0;   // fields of a record line
};

template <typename Record>
Columns<Record> ColumnsOf() {
  Columns<Record> columns;
  std::string line_names;
  columns.header = fmt::format("[{}]", fields::Kind<Record>::kName);
  const Record none{};
  fields::All<Record>(none, [&](std::string_view name, const auto&) {
    if (name == "board") return;  // the file's
    if (IsGroupColumn<Record>(name)) {
      ++columns.group;
      AppendField(fmt::format("{}{}", kGroupMark, name), &columns.header);
    } else {
      ++columns.line;
      AppendField(name, &line_names);
    }
  });
  AppendField(line_names, &columns.header);
  return columns;
}

}  // namespace fenestra::text
