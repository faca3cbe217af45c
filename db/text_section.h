// The parts of a file of text evidence (db/text.h), for those who write it or take its digest.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/text.h"
#include "db/text_columns.h"

namespace fenestra::text {

// Where a text goes, piece by piece: a whole board's need not lie in memory to be digested.
using Sink = std::function<void(std::string_view)>;

inline std::string HeadLine(std::string_view board) {
  return fmt::format("{}\t{}\t{}\n", kMagic, kTextVersion, board);
}

inline std::string EndLine() { return fmt::format("{}\n", kEnd); }

template <typename Record>
std::string GroupOf(const Record& record) {
  std::string group;
  fields::All<Record>(record, [&](std::string_view name, const auto& value) {
    if (name != "board" && IsGroupColumn<Record>(name)) AppendField(FieldOf(value), &group);
  });
  return group;
}

template <typename Record>
std::string LineOf(const Record& record) {
  std::string line;
  fields::All<Record>(record, [&](std::string_view name, const auto& value) {
    if (name != "board" && !IsGroupColumn<Record>(name)) AppendField(FieldOf(value), &line);
  });
  return line += '\n';
}

// The records of a section, sorted, as groups and their lines. A section may be written in parts
// where the groups of each stand behind those of the part before; `with_head` before the first.
template <typename Record>
void WriteSection(const std::vector<const Record*>& records, bool with_head, const Sink& sink) {
  if (records.empty()) return;
  std::map<std::string, std::vector<const Record*>> groups;
  for (const Record* record : records) groups[GroupOf(*record)].push_back(record);
  if (with_head) sink(ColumnsOf<Record>().header + '\n');
  for (const auto& [group, of_group] : groups) {
    if (!group.empty()) sink(fmt::format("{}\t{}\n", kGroupMark, group));
    for (const Record* record : of_group) sink(LineOf(*record));
  }
}

}  // namespace fenestra::text
