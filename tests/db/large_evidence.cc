#include "large_evidence.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/protocol.h"
#include "db/digest.h"
#include "db/text.h"
#include "kernels/program_list.h"

namespace fenestra::large {
namespace {

constexpr int kEnvironments = 4;
constexpr int kSessions = 4;   // of an environment before the next one's turn
constexpr int kProcesses = 5;  // of a session
constexpr std::string_view kFloor = "stream";
constexpr std::string_view kComparator = "eager";

Environment EnvironmentOf(const Board& board, int number) {
  return WithId({.id = {},
                 .gpu = std::string(board.product),
                 .driver = fmt::format("580.{}.{}", board.sm_count, number),
                 .toolkit = "13.0",
                 .compiler = "nvcc 13.0.88, GNU 12.2.0",
                 .host = "x86_64",
                 .commit = fmt::format("{:07x}", number),
                 .sm_clock_mhz_max = 1980,
                 .memory_clock_mhz_max = 3201});
}

std::string NameAt(int index) { return std::string(ProgramName(kPrograms[index]).view()); }

// From 0 up to 1, of a text: noise that is the same in every run.
double NoiseOf(std::string_view text) {
  return static_cast<double>(Fnv1a(text) % 1000003) / 1000003;
}

// A route's programs, the floor first.
std::vector<std::string> ProgramsOf(const Route& route) {
  std::vector<std::string> names{std::string(kFloor)};
  for (int index = 0; index < kProgramCount; ++index) {
    if (Serves(kPrograms[index], route)) names.push_back(NameAt(index));
  }
  return names;
}

// The backward programs of a width whose dw is recorded, the comparator first.
std::vector<std::string> MeasuredAt(int width) {
  std::vector<std::string> names{std::string(kComparator)};
  for (int index = 0; index < kProgramCount; ++index) {
    const Program& program = kPrograms[index];
    if (program.pass != Pass::kBackward || program.width != width) continue;
    if (DwTwinName(index).view() == NameAt(index)) names.push_back(NameAt(index));
  }
  return names;
}

// The row counts of the protocol, over 60 inputs and then over 200: more accuracy than that no
// sweep records, since it is the same in every session.
struct Place {
  std::int64_t rows = 0;
  int inputs = 0;
};
std::vector<Place> Places() {
  std::vector<Place> places;
  for (int inputs : {kInputsPerFamily, kInputsNearEdge}) {
    for (std::int64_t rows : TokenCounts(Profile::kFull)) places.push_back({rows, inputs});
  }
  return places;
}

class Builder {
 public:
  Builder(const Board& board, Evidence* evidence) : board_(board.name), evidence_(*evidence) {
    for (int i = 0; i < kEnvironments; ++i) {
      evidence->environments.push_back(EnvironmentOf(board, i));
      environments_.push_back(evidence->environments.back().id);
    }
  }

  void AddTimes(std::int64_t count) {
    std::vector<std::pair<Route, std::vector<std::string>>> all;
    for (const Route& route : AllRoutes()) all.emplace_back(route, ProgramsOf(route));
    const std::vector<std::int64_t> rows = TimedTokenCounts(Profile::kFull);
    for (int run = 0;; ++run) {
      for (const auto& [route, programs] : all) {
        for (std::int64_t row_count : rows) {
          for (const std::string& program : programs) {
            if (count-- == 0) return;
            AddTime(route, row_count, program, run);
          }
        }
      }
    }
  }

  // Up to `count`; returns how many.
  std::int64_t AddAccuracy(std::int64_t count) {
    std::int64_t added = 0;
    std::vector<std::pair<int, std::vector<std::string>>> all;
    for (int width : kWidths) all.emplace_back(width, MeasuredAt(width));
    for (const Place& place : Places()) {
      for (const auto& [width, programs] : all) {
        for (const std::string& program : programs) {
          for (Family family : kFamilies) {
            for (Reference reference : {Reference::kOwnRstd, Reference::kEagerRstd}) {
              if (added == count) return added;
              AddReading(width, program, family, reference, place);
              ++added;
            }
          }
        }
      }
    }
    return added;
  }

