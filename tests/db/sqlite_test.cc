#include "db/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/schema.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::Scratch;
using sqlite::Connection;
using sqlite::Transaction;
using testing::HasSubstr;

constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

TEST(Sqlite, ATransactionThatIsNotCommittedRollsBack) {
  const Scratch scratch;
  Connection connection("a.db", scratch / "a.db", kFlags);
  connection.Execute("CREATE TABLE t (n INTEGER)");
  {
    Transaction transaction(&connection);
    connection.Execute("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(connection.ReadInt64("SELECT count(*) FROM t"), 0);
  {
    Transaction transaction(&connection);
    connection.Execute("INSERT INTO t VALUES (1)");
    transaction.Commit();
  }
  EXPECT_EQ(connection.ReadInt64("SELECT count(*) FROM t"), 1);
}

TEST(Sqlite, AFullDiskGivesOneLineAndKeepsWhatWasCommitted) {
  const Scratch scratch;
  Connection connection("a.db", scratch / "a.db", kFlags);
  connection.Execute("CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'kept')");
  connection.Execute("PRAGMA max_page_count = 4");  // SQLite then answers as on a full disk
  const std::string error = ErrorOf([&] {
    Transaction transaction(&connection);
    connection.Execute("INSERT INTO t VALUES (2, hex(zeroblob(100000)))");
    transaction.Commit();
  });
  EXPECT_THAT(error, HasSubstr("a.db: the disk is full"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_EQ(connection.ReadInt64("SELECT count(*) FROM t"), 1);
}

TEST(Sqlite, ErrorsNameTheFileAndWhatToDo) {
  const Scratch scratch;
  EXPECT_THAT(ErrorOf([&] { Connection("x.db", scratch / "none/x.db", kFlags); }),
              HasSubstr("x.db: it cannot be opened"));
  Connection writer("a.db", scratch / "a.db", kFlags);
  writer.Execute("CREATE TABLE t (n INTEGER)");
  Connection reader("a.db", scratch / "a.db", SQLITE_OPEN_READONLY);
  EXPECT_THAT(ErrorOf([&] { reader.Execute("INSERT INTO t VALUES (1)"); }),
              HasSubstr("a.db: it cannot be written"));
  Transaction transaction(&writer);
  Connection second("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE);
  EXPECT_THAT(ErrorOf([&] { Transaction waits(&second); }), HasSubstr("another process"));
}

TEST(Schema, MigratesAnOlderFileStepByStep) {
  const Scratch scratch;
  Connection connection("a.db", scratch / "a.db", kFlags);
  Migrate(&connection, Migrations().first(1));
  EXPECT_EQ(connection.ReadInt64("PRAGMA user_version"), 1);
  EXPECT_EQ(connection.ReadInt64("PRAGMA application_id"), 0x464e5354);
  connection.Execute("INSERT INTO boards VALUES ('h200_132', 'sm_90a', 132, 'NVIDIA H200')");
  const std::vector<std::string_view> next{
      Migrations()[0], "ALTER TABLE boards ADD COLUMN memory_gib INTEGER NOT NULL DEFAULT 141"};
  Migrate(&connection, next);
  EXPECT_EQ(connection.ReadInt64("PRAGMA user_version"), 2);
  EXPECT_EQ(connection.ReadInt64("SELECT memory_gib FROM boards WHERE sm_count = 132"), 141);
  Migrate(&connection, next);  // nothing to do
  EXPECT_EQ(connection.ReadInt64("PRAGMA user_version"), 2);
}

TEST(Schema, AMigrationThatFailsLeavesTheOldVersion) {
  const Scratch scratch;
  Connection connection("a.db", scratch / "a.db", kFlags);
  Migrate(&connection, Migrations().first(1));
  const std::vector<std::string_view> broken{
      Migrations()[0], "CREATE TABLE extra (n INTEGER); CREATE TABLE extra (n INTEGER)"};
  EXPECT_NE(ErrorOf([&] { Migrate(&connection, broken); }), "");
  EXPECT_EQ(connection.ReadInt64("PRAGMA user_version"), 1);
  EXPECT_EQ(connection.ReadInt64("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), 0);
}

}  // namespace
}  // namespace fenestra
