#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "accuracy/digest.h"
#include "accuracy/error.h"
#include "db/digest.h"
#include "db/files.h"
#include "db/record_check.h"
#include "db/text.h"
#include "db/text_section.h"

namespace fenestra {
namespace {

namespace fs = std::filesystem;
using text::Sink;

// The environments that records of a board name.
std::set<std::string_view> EnvironmentsOf(const Evidence& evidence, std::string_view board) {
  std::set<std::string_view> ids;
  fields::ForEachList(evidence, [&](const auto& list) {
    for (const auto& record : list) {
      if (fields::BoardOf(record) == board) ids.insert(fields::EnvironmentOf(record));
    }
  });
  return ids;
}

std::set<std::string_view> BoardsOf(const Evidence& evidence) {
  std::set<std::string_view> boards;
  fields::ForEachList(evidence, [&](const auto& list) {
    for (const auto& record : list) boards.insert(fields::BoardOf(record));
  });
  boards.erase("");
  return boards;
}

// REQUIRES: the evidence is sorted.
void WriteSorted(const Evidence& evidence, std::string_view board, const Sink& sink) {
  const std::set<std::string_view> environments = EnvironmentsOf(evidence, board);
  sink(text::HeadLine(board));
  fields::ForEachList(evidence, [&]<typename Record>(const std::vector<Record>& list) {
    std::vector<const Record*> records;
    for (const Record& record : list) {
      if constexpr (std::is_same_v<Record, Environment>) {
        if (environments.contains(record.id)) records.push_back(&record);
      } else {
        if (fields::BoardOf(record) == board) records.push_back(&record);
      }
    }
    text::WriteSection(records, true, sink);
  });
  sink(text::EndLine());
}

std::string TextOfSorted(const Evidence& evidence, std::string_view board) {
  std::string text;
  WriteSorted(evidence, board, [&text](std::string_view piece) { text += piece; });
  return text;
}

bool IsSorted(const Evidence& evidence) {
  bool sorted = true;
  fields::ForEachList(evidence, [&sorted](const auto& list) {
    sorted = sorted && std::is_sorted(list.begin(), list.end());
  });
  return sorted;
}

// The file of a board that a record belongs in, as what follows the board's name.
struct FilePart {
  std::optional<Pass> pass;
  bool residual = false;

  bool operator==(const FilePart&) const = default;
};
constexpr FilePart kFileParts[] = {{std::nullopt, false},
                                   {Pass::kBackward, false},
                                   {Pass::kBackward, true},
                                   {Pass::kForward, false},
                                   {Pass::kForward, true}};

template <typename Record>
FilePart PartOf(const Record& record) {
  if constexpr (requires { record.key.route; }) {
    return {record.key.route.pass, record.key.route.residual};
  } else if constexpr (requires { record.route; }) {
    return {record.route.pass, record.route.residual};
  } else {
    return {};
  }
}

std::string FileName(std::string_view board, const FilePart& part) {
  if (!part.pass) return fmt::format("{}.tsv", board);
  return fmt::format("{}_{}{}.tsv", board, ToString(*part.pass), part.residual ? "_res" : "");
}

// Takes the board's records of one part, with the environments they name, out of `sorted`.
Evidence TakePart(std::string_view board, const FilePart& part, Evidence* sorted) {
  Evidence taken;
  fields::ForEachPair(taken, *sorted,
                      [&]<typename Record>(std::vector<Record>& to, std::vector<Record>& from) {
                        if constexpr (!std::is_same_v<Record, Environment>) {
                          auto kept = from.begin();
                          for (Record& record : from) {
                            if (fields::BoardOf(record) == board && PartOf(record) == part) {
                              to.push_back(std::move(record));
                            } else if (&*kept != &record) {
                              *kept++ = std::move(record);
                            } else {
                              ++kept;
                            }
                          }
                          from.erase(kept, from.end());
                        }
                      });
  const std::set<std::string_view> named = EnvironmentsOf(taken, board);
  std::copy_if(sorted->environments.begin(), sorted->environments.end(),
               std::back_inserter(taken.environments),
               [&](const Environment& environment) { return named.contains(environment.id); });
  return taken;
}

void CheckAll(const Evidence& evidence) {
  std::set<std::string_view> known;
  for (const Environment& environment : evidence.environments) known.insert(environment.id);
  fields::ForEachList(evidence, [&](const auto& list) {
    for (const auto& record : list) {
      std::string fault = Fault(record);
      const std::string_view environment = fields::EnvironmentOf(record);
      if (fault.empty() && !environment.empty() && !known.contains(environment)) {
        fault = fmt::format("environment '{}' is not in the evidence", environment);
      }
      if (!fault.empty()) {
        throw Error(fmt::format("cannot dump: {}: {}; measure it again", Describe(record), fault));
      }
    }
  });
}

// An older dump split the records in another way.
std::string OlderName(std::string_view board) { return fmt::format("{}_res.tsv", board); }

// A file of an older dump, which would be read back with the others.
void RemoveStale(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (!error) return;
  throw Error(
      fmt::format("{}: an older dump's file cannot be removed: {}; remove it, or name "
                  "another folder with --out",
                  path.string(), error.message()));
}

}  // namespace

void Sort(Evidence* evidence) {
  fields::ForEachList(*evidence, [](auto& list) { std::sort(list.begin(), list.end()); });
  std::sort(evidence->published.begin(), evidence->published.end());
}

std::string TextOf(const Evidence& evidence, std::string_view board) {
  Evidence sorted = evidence;
  Sort(&sorted);
  return TextOfSorted(sorted, board);
}

std::string DigestOf(const Evidence& evidence) {
  if (!IsSorted(evidence)) {
    Evidence sorted = evidence;
    Sort(&sorted);
    return DigestOf(sorted);
  }
  Fnv1aHash hash;
  for (std::string_view board : BoardsOf(evidence)) {
    WriteSorted(evidence, board, [&hash](std::string_view piece) { hash.Add(piece); });
  }
  return DigestText(hash.value());
}

double RoundFraction(double fraction) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), fraction,
                                 std::chars_format::scientific, kFractionDigits - 1)
                       .ptr;
  double rounded = fraction;
  std::from_chars(buffer, end, rounded);
  return rounded;
}

std::vector<fs::path> FilesOfDump(std::string_view board, const fs::path& dir) {
  std::vector<fs::path> files{dir / OlderName(board)};
  for (const FilePart& part : kFileParts) files.push_back(dir / FileName(board, part));
  std::erase_if(files, [](const fs::path& file) {
    std::error_code none;
    return !fs::exists(file, none);
  });
  return files;
}

std::vector<DumpedFile> Dump(Evidence evidence, const std::filesystem::path& dir) {
  CheckAll(evidence);
  Sort(&evidence);
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create the folder: {}; name another with --out",
                            dir.string(), error.message()));
  }
  const std::set<std::string_view> boards = BoardsOf(evidence);
  std::vector<DumpedFile> files;
  for (std::string_view board : boards) {
    RemoveStale(dir / OlderName(board));
    for (const FilePart& part : kFileParts) {
      Evidence taken = TakePart(board, part, &evidence);
      fs::path path = dir / FileName(board, part);
      if (BoardsOf(taken).empty()) {
        RemoveStale(path);
        continue;
      }
      files.push_back({std::move(path), std::move(taken)});
      WriteFileAtomically(files.back().path, TextOfSorted(files.back().evidence, board));
    }
  }
  return files;
}

}  // namespace fenestra
