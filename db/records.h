// Evidence records: what a sweep measures, with all that is needed to repeat it. Keys are plain
// structs, stored as columns; every field that identifies a measurement is in the key.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "accuracy/protocol.h"
#include "db/name.h"
#include "kernels/route.h"
#include "kernels/window.h"

namespace fenestra {

// Where measurements were made. Identified by `id`, a digest of all other fields.
struct Environment {
  std::string id;        // 16 hex digits
  std::string gpu;       // product name; "none" for the host model
  std::string driver;    // "580.159.04"; "none"
  std::string toolkit;   // CUDA runtime the build used, "13.0"; "none"
  std::string compiler;  // "nvcc 13.0.88, g++ 12.2.0"
  std::string host;      // "x86_64", "aarch64"
  std::string commit;    // of the sources; "unknown" outside a repository
  int sm_clock_mhz_max = 0;
  int memory_clock_mhz_max = 0;

  auto operator<=>(const Environment&) const = default;
};

// Fills in `id` from the other fields.
Environment WithId(Environment environment);

// One program timed in one process at one row count: 4 rounds of 20 calls.
struct TimeKey {
  Name board;  // measured on, e.g. "h200_132"
  Route route;
  View view = View::kRows;
  std::int64_t rows = 0;
  Name program;  // a program's name, or "stream" for the floor
  Name environment;
  int session = 0;
  int process = 0;

  auto operator<=>(const TimeKey&) const = default;
};

struct TimeRecord {
  TimeKey key;
  std::int64_t median_ns = 0;  // of the union of the call's kernel intervals
  std::int64_t min_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t span_median_ns = 0;  // first start to last end
  int calls = 0;
  int rounds_discarded = 0;  // repeated because the clock was lowered
  int sm_clock_mhz = 0;      // around the samples
  int memory_clock_mhz = 0;
  std::string samples_digest;  // of the samples, 16 hex digits

  auto operator<=>(const TimeRecord&) const = default;
};

// Samples of one TimeRecord, in call order, kept in the database only.
struct Sample {
  int round = 0;
  int call = 0;
  std::int64_t union_ns = 0;
  std::int64_t span_ns = 0;
  int sm_clock_mhz = 0;
  int memory_clock_mhz = 0;

  auto operator<=>(const Sample&) const = default;
};

// dw error of one program at one row count over the inputs of one family. dw does not depend on the
// weight, so the BF16 and FP32 twins share a record; nor on the view, so H 256 rows are counted
// once.
struct AccuracyKey {
  Name board;  // whose row split was run
  int width = 0;
  std::int64_t rows = 0;
  Name program;  // a program's name, or "eager" for the comparator
  Family family = Family::kNormal;
  Reference reference = Reference::kOwnRstd;
  int inputs = 0;  // seeds 0 .. inputs-1
  int protocol = kProtocolVersion;

  auto operator<=>(const AccuracyKey&) const = default;
};

struct AccuracyRecord {
  AccuracyKey key;
  double worst = 0;  // largest fraction of the budget over inputs and columns
  std::int64_t worst_column = 0;
  std::int64_t worst_seed = 0;
  double median = 0;      // over inputs, of each input's worst
  bool stood_in = false;  // run elsewhere than on the board
  Name environment;

  auto operator<=>(const AccuracyRecord&) const = default;
};

// Digest (accuracy/digest.h) of one program's dw at one row count and seed of the normal family.
struct DigestKey {
  Name board;
  int width = 0;
  std::int64_t rows = 0;
  Name program;
  std::int64_t seed = 0;
  int protocol = kProtocolVersion;

  auto operator<=>(const DigestKey&) const = default;
};

struct DigestRecord {
  DigestKey key;
  std::string dw;  // 16 hex digits

  auto operator<=>(const DigestRecord&) const = default;
};

// Outputs of two programs compared at an edge: both run at `rows` (the edge) and `rows` + 1.
struct EdgeKey {
  Name board;
  Route route;
  std::int64_t rows = 0;
  Name below;
  Name above;

  auto operator<=>(const EdgeKey&) const = default;
};

struct EdgeRecord {
  EdgeKey key;
  EdgeClasses classes;
  Name environment;

  auto operator<=>(const EdgeRecord&) const = default;
};

// Does a program start beside a kernel that holds this much shared memory per CTA on every SM?
// Asked of a call of 4096 rows with FP32 weights; waiting may be for registers as well as for
// memory.
struct WaitKey {
  Name board;
  Name program;
  int beside_kib = 0;  // 100 or 132
  Name environment;

  auto operator<=>(const WaitKey&) const = default;
};

struct WaitRecord {
  WaitKey key;
  bool waits = false;

  auto operator<=>(const WaitRecord&) const = default;
};

// What the compiler made of a program's main kernel for a weight dtype.
struct KernelKey {
  Name board;
  Name program;
  Dtype weight = Dtype::kBf16;
  Name environment;

  auto operator<=>(const KernelKey&) const = default;
};

struct KernelRecord {
  KernelKey key;
  int registers = 0;     // per thread
  int spill_bytes = 0;   // local memory per thread: no program has arrays there
  int shared_bytes = 0;  // static and dynamic, per CTA

  auto operator<=>(const KernelRecord&) const = default;
};

// A measurement that could not be made: the program faulted, hung or was refused.
struct FailureRecord {
  Name board;
  Route route;
  View view = View::kRows;
  std::int64_t rows = 0;
  Name program;
  std::string reason;  // one line
  Name environment;

  auto operator<=>(const FailureRecord&) const = default;
};

// A published figure (shared tables of the source documents), kept as it was printed.
struct PublishedRecord {
  std::string table;      // "timings", "edges", "small_t_cuts", "accuracy_points", "costs"
  std::int64_t line = 0;  // row of the table, from 1
  std::string pr;         // "#8293"
  std::string arch;       // "sm_100a"
  int width = 0;
  std::string json;  // every column, as an object

  auto operator<=>(const PublishedRecord&) const = default;
};

}  // namespace fenestra
