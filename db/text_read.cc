#include <fmt/format.h>

#include <set>
#include <string>

#include "accuracy/error.h"
#include "db/files.h"
#include "db/record_check.h"
#include "db/text.h"
#include "db/text_columns.h"
#include "kernels/board.h"

namespace fenestra {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

// A field as a message may show it.
std::string Shown(std::string_view field) {
  constexpr std::size_t kShownBytes = 60;
  const std::string escaped = text::Escape(field.substr(0, kShownBytes));
  return field.size() > kShownBytes ? escaped + "..." : escaped;
}

// Reads the lines of one file.
class Parser {
 public:
  Parser(const std::string& name, int source, SourcedEvidence* evidence)
      : name_(name), source_(source), evidence_(evidence) {}

  void Parse(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) Fail("the last line has no end: the file was cut short");
      TakeLine(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    if (!ended_) {
      ++line_;
      Fail(fmt::format("the closing line '{}' is missing: the file was cut short", text::kEnd));
    }
  }

 private:
  [[noreturn]] void Fail(std::string_view what) const { FailAt(line_, what); }
  [[noreturn]] void FailAt(int line, std::string_view what) const {
    throw Error(
        fmt::format("{}:{}: {}; correct the line or dump the evidence again", name_, line, what));
  }

  void TakeLine(std::string_view line) {
    CheckBytes(line);
    if (ended_) Fail(fmt::format("there is more after the closing line '{}'", text::kEnd));
    if (line_ == 1) {
      TakeTitle(line);
    } else if (line == text::kEnd) {
      ended_ = true;
    } else if (line.starts_with('[')) {
      StartSection(line);
    } else if (take_record_ == nullptr) {
      Fail("a record stands before the first section");
    } else if (line.starts_with(text::kGroupMark)) {
      (this->*take_group_)(line);
    } else {
      (this->*take_record_)(line);
    }
  }

