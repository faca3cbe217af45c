#include "db/schema.h"

#include <fmt/format.h>

#include <array>

namespace fenestra {
namespace {

// Columns are named as in db/fields.h. Unique keys start with what queries ask for: a comparison
// group (times, failures), a program's curve (accuracy, digests). In tables without rowid the key's
// columns come first, in the key's order: quick_check of SQLite 3.40 misreads others.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE boards (
  name TEXT PRIMARY KEY, arch TEXT NOT NULL, sm_count INTEGER NOT NULL, product TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE environments (
  id TEXT PRIMARY KEY, gpu TEXT NOT NULL, driver TEXT NOT NULL, toolkit TEXT NOT NULL,
  compiler TEXT NOT NULL, host TEXT NOT NULL, "commit" TEXT NOT NULL,
  sm_clock_mhz_max INTEGER NOT NULL, memory_clock_mhz_max INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  board TEXT NOT NULL, environment TEXT NOT NULL, session INTEGER NOT NULL,
  PRIMARY KEY (board, environment, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE times (
  id INTEGER PRIMARY KEY,
  board TEXT NOT NULL, pass TEXT NOT NULL, residual INTEGER NOT NULL, weight TEXT NOT NULL,
  width INTEGER NOT NULL, determinism TEXT NOT NULL, view TEXT NOT NULL, rows INTEGER NOT NULL,
  program TEXT NOT NULL, environment TEXT NOT NULL, session INTEGER NOT NULL,
  process INTEGER NOT NULL,
  median_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL, p90_ns INTEGER NOT NULL,
  span_median_ns INTEGER NOT NULL, calls INTEGER NOT NULL, rounds_discarded INTEGER NOT NULL,
  sm_clock_mhz INTEGER NOT NULL, memory_clock_mhz INTEGER NOT NULL, samples_digest TEXT NOT NULL,
  UNIQUE (board, pass, residual, weight, width, determinism, view, rows, environment, session,
          program, process)
) STRICT;

CREATE TABLE samples (
  time INTEGER NOT NULL REFERENCES times (id) ON DELETE CASCADE,
  round INTEGER NOT NULL, call INTEGER NOT NULL, union_ns INTEGER NOT NULL,
  span_ns INTEGER NOT NULL, sm_clock_mhz INTEGER NOT NULL, memory_clock_mhz INTEGER NOT NULL,
  PRIMARY KEY (time, round, call)
) STRICT, WITHOUT ROWID;

CREATE TABLE accuracy (
  board TEXT NOT NULL, width INTEGER NOT NULL, program TEXT NOT NULL, rows INTEGER NOT NULL,
  family TEXT NOT NULL, reference TEXT NOT NULL, inputs INTEGER NOT NULL,
  protocol INTEGER NOT NULL,
  worst REAL NOT NULL, worst_column INTEGER NOT NULL, worst_seed INTEGER NOT NULL,
  median REAL NOT NULL, stood_in INTEGER NOT NULL, environment TEXT NOT NULL,
  PRIMARY KEY (board, width, program, rows, family, reference, inputs, protocol)
) STRICT, WITHOUT ROWID;

CREATE TABLE digests (
  board TEXT NOT NULL, width INTEGER NOT NULL, program TEXT NOT NULL, rows INTEGER NOT NULL,
  seed INTEGER NOT NULL, protocol INTEGER NOT NULL, dw TEXT NOT NULL,
  PRIMARY KEY (board, width, program, rows, seed, protocol)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
  board TEXT NOT NULL, pass TEXT NOT NULL, residual INTEGER NOT NULL, weight TEXT NOT NULL,
  width INTEGER NOT NULL, determinism TEXT NOT NULL, rows INTEGER NOT NULL, below TEXT NOT NULL,
  above TEXT NOT NULL,
  y TEXT NOT NULL, rstd TEXT NOT NULL, residual_out TEXT NOT NULL, dx TEXT NOT NULL,
  dw TEXT NOT NULL, environment TEXT NOT NULL,
  PRIMARY KEY (board, pass, residual, weight, width, determinism, rows, below, above)
) STRICT, WITHOUT ROWID;

CREATE TABLE waits (
  board TEXT NOT NULL, program TEXT NOT NULL, beside_kib INTEGER NOT NULL,
  waits INTEGER NOT NULL, environment TEXT NOT NULL,
  PRIMARY KEY (board, program, beside_kib)
) STRICT, WITHOUT ROWID;

CREATE TABLE failures (
  board TEXT NOT NULL, pass TEXT NOT NULL, residual INTEGER NOT NULL, weight TEXT NOT NULL,
  width INTEGER NOT NULL, determinism TEXT NOT NULL, view TEXT NOT NULL, rows INTEGER NOT NULL,
  environment TEXT NOT NULL, program TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (board, pass, residual, weight, width, determinism, view, rows, environment, program,
               reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
  id INTEGER PRIMARY KEY AUTOINCREMENT, board TEXT NOT NULL, margin REAL NOT NULL,
  noise REAL NOT NULL, evidence TEXT NOT NULL
) STRICT;
CREATE INDEX plans_of_board ON plans (board, id);

CREATE TABLE plan_environments (
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  environment TEXT NOT NULL,
  PRIMARY KEY (plan, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_waivers (
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  pass TEXT NOT NULL, residual INTEGER NOT NULL, weight TEXT NOT NULL, width INTEGER NOT NULL,
  determinism TEXT NOT NULL, rows INTEGER NOT NULL, program TEXT NOT NULL,
  fraction REAL NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (plan, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_routes (
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  pass TEXT NOT NULL, residual INTEGER NOT NULL, weight TEXT NOT NULL, width INTEGER NOT NULL,
  determinism TEXT NOT NULL, qualified_rows INTEGER NOT NULL,
  PRIMARY KEY (plan, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_windows (
  plan INTEGER NOT NULL, route INTEGER NOT NULL, in_place INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lo INTEGER NOT NULL, hi INTEGER NOT NULL, program TEXT NOT NULL, edge TEXT NOT NULL,
  y TEXT NOT NULL, rstd TEXT NOT NULL, residual_out TEXT NOT NULL, dx TEXT NOT NULL,
  dw TEXT NOT NULL, time TEXT NOT NULL, accuracy TEXT NOT NULL, reason TEXT NOT NULL,
  worst REAL NOT NULL, worst_rows INTEGER NOT NULL, over_stream REAL NOT NULL,
  over_best REAL NOT NULL,
  PRIMARY KEY (plan, route, in_place, position),
  FOREIGN KEY (plan, route) REFERENCES plan_routes (plan, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE releases (
  name TEXT NOT NULL, board TEXT NOT NULL, plan INTEGER NOT NULL REFERENCES plans (id),
  header_digest TEXT NOT NULL, "commit" TEXT NOT NULL,
  PRIMARY KEY (name, board)
) STRICT, WITHOUT ROWID;

CREATE TABLE published (
  source TEXT NOT NULL, line INTEGER NOT NULL, pr TEXT NOT NULL, arch TEXT NOT NULL,
  width INTEGER NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (source, line)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE kernels (
  board TEXT NOT NULL, program TEXT NOT NULL, weight TEXT NOT NULL, environment TEXT NOT NULL,
  registers INTEGER NOT NULL, spill_bytes INTEGER NOT NULL, shared_bytes INTEGER NOT NULL,
  PRIMARY KEY (board, program, weight, environment)
) STRICT, WITHOUT ROWID;

CREATE TABLE waits_by_environment (
  board TEXT NOT NULL, program TEXT NOT NULL, beside_kib INTEGER NOT NULL,
  environment TEXT NOT NULL, waits INTEGER NOT NULL,
  PRIMARY KEY (board, program, beside_kib, environment)
) STRICT, WITHOUT ROWID;
INSERT INTO waits_by_environment
  SELECT board, program, beside_kib, environment, waits FROM waits;
DROP TABLE waits;
ALTER TABLE waits_by_environment RENAME TO waits;
)sql";

constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE plans ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr std::string_view kVersion4 = R"sql(
ALTER TABLE releases ADD COLUMN date TEXT NOT NULL DEFAULT '';
)sql";

constexpr std::array kMigrations{kVersion1, kVersion2, kVersion3, kVersion4};

}  // namespace

std::span<const std::string_view> Migrations() { return kMigrations; }

void Migrate(sqlite::Connection* connection, std::span<const std::string_view> migrations) {
  const auto latest = static_cast<std::int64_t>(migrations.size());
  if (connection->ReadInt64("PRAGMA user_version") == latest) return;
  sqlite::Transaction transaction(connection);
  // Again under the lock: another process may have migrated in between.
  const std::int64_t version = connection->ReadInt64("PRAGMA user_version");
  for (std::int64_t next = version; next < latest; ++next) {
    connection->Execute(std::string(migrations[static_cast<std::size_t>(next)]));
  }
  connection->Execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  connection->Execute(fmt::format("PRAGMA user_version = {}", latest));
  transaction.Commit();
}

}  // namespace fenestra
