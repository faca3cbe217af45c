#include "db/location.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "accuracy/error.h"
#include "db/published.h"
#include "db/schema.h"

namespace fenestra {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyTimeoutMs = 30'000;

// The first bytes of an SQLite file (https://www.sqlite.org/fileformat.html, section 1.3).
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr std::size_t kReadVersionAt = 19;  // 2: its journal is a write-ahead log
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

[[noreturn]] void Refuse(const fs::path& path, std::string_view why) {
  throw Error(fmt::format("{}: {}", path.string(), why));
}

[[noreturn]] void RefuseNewer(const fs::path& path, std::int64_t version) {
  Refuse(path, fmt::format("its schema version is {}, later than {}, the one this build knows: use "
                           "a newer build; the file is untouched",
                           version, SchemaVersion()));
}

[[noreturn]] void RefuseForeign(const fs::path& path) {
  Refuse(path, "it is an SQLite file of another program: name another file with --db");
}

[[noreturn]] void RefuseDamaged(const fs::path& path, std::string_view detail) {
  Refuse(path, fmt::format("it is damaged ({}): move it away and import the text evidence into a "
                           "new file; the file is untouched",
                           detail));
}

std::int64_t BigEndian32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<std::int32_t>(value);
}

// Judges the file by its first bytes, before SQLite touches it. True when its journal is a
// write-ahead log.
bool CheckHeader(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) Refuse(path, "it cannot be opened: check that it is a file that you may read");
  std::array<char, kHeaderBytes> bytes{};
  stream.read(bytes.data(), bytes.size());
  const std::string_view header(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  if (header.empty()) {
    Refuse(path, "it is empty, no store: remove it or name another file with --db");
  }
  if (!header.starts_with(kSqliteMagic.substr(0, header.size()))) {
    Refuse(path, "it is no SQLite file: name another file with --db");
  }
  if (header.size() < kHeaderBytes) RefuseDamaged(path, "its header is cut short");
  if (BigEndian32(header, kApplicationIdAt) != kApplicationId) RefuseForeign(path);
  const std::int64_t version = BigEndian32(header, kUserVersionAt);
  if (version > SchemaVersion()) RefuseNewer(path, version);
  return header[kReadVersionAt] == 2;
}

// Judges what the file says of itself, its log included.
void CheckIdentity(sqlite::Connection* connection, const fs::path& path) {
  if (connection->ReadInt64("PRAGMA application_id") != kApplicationId) RefuseForeign(path);
  const std::int64_t version = connection->ReadInt64("PRAGMA user_version");
  if (version > SchemaVersion()) RefuseNewer(path, version);
}

// Judges the pages. Reading checks the small tables alone: a look at the history must not take a
// walk through millions of samples, and SQLite reports a damaged page of the others on reading it.
void CheckIntegrity(sqlite::Connection* connection, const fs::path& path, OpenMode mode) {
  const auto check = [&](const std::string& pragma) {
    const std::string found = connection->ReadText(pragma);
    if (found == "ok") return;
    // The first line may be a heading: "*** in database main ***".
    const std::size_t at = found.starts_with("***") ? found.find('\n') + 1 : 0;
    RefuseDamaged(path, found.substr(at, found.find('\n', at) - at));
  };
  if (mode != OpenMode::kReadOnly) return check("PRAGMA quick_check(1)");
  for (const char* table : {"sqlite_schema", "boards", "environments", "sessions", "edges", "waits",
                            "kernels", "failures", "plans", "plan_environments", "plan_waivers",
                            "plan_routes", "plan_windows", "releases", "published"}) {
    check(fmt::format("PRAGMA quick_check({})", table));
  }
}

bool IsOlder(sqlite::Connection* connection) {
  return connection->ReadInt64("PRAGMA user_version") < SchemaVersion();
}

bool HasBytes(const fs::path& path, std::string_view suffix) {
  std::error_code error;
  fs::path beside = path;
  const auto bytes = fs::file_size(beside += suffix, error);
  return !error && bytes > 0;
}

// Whether another process may have the file open, or a killed one left a log to play back.
bool IsLive(const fs::path& path) { return HasBytes(path, "-wal") || HasBytes(path, "-journal"); }

// What a write changes of a file.
struct Stamp {
  ino_t inode = 0;
  off_t bytes = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const Stamp&) const = default;
};

Stamp StampOf(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_size,
          std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

// A file with a write-ahead log that nobody has open, read without the files of that log, which
// SQLite would make. That takes no lock: reading throws an Error once another process has written.
sqlite::Connection OpenImmutable(const fs::path& path) {
  const Stamp stamp = StampOf(path);
  std::string uri = "file:";
  for (char c : path.string()) {
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", c) : std::string(1, c);
  }
  sqlite::Connection connection(path.string(), uri + "?immutable=1",
                                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX);
  connection.SetAfterRead([path, stamp] {
    if (StampOf(path) == stamp) return;
    Refuse(path, "another process wrote it while it was read: run the command again");
  });
  return connection;
}

bool IsUnchanged(const sqlite::Connection& still) {
  try {
    still.CheckRead();
    return true;
  } catch (const Error&) {
    return false;
  }
}

sqlite::Connection OpenLive(const fs::path& path, int flags) {
  // SQLite would make the index of a log that lacks one.
  if (flags == SQLITE_OPEN_READONLY && HasBytes(path, "-wal") && !HasBytes(path, "-shm")) {
    Refuse(path,
           "its -wal file lacks the -shm file beside it: open it once for writing, with "
           "'fenestra import --db'");
  }
  sqlite::Connection connection(path.string(), path.string(), flags | SQLITE_OPEN_NOMUTEX);
  connection.SetBusyTimeout(kBusyTimeoutMs);
  connection.SetCheckpointOnClose(false);
  return connection;
}

bool LiesOnNetwork(const fs::path& path) {
  struct statfs info {};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::statfs(folder.c_str(), &info) != 0) return false;
  return IsNetworkFileSystem(static_cast<std::uint32_t>(info.f_type));
}

