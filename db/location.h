// Where a store lies: opening, creating and refusing its file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "db/sqlite.h"

namespace fenestra {

enum class OpenMode : int {
  kReadOnly = 0,   // the file must exist; no file is created or changed: an older one is read
                   // through a copy in memory that is brought up to date
  kReadWrite = 1,  // the file must exist; an older schema is migrated
  kCreate = 2,     // as kReadWrite, and a missing file is created
};

// True for the magic numbers (statfs) of network, FUSE and shared file systems, on which the shared
// memory of a write-ahead log cannot be relied on.
bool IsNetworkFileSystem(std::uint32_t magic);

// Opens a store's file. On a local disk its journal is a write-ahead log; on a network file system
// a rollback journal, which is said once a process on stderr. Waits up to 30 s for other processes'
// locks.
//
// kReadOnly reads what was committed at one moment, beside writers too. A file with a write-ahead
// log that nobody had open is read without a lock: reading it throws Error once somebody wrote it.
//
// Throws Error, and leaves the file byte for byte as it was, when it is no SQLite file, another
// program's, of a later schema, or damaged. kReadOnly looks for damage in the small tables; in
// those of times, samples, accuracy and digests it shows, as an Error too, on reading them.
sqlite::Connection OpenStoreFile(const std::filesystem::path& path, OpenMode mode);

}  // namespace fenestra
