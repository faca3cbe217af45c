#include "db/sqlite.h"

#include <fmt/format.h>

#include <utility>

#include "accuracy/error.h"

namespace fenestra::sqlite {
namespace {

// What a person can do about a result code.
const char* Advice(int code) {
  if (code == SQLITE_IOERR_SHMSIZE) code = SQLITE_FULL;  // no room for the index of the log
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full: free space and run the same command again; what was committed is "
             "kept";
    case SQLITE_READONLY:
      return "it cannot be written: change its permissions or name another file with --db";
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return "it cannot be opened: check that the file and its folder exist and may be read and "
             "written";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds its lock: wait for that one to end and run the command again";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "it is damaged: move it away and import the text evidence into a new file";
    case SQLITE_IOERR:
      return "the disk failed to read or write: check it, then run the command again";
    default:
      return "run the command again; if it fails again, report this line";
  }
}

ExitCode ExitOf(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
      return ExitCode::kMachine;
    default:
      return ExitCode::kBadCall;
  }
}

}  // namespace

Connection::Connection(std::string name, const std::string& uri, int flags)
    : name_(std::move(name)) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(uri.c_str(), &raw, flags, nullptr);
  db_.reset(raw);
  if (code != SQLITE_OK) Fail(code);
  sqlite3_extended_result_codes(raw, 1);
}

void Connection::Fail(int code) const {
  const char* detail = db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code);
  throw Error(fmt::format("{}: {} (SQLite {}: {})", name_, Advice(code), code, detail),
              ExitOf(code));
}

void Connection::Execute(const std::string& sql) {
  const int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) Fail(code);
}

Statement Connection::Prepare(std::string_view sql) { return Statement(this, sql); }

std::int64_t Connection::ReadInt64(std::string_view sql) {
  Statement statement = Prepare(sql);
  if (!statement.Step()) Fail(SQLITE_CORRUPT);
  CheckRead();
  return statement.Int64(0);
}

std::string Connection::ReadText(std::string_view sql) {
  Statement statement = Prepare(sql);
  if (!statement.Step()) Fail(SQLITE_CORRUPT);
  CheckRead();
  return std::string(statement.Text(0));
}

void Connection::SetBusyTimeout(int milliseconds) {
  const int code = sqlite3_busy_timeout(db_.get(), milliseconds);
  if (code != SQLITE_OK) Fail(code);
}

void Connection::SetCheckpointOnClose(bool enabled) {
  const int code =
      sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, enabled ? 0 : 1, nullptr);
  if (code != SQLITE_OK) Fail(code);
}

Statement::Statement(const Connection* connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v2(connection->get(), sql.data(), static_cast<int>(sql.size()),
                                      &raw, nullptr);
  statement_.reset(raw);
  Check(code);
}

void Statement::Check(int code) const {
  if (code != SQLITE_OK) connection_->Fail(code);
}

void Statement::Bind(int index, std::string_view text) {
  // A null pointer would bind NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  Check(sqlite3_bind_text(statement_.get(), index, data, static_cast<int>(text.size()),
                          SQLITE_STATIC));
}

void Statement::Bind(int index, std::int64_t value) {
  Check(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::Bind(int index, double value) {
  Check(sqlite3_bind_double(statement_.get(), index, value));
}

bool Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW) connection_->CheckRead();
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    // Reset, or the failed statement would hold its locks; it repeats the same code.
    sqlite3_reset(statement_.get());
    connection_->Fail(code);
  }
  return code == SQLITE_ROW;
}

void Statement::Run() {
  Step();
  Reset();
}

void Statement::Reset() {
  Check(sqlite3_reset(statement_.get()));
  connection_->CheckRead();
}

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return text == nullptr ? std::string_view{} : std::string_view(text, static_cast<size_t>(bytes));
}

Transaction::Transaction(Connection* connection) : connection_(connection) {
  connection->Execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (connection_ == nullptr || !connection_->InTransaction()) return;
  // Nothing to report: a transaction that cannot be rolled back is rolled back at the next open.
  sqlite3_exec(connection_->get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::Commit() {
  connection_->Execute("COMMIT");
  connection_ = nullptr;
}

// A savepoint outside a transaction is a transaction that begins with the first read.
Snapshot::Snapshot(Connection* connection) : connection_(connection) {
  connection->Execute("SAVEPOINT snapshot");
}

Snapshot::~Snapshot() {
  // Nothing to report: nothing was written in it.
  sqlite3_exec(connection_->get(), "RELEASE snapshot", nullptr, nullptr, nullptr);
}

}  // namespace fenestra::sqlite
