// A thin RAII layer over SQLite. Every return code is checked; a failure throws Error with one line
// that names the file and says what to do.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fenestra::sqlite {

struct CloseConnection {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Statement;

// One connection; not to be shared between threads. Movable.
class Connection {
 public:
  // `name` is what errors call the file; `flags` are SQLITE_OPEN_*. `uri` may be a path, or a
  // "file:" address when the flags hold SQLITE_OPEN_URI.
  Connection(std::string name, const std::string& uri, int flags);

  // Runs statements that return no rows that matter.
  void Execute(const std::string& sql);

  Statement Prepare(std::string_view sql);

  // The first column of the first row. REQUIRES: the statement returns a row.
  std::int64_t ReadInt64(std::string_view sql);
  std::string ReadText(std::string_view sql);

  // Rows changed by the last INSERT, UPDATE or DELETE.
  int Changes() const { return sqlite3_changes(db_.get()); }
  std::int64_t LastRowId() const { return sqlite3_last_insert_rowid(db_.get()); }
  bool InTransaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

  // How long to wait for another process's lock before giving up.
  void SetBusyTimeout(int milliseconds);
  // Keeps the last close from writing the log back into the file: a file that is refused after
  // opening stays byte for byte as it was.
  void SetCheckpointOnClose(bool enabled);

  // Called when a statement has returned what it was asked for, or failed: it may throw, for a
  // reader without a lock against writers.
  void SetAfterRead(std::function<void()> check) { after_read_ = std::move(check); }
  void CheckRead() const {
    if (after_read_) after_read_();
  }

  const std::string& name() const { return name_; }
  sqlite3* get() const { return db_.get(); }

  // Throws the Error of a result code.
  [[noreturn]] void Fail(int code) const;

 private:
  std::string name_;
  std::unique_ptr<sqlite3, CloseConnection> db_;
  std::function<void()> after_read_;
};

// A prepared statement. Parameters count from 1, columns from 0. REQUIRES: the connection outlives
// it and does not move.
class Statement {
 public:
  Statement(const Connection* connection, std::string_view sql);

  // The text is not copied: it must stay alive until the next Reset.
  void Bind(int index, std::string_view text);
  void Bind(int index, const std::string& text) { Bind(index, std::string_view{text}); }
  void Bind(int index, std::string&& text) = delete;
  void Bind(int index, std::int64_t value);
  void Bind(int index, int value) { Bind(index, std::int64_t{value}); }
  void Bind(int index, bool value) { Bind(index, std::int64_t{value}); }
  void Bind(int index, double value);

  // True while there is a row.
  bool Step();
  // Steps once, for statements without rows, and resets.
  void Run();
  void Reset();

  std::int64_t Int64(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double Double(int column) const { return sqlite3_column_double(statement_.get(), column); }
  // Valid until the next Step or Reset.
  std::string_view Text(int column) const;

 private:
  void Check(int code) const;

  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> statement_;
};

// BEGIN IMMEDIATE, so that two writers wait for each other instead of failing half way. Rolls back
// unless committed.
class Transaction {
 public:
  explicit Transaction(Connection* connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void Commit();

 private:
  Connection* connection_;
};

// What is read while it lives is of one moment, whatever other processes write. May lie within
// another, or within a Transaction.
class Snapshot {
 public:
  explicit Snapshot(Connection* connection);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection* connection_;
};

}  // namespace fenestra::sqlite
