// What is refused, and that it stays as it was.
#include "db/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/schema.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::ReadBytes;
using hand_made::Scratch;
using hand_made::WriteBytes;
using testing::HasSubstr;

// The file is refused in every mode with a line that holds `what` and its name, keeps its bytes,
// and nothing appears beside it.
void ExpectRefused(const Scratch& scratch, const std::string& what) {
  const std::string before = ReadBytes(scratch / "a.db");
  const std::string names = scratch.List();
  for (OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite, OpenMode::kCreate}) {
    const std::string error = ErrorOf([&] { Store::Open(scratch / "a.db", mode); });
    EXPECT_THAT(error, HasSubstr("a.db: "));
    EXPECT_THAT(error, HasSubstr(what));
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_EQ(ReadBytes(scratch / "a.db"), before);
    EXPECT_EQ(scratch.List(), names);
  }
}

// A store with some records, closed.
std::string SoundBytes(const Scratch& scratch) {
  Store::Open(scratch / "a.db", OpenMode::kCreate).Append(hand_made::OneOfEach());
  EXPECT_EQ(scratch.List(), "a.db");
  return ReadBytes(scratch / "a.db");
}

TEST(Location, AMissingFileIsCreatedOnlyWhenAsked) {
  const Scratch scratch;
  for (OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    EXPECT_THAT(ErrorOf([&] { Store::Open(scratch / "a.db", mode); }), HasSubstr("no such file"));
  }
  EXPECT_EQ(scratch.List(), "");
  Store::Open(scratch / "a.db", OpenMode::kCreate);
  EXPECT_EQ(scratch.List(), "a.db");
  EXPECT_NE(ErrorOf([&] { Store::Open(scratch / "none/a.db", OpenMode::kCreate); }), "");
}

TEST(Location, RefusesOtherFiles) {
  const Scratch scratch;
  WriteBytes(scratch / "a.db", "");
  ExpectRefused(scratch, "it is empty");
  WriteBytes(scratch / "a.db", "board,rows,ns\n" + std::string(5000, 'x'));
  ExpectRefused(scratch, "no SQLite file");
  WriteBytes(scratch / "a.db", "SQLi");
  ExpectRefused(scratch, "cut short");
}