  // One of every other kind.
  void AddTheRest() {
    const std::string ring = MeasuredAt(4096).at(1);
    const std::string dual = MeasuredAt(4096).at(2);
    const Route route{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 4096};
    const std::string& environment = environments_.front();
    evidence_.digests.push_back(
        {.key = {.board = board_, .width = 4096, .rows = 64, .program = ring, .seed = 0},
         .dw = HexDigest(board_)});
    evidence_.edges.push_back(
        {.key = {.board = board_, .route = route, .rows = 64, .below = ring, .above = dual},
         .classes = {.dw = EdgeClass::kDiffers},
         .environment = environment});
    evidence_.waits.push_back({.key = {board_, ring, 100, environment}, .waits = true});
    evidence_.kernels.push_back({.key = {board_, ring, Dtype::kFp32, environment},
                                 .registers = 128,
                                 .spill_bytes = 0,
                                 .shared_bytes = 98304});
    evidence_.failures.push_back({.board = board_,
                                  .route = route,
                                  .rows = 3,
                                  .program = dual,
                                  .reason = "timed out",
                                  .environment = environment});
  }

 private:
  void AddTime(const Route& route, std::int64_t rows, const std::string& program, int run) {
    const int session = run / kProcesses;
    TimeRecord record;
    record.key = {.board = board_,
                  .route = route,
                  .rows = rows,
                  .program = program,
                  .environment = environments_.at(session / kSessions % kEnvironments),
                  .session = session,
                  .process = run % kProcesses};
    const double bytes = 6.0 * static_cast<double>(rows) * route.width;
    const double over_floor = program == kFloor ? 1 : 1.01 + 0.5 * NoiseOf(program);
    const double jitter = 1 + 0.01 * NoiseOf(fmt::format("{}{}{}", program, rows, run));
    record.median_ns = static_cast<std::int64_t>((1000 + bytes / 4) * over_floor * jitter);
    record.min_ns = record.median_ns - record.median_ns / 100;
    record.p90_ns = record.median_ns + record.median_ns / 50;
    record.span_median_ns = record.median_ns;
    record.calls = 80;
    record.sm_clock_mhz = 1980;
    record.memory_clock_mhz = 3201;
    record.samples_digest = HexDigest(fmt::format("{}{}", program, record.median_ns));
    evidence_.times.push_back(std::move(record));
  }

  // The comparator grows like the root of the rows, and programs stay below it.
  void AddReading(int width, const std::string& program, Family family, Reference reference,
                  const Place& place) {
    const double growth = std::sqrt(static_cast<double>(place.rows)) / 1024;
    const double share = program == kComparator ? 1 : 0.1 + 0.8 * NoiseOf(program);
    AccuracyRecord record;
    record.key = {.board = board_,
                  .width = width,
                  .rows = place.rows,
                  .program = program,
                  .family = family,
                  .reference = reference,
                  .inputs = place.inputs};
    record.worst = RoundFraction(growth * share);
    record.median = RoundFraction(growth * share / 2);
    record.worst_column = static_cast<std::int64_t>(Fnv1a(program) % 256);
    record.worst_seed = static_cast<std::int64_t>(Fnv1a(program) % 59);
    record.environment = environments_.front();
    evidence_.accuracy.push_back(std::move(record));
  }

  std::string board_;
  Evidence& evidence_;
  std::vector<std::string> environments_;
};

}  // namespace

Evidence LargeEvidence(std::int64_t measurements, std::span<const Board> boards) {
  Evidence evidence;
  const std::int64_t each = measurements / std::ssize(boards);
  for (const Board& board : boards) {
    Builder builder(board, &evidence);
    // What does not divide goes to the first.
    const std::int64_t count =
        each + (&board == &boards.front() ? measurements - each * std::ssize(boards) : 0);
    builder.AddTimes(count - builder.AddAccuracy(count / 2));
    builder.AddTheRest();
  }
  Sort(&evidence);
  return evidence;
}

}  // namespace fenestra::large
