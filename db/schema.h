// The SQLite schema and its migrations.
//
// Keys are columns. Enums are stored in their ToString form, booleans as 0 or 1, digests as hex
// text, fractions and ratios as REAL, times in nanoseconds. Tables are STRICT. A route is five
// columns: pass, residual, weight, width, determinism.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "db/sqlite.h"

namespace fenestra {

// "FNST": tells a store from another program's SQLite file (PRAGMA application_id).
inline constexpr std::int32_t kApplicationId = 0x464e5354;

// Migrations in order: number i takes a file from version i to i + 1. Append only; a released one
// never changes.
std::span<const std::string_view> Migrations();

// The version this build reads and writes (PRAGMA user_version).
inline int SchemaVersion() { return static_cast<int>(Migrations().size()); }

// Brings the file to version migrations.size() in one transaction; nothing happens when it is
// there. REQUIRES: the file is a store of no later version.
void Migrate(sqlite::Connection* connection, std::span<const std::string_view> migrations);

}  // namespace fenestra
