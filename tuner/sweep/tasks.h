// What a sweep measures: its comparison groups, as plain data. One task is one transaction in the
// store, and a task whose evidence is there already is not run again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/protocol.h"
#include "db/evidence.h"
#include "kernels/board.h"
#include "kernels/route.h"

namespace fenestra {

// Programs of one route timed against one another, and against the streaming floor, at one row
// count in one process.
struct TimeTask {
  Route route;
  View view = View::kRows;
  std::int64_t tokens = 0;
  std::vector<int> programs;  // indices into kPrograms
  int session = 0;
  int process = 0;

  std::int64_t rows() const { return tokens * HeadsOf(view); }
};

// dw error of programs of one width at one row count, over the inputs of one family.
struct AccuracyTask {
  int width = 0;
  std::int64_t rows = 0;
  Family family = Family::kNormal;
  int inputs = 0;
  std::vector<int> programs;
};

// The outputs of two programs compared on both sides of an edge.
struct EdgeTask {
  Route route;
  std::int64_t rows = 0;
  int below = -1;
  int above = -1;
};

// How programs of one width launch: registers and spills for both weight dtypes, and whether a call
// of kLaunchRows rows with kLaunchWeight weights starts beside a kernel that holds kBesideKib of
// shared memory in a CTA on every SM.
struct LaunchTask {
  int width = 0;
  std::vector<int> programs;
};
inline constexpr std::int64_t kLaunchRows = 4096;
inline constexpr Dtype kLaunchWeight = Dtype::kFp32;
inline constexpr std::array kBesideKib{100, 132};

// Name of a program, an index into kPrograms.
std::string NameAt(int program);

// Whether the tuner measures a program at this row count. The dual-role grid reads every row once
// per column slab, in few CTAs: beyond kDualRowsMax rows it is out of the running.
inline constexpr std::int64_t kDualRowsMax = 4096;
bool IsMeasuredAt(int program, std::int64_t rows);

// Programs that serve a route and are measured at `rows`; backward programs of a width, of those
// that share their dw the first (DwTwinOf).
std::vector<int> ProgramsOf(const Route& route, std::int64_t rows);
std::vector<int> BackwardProgramsOf(int width, std::int64_t rows);

// The screening session: every program of the routes, at the profile's row counts, in all views.
std::vector<TimeTask> ScreeningTasks(const std::vector<Route>& routes, Profile profile);

// Formal session `session` (1 or more) of one process: at each screened row count the programs that
// may be routed there, which are those within kFormalBand of the fastest, and of the fastest within
// kExactFraction (tuner/readings.h) of the budget. `evidence` holds the screening and the accuracy.
// Where there is a screening of this environment (an id), others are not looked at: they may be of
// other sources. A full sweep runs kFormalSessions.
inline constexpr int kFormalSessions = 4;
inline constexpr double kFormalBand = 0.025;
std::vector<TimeTask> FormalTasks(const std::vector<TimeTask>& screening, const Evidence& evidence,
                                  std::string_view environment, int session);

// Widths of the backward routes among `routes`.
std::set<int> BackwardWidths(const std::vector<Route>& routes);

// Accuracy of every width that a backward route among `routes` has, smallest row counts first. The
// row counts of H 256 are those of all its views. But for a quick profile, the row counts at which
// an error was published for the board come on top (db/published_points.h).
std::vector<AccuracyTask> AccuracyTasks(const std::vector<Route>& routes, Profile profile,
                                        std::string_view board);

// A row count at which a backward program's accuracy is asked for; of those that share their dw the
// first (DwTwinOf).
struct AccuracyProbe {
  int program = -1;
  std::int64_t rows = 0;
};

// Those probes over kInputsPerFamily inputs of every family, programs of one width and row count
// together.
std::vector<AccuracyTask> ProbeTasks(const std::vector<AccuracyProbe>& probes);

// The next round of the search for accuracy edges of the widths of backward routes among `routes`:
// for each program and margin what NextProbes asks for, in all families, programs of one probe
// together. `evidence` holds the survey and earlier rounds. Empty when every edge is known.
std::vector<AccuracyTask> EdgeSearchTasks(const std::vector<Route>& routes,
                                          const Evidence& evidence, std::string_view board,
                                          const std::vector<double>& margins);

// One task a width, of every program that serves one of the routes.
std::vector<LaunchTask> LaunchTasks(const std::vector<Route>& routes);

// Whether dw digests, and the error against the reference at the eager rstd, are recorded at a row
// count: where times are taken, and where a reading against that reference was published. The
// rounding of rstd, which that error adds, is no program's doing and moves slowly with rows, and
// evidence is to stay small enough to review.
bool RecordsAllAt(int width, std::int64_t rows);

// Relative cost of a task, in seconds on an H200, for the estimate of what remains.
double CostOf(const TimeTask& task);
double CostOf(const AccuracyTask& task);
double CostOf(const LaunchTask& task);

}  // namespace fenestra