  void CheckBytes(std::string_view line) const {
    if (line.size() > text::kMaxLineBytes) {
      Fail(fmt::format("the line has {} bytes, more than {}", line.size(), text::kMaxLineBytes));
    }
    if (line.ends_with('\r')) Fail("the line ends in CR LF where LF alone is expected");
    for (char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < ' ' && byte != '\t') || byte > '~') {
        Fail(fmt::format("the line holds the byte 0x{:02x}, which is not plain text", byte));
      }
    }
  }

  void TakeTitle(std::string_view line) {
    text::SplitFields(line, &fields_);
    if (fields_.size() != 3 || fields_[0] != text::kMagic) {
      Fail(fmt::format("this is not text evidence: it does not start with '{}'", text::kMagic));
    }
    if (fields_[1] != std::to_string(kTextVersion)) {
      Fail(
          fmt::format("text version '{}' is not {}, the one this build reads: use the build that "
                      "wrote it",
                      Shown(fields_[1]), kTextVersion));
    }
    board_ = fields_[2];
    if (FindBoard(board_) == nullptr) {
      Fail(fmt::format("'{}' is no board of this build (see 'fenestra boards')", Shown(board_)));
    }
  }

  void StartSection(std::string_view line) {
    take_record_ = nullptr;
    has_group_ = false;
    fields::ForEachList(*evidence_, [&]<typename Record>(Sourced<Record>&) {
      const auto columns = text::ColumnsOf<Record>();
      if (line != columns.header) return;
      take_record_ = &Parser::TakeRecord<Record>;
      take_group_ = &Parser::TakeGroup<Record>;
      group_columns_ = columns.group;
      line_columns_ = columns.line;
      NoteColumns<Record>();
    });
    if (take_record_ == nullptr) {
      Fail(fmt::format("'{}' is no section with the columns of version {}", Shown(line),
                       kTextVersion));
    }
  }

  // Which columns are a group's, asked once a section; and the record that its lines start from.
  template <typename Record>
  void NoteColumns() {
    columns_.clear();
    fields::All<Record>(RecordOf<Record>(), [&](std::string_view column, auto& value) {
      if constexpr (std::is_same_v<decltype(value), Name&>) {
        if (column == "board") value = board_;
      }
      columns_.push_back(column == "board"                     ? Place::kFile
                         : text::IsGroupColumn<Record>(column) ? Place::kGroup
                                                               : Place::kLine);
    });
  }

  template <typename Record>
  void TakeGroup(std::string_view line) {
    text::SplitFields(line, &fields_);
    CheckCount(fields_.size(), group_columns_ + 1);
    if (group_columns_ == 0 || fields_[0] != text::kGroupMark) {
      Fail("a group line is not expected");
    }
    ReadColumns(Place::kGroup, 1, &RecordOf<Record>());
    has_group_ = true;
  }

  void CheckCount(std::size_t found, std::size_t expected) const {
    if (found != expected) {
      Fail(fmt::format("the line has {} fields where {} are expected", found, expected));
    }
  }

  template <typename Record>
  void TakeRecord(std::string_view line) {
    if (group_columns_ > 0 && !has_group_) Fail("a record stands before its group line");
    text::SplitFields(line, &fields_);
    CheckCount(fields_.size(), line_columns_);
    Record& record = RecordOf<Record>();
    ReadColumns(Place::kLine, 0, &record);
    const std::string fault = Fault(record);
    if (!fault.empty()) Fail(fault);
    ListOf<Record>().Add(record, Where{.source = source_, .line = line_});
  }

  // Where a column's value stands.
  enum class Place { kFile, kGroup, kLine };

  // Reads the line's fields from number `at` on into the columns of that place.
  template <typename Record>
  void ReadColumns(Place place, std::size_t at, Record* record) {
    std::size_t number = 0;
    fields::All<Record>(*record, [&](std::string_view column, auto& value) {
      if (columns_[number++] != place) return;
      const std::string_view field = fields_[at++];
      if (!text::ReadField(field, &value)) {
        Fail(fmt::format("{}: '{}' is not a value this column can hold", column, Shown(field)));
      }
    });
  }

  // The record that lines are read into; what its group line gave stays from one to the next.
  template <typename Record>
  Record& RecordOf() {
    return std::get<Record>(records_);
  }

  template <typename Record>
  Sourced<Record>& ListOf() {
    return std::get<Sourced<Record>&>(fields::ListsOf(*evidence_));
  }

  const std::string& name_;
  const int source_;
  SourcedEvidence* const evidence_;

  int line_ = 0;
  bool ended_ = false;
  Name board_;
  void (Parser::*take_record_)(std::string_view) = nullptr;  // of the section at hand
  void (Parser::*take_group_)(std::string_view) = nullptr;
  std::size_t group_columns_ = 0;
  std::size_t line_columns_ = 0;
  std::vector<Place> columns_;
  bool has_group_ = false;
  fields::Records records_;
  std::vector<std::string_view> fields_;
};

// Every environment that a record names must have come with it.
void CheckEnvironments(const SourcedEvidence& evidence, const std::vector<std::string>& names) {
  std::set<std::string_view> known;
  for (const Environment& environment : evidence.environments.records) {
    known.insert(environment.id);
  }
  fields::ForEachList(evidence, [&](const auto& list) {
    for (std::size_t i = 0; i < list.records.size(); ++i) {
      const std::string_view id = fields::EnvironmentOf(list.records[i]);
      if (id.empty() || known.contains(id)) continue;
      const Where& where = list.where[i];
      throw Error(
          fmt::format("{}:{}: environment '{}' is in no file's [environments]; add its "
                      "line or import the file that has it",
                      names[static_cast<std::size_t>(where.source)], where.line, id));
    }
  });
}

}  // namespace

void ParseText(std::string_view text, const std::string& name, int source,
               SourcedEvidence* evidence) {
  Parser(name, source, evidence).Parse(text);
}

SourceFiles ReadSources(const std::vector<std::filesystem::path>& files) {
  SourceFiles sources;
  for (const std::filesystem::path& file : files) {
    const int source = static_cast<int>(sources.names.size());
    sources.names.push_back(file.string());
    ParseText(ReadFile(file, kMaxFileBytes), sources.names.back(), source, &sources.evidence);
  }
  CheckEnvironments(sources.evidence, sources.names);
  return sources;
}

Evidence Import(const std::vector<std::filesystem::path>& files) {
  SourceFiles sources = ReadSources(files);
  return MergeSources(std::move(sources.evidence), sources.names);
}

}  // namespace fenestra
