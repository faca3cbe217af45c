// The parts of a file of text evidence (db/text.h), for those who write it or take its digest.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/text.h"
#include "db/text_columns.h"

namespace fenestra::text {

inline std::string HeadLine(std::string_view board) {
  return fmt::format("{}\t{}\t{}\n", kMagic, kTextVersion, board);
}

inline std::string EndLine() { return fmt::format("{}\n", kEnd); }

template <typename Record>
void AppendSectionHead(std::string* out) {
  out->append(ColumnsOf<Record>().header).append("\n");
}

// Appends records, sorted, as groups and their lines. A section may be appended in parts where the
// groups of each stand behind those of the part before.
template <typename Record>
void AppendGroups(const std::vector<const Record*>& records, std::string* out) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const Record* record : records) {
    std::string group;
    std::string line;
    fields::All<Record>(*record, [&](std::string_view name, const auto& value) {
      if (name == "board") return;
      AppendField(FieldOf(value), IsGroupColumn<Record>(name) ? &group : &line);
    });
    groups[group].push_back(std::move(line));
  }
  for (const auto& [group, lines] : groups) {
    if (!group.empty()) out->append(kGroupMark).append("\t").append(group).append("\n");
    for (const std::string& line : lines) out->append(line).append("\n");
  }
}

}  // namespace fenestra::text