TEST(Location, RefusesAnotherProgramsDatabase) {
  const Scratch scratch;
  {
    sqlite::Connection foreign("a.db", scratch / "a.db",
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    foreign.Execute("PRAGMA journal_mode = WAL; CREATE TABLE times (n INTEGER)");
  }
  ExpectRefused(scratch, "another program");
}

// A store of version 1 with one record; the connection may stay open, the record in a log beside
// the file.
sqlite::Connection OlderStore(const Scratch& scratch, bool with_log) {
  {
    sqlite::Connection made("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    Migrate(&made, Migrations().first(1));
  }
  sqlite::Connection older("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE);
  if (with_log) older.ReadText("PRAGMA journal_mode = WAL");
  older.Execute("INSERT INTO waits VALUES ('h200_132', 'bwd_x', 100, 1, '0123456789abcdef')");
  return older;
}

TEST(Location, MigratesAnOlderFileThatIsWritten) {
  for (OpenMode mode : {OpenMode::kReadWrite, OpenMode::kCreate}) {
    const Scratch scratch;
    { const auto closed = OlderStore(scratch, false); }
    Store::Open(scratch / "a.db", mode);
    sqlite::Connection now("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE);
    EXPECT_EQ(now.ReadInt64("PRAGMA user_version"), SchemaVersion());
    EXPECT_EQ(now.ReadInt64("SELECT count(*) FROM waits WHERE environment = '0123456789abcdef'"),
              1);
    EXPECT_EQ(now.ReadInt64("SELECT count(*) FROM kernels"), 0);
  }
}

TEST(Location, ReadsAnOlderFileAndLeavesItAsItIs) {
  for (bool with_log : {false, true}) {
    const Scratch scratch;
    const auto older = OlderStore(scratch, with_log);
    const std::string before = ReadBytes(scratch / "a.db");
    auto reader = OpenStoreFile(scratch / "a.db", OpenMode::kReadOnly);
    EXPECT_EQ(reader.ReadInt64("PRAGMA user_version"), SchemaVersion());
    EXPECT_EQ(reader.ReadInt64("SELECT count(*) FROM waits WHERE beside_kib = 100"), 1);
    EXPECT_EQ(reader.ReadInt64("SELECT count(*) FROM kernels"), 0);
    EXPECT_EQ(ReadBytes(scratch / "a.db"), before);
  }
}

TEST(Location, RefusesANewerSchema) {
  const Scratch scratch;
  SoundBytes(scratch);
  {
    sqlite::Connection newer("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE);
    newer.Execute("PRAGMA user_version = 9999");
  }
  ExpectRefused(scratch, "schema version is 9999");
}

TEST(Location, RefusesANewerSchemaThatOnlyTheLogHolds) {
  const Scratch scratch;
  SoundBytes(scratch);
  // The log of a writer that was killed, whose version the file itself does not show yet.
  sqlite::Connection newer("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE);
  newer.Execute("PRAGMA user_version = 9999");
  const std::string before = ReadBytes(scratch / "a.db");
  for (OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    EXPECT_THAT(ErrorOf([&] { Store::Open(scratch / "a.db", mode); }), HasSubstr("9999"));
    EXPECT_EQ(ReadBytes(scratch / "a.db"), before);
  }
}

TEST(Location, RefusesDamagedFiles) {
  const Scratch scratch;
  const std::string sound = SoundBytes(scratch);
  const std::size_t page = 4096;
  WriteBytes(scratch / "a.db", sound.substr(0, sound.size() - page));
  ExpectRefused(scratch, "it is damaged");
  WriteBytes(scratch / "a.db", sound.substr(0, page + 100));
  ExpectRefused(scratch, "it is damaged");
  std::string overwritten = sound;
  overwritten.replace(page, page, page, '\xa5');
  WriteBytes(scratch / "a.db", overwritten);
  ExpectRefused(scratch, "it is damaged");
  WriteBytes(scratch / "a.db", sound);
  EXPECT_EQ(Store::Open(scratch / "a.db", OpenMode::kReadWrite).Load("h200_132").times.size(), 1U);
}

TEST(Location, ReportsDamageInLargeTablesWhenTheyAreRead) {
  const Scratch scratch;
  Evidence evidence = hand_made::OneOfEach();
  for (int process = 3; process < 3000; ++process) {
    evidence.times.push_back(hand_made::Time(4096, process));
  }
  Store::Open(scratch / "a.db", OpenMode::kCreate).Append(evidence);
  std::string bytes = ReadBytes(scratch / "a.db");
  bytes.replace(bytes.size() / 2, 40'000, 40'000, '\xa5');
  WriteBytes(scratch / "a.db", bytes);
  for (OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    EXPECT_THAT(ErrorOf([&] { Store::Open(scratch / "a.db", mode).Load("h200_132"); }),
                HasSubstr("a.db: it is damaged"));
    EXPECT_EQ(ReadBytes(scratch / "a.db"), bytes);
    EXPECT_EQ(scratch.List(), "a.db");
  }
}

TEST(Location, ReadingLeavesNoTrace) {
  const Scratch scratch;
  const std::string sound = SoundBytes(scratch);
  {
    const Store store = Store::Open(scratch / "a.db", OpenMode::kReadOnly);
    EXPECT_EQ(store.Load("h200_132").times.size(), 1U);
    EXPECT_EQ(scratch.List(), "a.db");
  }
  EXPECT_EQ(ReadBytes(scratch / "a.db"), sound);
  Store store = Store::Open(scratch / "a.db", OpenMode::kReadOnly);
  Evidence more = hand_made::OneOfEach();
  more.times = {hand_made::Time(1, 0)};
  EXPECT_THAT(ErrorOf([&] { store.Append(more); }), HasSubstr("cannot be written"));
  EXPECT_EQ(ReadBytes(scratch / "a.db"), sound);
}

TEST(Location, ReadsBesideAWriter) {
  const Scratch scratch;
  SoundBytes(scratch);
  Store writer = Store::Open(scratch / "a.db", OpenMode::kReadWrite);
  Evidence more = hand_made::OneOfEach();
  more.times = {hand_made::Time(1, 0)};
  writer.Append(more);
  const Store reader = Store::Open(scratch / "a.db", OpenMode::kReadOnly);
  EXPECT_EQ(reader.Load("h200_132").times.size(), 2U);
}

// Every record of a kReadOnly store is of one moment, that of its first read.
TEST(Location, ReadsOneMomentBesideAWriter) {
  const Scratch scratch;
  SoundBytes(scratch);
  Store writer = Store::Open(scratch / "a.db", OpenMode::kReadWrite);
  Evidence more = hand_made::OneOfEach();
  more.times = {hand_made::Time(1, 0)};
  writer.Append(more);
  const Store reader = Store::Open(scratch / "a.db", OpenMode::kReadOnly);
  EXPECT_EQ(reader.LoadRoute("h200_132", hand_made::Time(1, 0).key.route).times.size(), 2U);
  more.times = {hand_made::Time(2, 0)};
  writer.Append(more);
  EXPECT_EQ(reader.Load("h200_132").times.size(), 2U);
  EXPECT_EQ(Store::Open(scratch / "a.db", OpenMode::kReadOnly).Load("h200_132").times.size(), 3U);
}

// A file that lay still when it was opened is read without a lock.
TEST(Location, SaysThatAWriterCameWhileAStillFileWasRead) {
  const Scratch scratch;
  SoundBytes(scratch);
  const Store reader = Store::Open(scratch / "a.db", OpenMode::kReadOnly);
  EXPECT_EQ(reader.Load("h200_132").times.size(), 1U);
  Evidence more = hand_made::OneOfEach();
  more.times = {hand_made::Time(1, 0)};
  Store::Open(scratch / "a.db", OpenMode::kReadWrite).Append(more);
  EXPECT_THAT(ErrorOf([&] { reader.Load("h200_132"); }), HasSubstr("another process wrote it"));
}

// Without a write-ahead log, as on a network file system, a reader holds a lock while it reads.
TEST(Location, LocksAFileWithARollbackJournalWhileItIsRead) {
  const Scratch scratch;
  SoundBytes(scratch);
  sqlite::Connection writer("a.db", scratch / "a.db", SQLITE_OPEN_READWRITE);
  ASSERT_EQ(writer.ReadText("PRAGMA journal_mode = DELETE"), "delete");
  sqlite::Connection reader = OpenStoreFile(scratch / "a.db", OpenMode::kReadOnly);
  {
    sqlite::Statement names = reader.Prepare("SELECT name FROM sqlite_schema");
    ASSERT_TRUE(names.Step());
    EXPECT_THAT(ErrorOf([&] { writer.Execute("DELETE FROM waits"); }), HasSubstr("holds its lock"));
  }
  EXPECT_EQ(reader.ReadInt64("SELECT count(*) FROM waits"), 1);
  writer.Execute("DELETE FROM waits");
  EXPECT_EQ(reader.ReadInt64("SELECT count(*) FROM waits"), 0);
  EXPECT_EQ(scratch.List(), "a.db");
}

TEST(Location, PathsMayHoldAnyLetter) {
  const Scratch scratch;
  const std::string name = "a b?c#d%41.db";
  Store::Open(scratch / name, OpenMode::kCreate).Append(hand_made::OneOfEach());
  EXPECT_EQ(Store::Open(scratch / name, OpenMode::kReadOnly).Load("h200_132").times.size(), 1U);
  EXPECT_EQ(scratch.List(), name);
}

TEST(Location, ALocalDiskHasAWriteAheadLog) {
  const Scratch scratch;
  sqlite::Connection connection = OpenStoreFile(scratch / "a.db", OpenMode::kCreate);
  EXPECT_EQ(connection.ReadText("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(connection.ReadInt64("PRAGMA foreign_keys"), 1);
}

TEST(Location, KnowsNetworkFileSystems) {
  // Magic numbers of statfs(2).
  for (std::uint32_t magic : {0x6969U, 0xff534d42U, 0xfe534d42U, 0x65735546U, 0x01021997U}) {
    EXPECT_TRUE(IsNetworkFileSystem(magic)) << magic;
  }
  // ext4, XFS, Btrfs, tmpfs, overlay.
  for (std::uint32_t magic : {0xef53U, 0x58465342U, 0x9123683eU, 0x01021994U, 0x794c7630U}) {
    EXPECT_FALSE(IsNetworkFileSystem(magic)) << magic;
  }
}

}  // namespace
}  // namespace fenestra