void SetJournal(sqlite::Connection* connection, const fs::path& path) {
  const bool network = LiesOnNetwork(path);
  static std::atomic<bool> said = false;
  if (network && !said.exchange(true)) {
    fmt::print(stderr,
               "fenestra: {} lies on a network file system: using a rollback journal, slower where "
               "several sweeps write it\n",
               path.string());
  }
  // Answers with the mode it has; the old one where another process is using it, which is as good.
  connection->ReadText(network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  connection->Execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");  // 64 MiB
}

// Gives the finished file its name unless another process was first.
void Publish(const fs::path& temporary, const fs::path& path) {
  if (::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST) {
    ::unlink(temporary.c_str());
    return;
  }
  // A file system without hard links.
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return;
  }
  const int error = errno;
  ::unlink(temporary.c_str());
  if (error != EEXIST) Refuse(path, fmt::format("cannot be created: {}", std::strerror(error)));
}

// Creates a whole store under a temporary name first: a killed command leaves no half store, and
// two that start at once use the same one.
void Create(const fs::path& path) {
  fs::path temporary = path;
  temporary += fmt::format(".{}.new", ::getpid());
  std::error_code ignored;
  fs::remove(temporary, ignored);
  {
    sqlite::Connection connection(path.string(), temporary.string(),
                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX);
    SetJournal(&connection, path);
    Migrate(&connection, Migrations());
    sqlite::Transaction transaction(&connection);
    WritePublished(&connection, BuiltInPublished());
    transaction.Commit();
  }
  Publish(temporary, path);
}

// A copy of an older store in memory, brought up to date: who only reads changes no file.
sqlite::Connection UpToDateCopy(sqlite::Connection* older, const fs::path& path) {
  sqlite::Connection copy(
      path.string(), ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX);
  sqlite3_backup* backup = sqlite3_backup_init(copy.get(), "main", older->get(), "main");
  if (backup == nullptr) copy.Fail(sqlite3_errcode(copy.get()));
  (void)sqlite3_backup_step(backup, -1);  // its failure is finish's too
  const int code = sqlite3_backup_finish(backup);
  older->CheckRead();
  if (code != SQLITE_OK) older->Fail(code);
  Migrate(&copy, Migrations());
  CheckIntegrity(&copy, path, OpenMode::kReadOnly);
  return copy;
}

}  // namespace

bool IsNetworkFileSystem(std::uint32_t magic) {
  constexpr std::array<std::uint32_t, 13> kMagics{
      0x00006969,  // NFS
      0x0000517b,  // SMB
      0xfe534d42,  // SMB2
      0xff534d42,  // CIFS
      0x65735546,  // FUSE
      0x01021997,  // 9P
      0x5346414f,  // AFS
      0x6b414653,  // AFS, in-kernel client
      0x73757245,  // Coda
      0x00c36400,  // Ceph
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x7461636f,  // OCFS2
  };
  return std::find(kMagics.begin(), kMagics.end(), magic) != kMagics.end();
}

sqlite::Connection OpenStoreFile(const fs::path& path, OpenMode mode) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (mode != OpenMode::kCreate) {
      Refuse(path,
             "there is no such file: name one with --db, or make one with 'fenestra sweep' or "
             "'fenestra import'");
    }
    Create(path);
  }
  if (!fs::is_regular_file(path, error)) {
    Refuse(path, "it is no plain file: name another with --db");
  }
  const bool uses_log = CheckHeader(path);
  bool sound = false;
  constexpr int kLooks = 3;
  for (int look = 0; look < kLooks && !sound && !IsLive(path); ++look) {
    sqlite::Connection still =
        uses_log ? OpenImmutable(path) : OpenLive(path, SQLITE_OPEN_READONLY);
    try {
      CheckIdentity(&still, path);
      if (mode == OpenMode::kReadOnly && IsOlder(&still)) return UpToDateCopy(&still, path);
      CheckIntegrity(&still, path, mode);
      sound = true;
    } catch (const Error&) {
      // What a writer that came meanwhile left under this look is no damage: look again.
      if (!IsLive(path) && IsUnchanged(still)) throw;
    }
    if (sound && mode == OpenMode::kReadOnly && !IsLive(path)) return still;
  }
  const bool writes = mode != OpenMode::kReadOnly;
  sqlite::Connection connection =
      OpenLive(path, writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  CheckIdentity(&connection, path);
  if (!writes && IsOlder(&connection)) return UpToDateCopy(&connection, path);
  if (!sound) CheckIntegrity(&connection, path, mode);
  if (!writes) {
    // One moment for all that is read: a log lets writers go on meanwhile. A rollback journal would
    // not, so there it is a Snapshot at a time.
    if (uses_log) connection.Execute("BEGIN");
    return connection;
  }
  if (sqlite3_db_readonly(connection.get(), "main") == 1) connection.Fail(SQLITE_READONLY);
  connection.SetCheckpointOnClose(true);
  SetJournal(&connection, path);
  Migrate(&connection, Migrations());
  return connection;
}

}  // namespace fenestra
