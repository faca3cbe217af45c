// Reads and writes one kind of record: the SQL of its table follows from db/fields.h.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/error.h"
#include "db/fields.h"
#include "db/record_check.h"
#include "db/sqlite.h"

namespace fenestra {

// Calls visit for each SQL column of a field; a route is five.
template <typename T>
void VisitColumns(std::string_view name, T& value, auto&& visit) {
  if constexpr (std::is_same_v<std::remove_const_t<T>, Route>) {
    visit("pass", value.pass);
    visit("residual", value.residual);
    visit("weight", value.weight);
    visit("width", value.width);
    visit("determinism", value.determinism);
  } else {
    visit(name, value);
  }
}

// Binds fields to a statement's parameters in turn. Texts are not copied: the record must stay.
class Binder {
 public:
  explicit Binder(sqlite::Statement* statement) : statement_(statement) {}

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    VisitColumns(name, value, [this](std::string_view, const auto& column) { this->Bind(column); });
  }

 private:
  void Bind(fields::AnyEnum auto value) { statement_->Bind(++index_, ToString(value)); }
  void Bind(const std::string& value) { statement_->Bind(++index_, value); }
  void Bind(const Name& value) { statement_->Bind(++index_, value.str()); }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void Bind(Number value) { statement_->Bind(++index_, value); }

  sqlite::Statement* statement_;
  int index_ = 0;
};

// Reads the columns of a row into fields in turn. Throws Error on an enum's text that this build
// does not know.
class ColumnReader {
 public:
  ColumnReader(const sqlite::Connection* connection, const sqlite::Statement* statement)
      : connection_(connection), statement_(statement) {}

  template <typename T>
  void operator()(std::string_view name, T& value) {
    VisitColumns(name, value, [this](std::string_view column, auto& out) {
      this->Read(column, &out, column_++);
    });
  }

 private:
  template <fields::AnyEnum Enum>
  void Read(std::string_view name, Enum* out, int column) {
    const std::string_view text = statement_->Text(column);
    const auto value = fields::ParseAs<Enum>(text);
    if (!value) {
      throw Error(
          fmt::format("{}: column {} holds '{}', which this build does not know; use the "
                      "build that wrote it",
                      connection_->name(), name, text));
    }
    *out = *value;
  }
  void Read(std::string_view, std::string* out, int column) { *out = statement_->Text(column); }
  void Read(std::string_view, Name* out, int column) { *out = statement_->Text(column); }
  void Read(std::string_view, std::int64_t* out, int column) { *out = statement_->Int64(column); }
  void Read(std::string_view, double* out, int column) { *out = statement_->Double(column); }
  void Read(std::string_view, bool* out, int column) { *out = statement_->Int64(column) != 0; }
  void Read(std::string_view, int* out, int column) {
    *out = static_cast<int>(statement_->Int64(column));
  }

  const sqlite::Connection* connection_;
  const sqlite::Statement* statement_;
  int column_ = 0;
};

// Collects `"name"` or `"name" = ?` of columns, with a separator between.
class ColumnNames {
 public:
  ColumnNames(std::string_view after, std::string_view separator)
      : after_(after), separator_(separator) {}

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    VisitColumns(name, value, [this](std::string_view column, const auto&) {
      text_ += fmt::format("{}\"{}\"{}", text_.empty() ? "" : separator_, column, after_);
      ++count_;
    });
  }

  const std::string& text() const { return text_; }
  // "?, ?, ?"
  std::string Parameters() const {
    std::string marks;
    for (int i = 0; i < count_; ++i) marks += i == 0 ? "?" : ", ?";
    return marks;
  }

 private:
  std::string_view after_;
  std::string_view separator_;
  std::string text_;
  int count_ = 0;
};

// REQUIRES: the connection outlives the table and does not move.
template <typename Record>
class Table {
 public:
  using Kind = fields::Kind<Record>;

  explicit Table(sqlite::Connection* connection)
      : connection_(connection),
        insert_(connection->Prepare(InsertSql())),
        find_(connection->Prepare(fmt::format("{} WHERE {}", SelectSql(), KeySql()))) {}

  // Adds a record; an equal one that is there is kept. Returns whether it was added. Throws Error
  // that names both values when another value stands under the key. REQUIRES: in a transaction.
  bool Put(const Record& record) {
    Binder binder(&insert_);
    fields::All<Record>(record, binder);
    insert_.Run();
    if (connection_->Changes() > 0) return true;
    const Record stored = *Find(record);
    if (stored == record) return false;
    const std::string conflict = ConflictOf(stored, record);
    if (!conflict.empty()) {
      throw Error(fmt::format("{}: {}", connection_->name(), conflict), ExitCode::kCheckFailed);
    }
    if (OriginText(record) < OriginText(stored)) Replace(record);
    return false;
  }

  // What Put would refuse a record for; "" where it would not.
  std::string ConflictOf(const Record& record) {
    const std::optional<Record> stored = Find(record);
    return stored ? ConflictOf(*stored, record) : "";
  }

  // The record stored under the key of `record`.
  std::optional<Record> Find(const Record& record) {
    Binder binder(&find_);
    Kind::Key(record, binder);
    std::optional<Record> found;
    if (find_.Step()) found = Current(find_);
    find_.Reset();
    return found;
  }

  // Appends the records of a board (all, where records name none), in no particular order.
  void Load(std::string_view board, std::vector<Record>* records) {
    constexpr bool kOfBoard = !std::is_same_v<Record, Environment>;
    sqlite::Statement select =
        connection_->Prepare(SelectSql() + (kOfBoard ? " WHERE \"board\" = ?" : ""));
    if (kOfBoard) select.Bind(1, board);
    while (select.Step()) records->push_back(Current(select));
  }

  // "SELECT <all columns> FROM <table>", whose row Current reads.
  static std::string SelectSql() {
    const Record none{};
    ColumnNames names("", ", ");
    fields::All<Record>(none, names);
    return fmt::format("SELECT {} FROM {}", names.text(), Kind::kName);
  }

  Record Current(const sqlite::Statement& statement) const {
    Record record;
    ColumnReader reader(connection_, &statement);
    fields::All<Record>(record, reader);
    return record;
  }

 private:
  static std::string ConflictOf(const Record& stored, const Record& record) {
    if (DescribeValue(stored) == DescribeValue(record)) return "";
    return fmt::format(
        "{}: stored {}, now {}; the sweep or file that is wrong must go to a store "
        "of its own",
        Describe(record), DescribeMeasured(stored), DescribeMeasured(record));
  }

  static std::string InsertSql() {
    const Record none{};
    ColumnNames names("", ", ");
    fields::All<Record>(none, names);
    // Only a key that is there is passed over; any other broken constraint is an error.
    return fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING", Kind::kName,
                       names.text(), names.Parameters());
  }
  static std::string KeySql() {
    const Record none{};
    ColumnNames names(" = ?", " AND ");
    Kind::Key(none, names);
    return names.text();
  }

  // Takes over where an equal value was seen.
  void Replace(const Record& record) {
    ColumnNames names(" = ?", ", ");
    Kind::Origin(record, names);
    sqlite::Statement update = connection_->Prepare(
        fmt::format("UPDATE {} SET {} WHERE {}", Kind::kName, names.text(), KeySql()));
    Binder binder(&update);
    Kind::Origin(record, binder);
    Kind::Key(record, binder);
    update.Run();
  }

  sqlite::Connection* connection_;
  sqlite::Statement insert_;
  sqlite::Statement find_;
};

}  // namespace fenestra
