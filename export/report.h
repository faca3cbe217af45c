// What a report shows: boards with times and errors over rows per route, windows, and what is
// uncertain; and how edges moved. Filled by tuner/report.h, written by export/report_html.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/history.h"
#include "db/plan.h"
#include "db/records.h"

namespace fenestra {

// Times of one view, each the median of paired processes (tuner/choose_times.h), in nanoseconds and
// in step with `rows`; 0 where there is none.
struct ReportTimes {
  View view = View::kRows;
  std::vector<std::int64_t> rows;  // ascending
  std::vector<std::int64_t> stream_ns;
  std::vector<std::vector<std::int64_t>> program_ns;  // [ReportRoute::programs]
};

// The largest dw error of a program at a row count, over all families; reference at its own rstd.
struct ReportError {
  std::int64_t rows = 0;
  double worst = 0;  // fraction of the budget
  Family family = Family::kNormal;
  std::int64_t seed = 0;
  std::int64_t column = 0;
  int inputs = 0;
};

struct ReportErrorCurve {
  std::string program;  // whose dw the programs of a group share (ReportProgram), or the comparator
  std::vector<ReportError> points;  // by rows
};

// Accuracy of one width. Routes of both weight dtypes, with and without residual, share it.
struct ReportErrors {
  int width = 0;
  std::vector<ReportErrorCurve> curves;
};

struct ReportProgram {
  std::string name;
  std::string measured_as;  // the ReportErrorCurve with its accuracy; "" forward

  bool operator==(const ReportProgram&) const = default;
};

struct ReportRoute {
  Route route;
  std::vector<ReportProgram> programs;  // with times or errors, in list order
  std::vector<ReportTimes> times;       // by view
  std::string timed_on;                 // the board whose times they are: this one, or its lender
  std::optional<RoutePlan> plan;
  std::string no_plan;  // why there is none
};

// Kinds of what a reader should not take for certain, gravest first. Printed values: append only.
enum class DoubtKind : int {
  kNoWindows = 0,
  kStalePlan = 1,  // chosen from other evidence
  kNotStored = 2,  // chosen for the report
  kFailure = 3,    // a measurement could not be made
  kNotTimed = 4,
  kBorrowed = 5,   // time or accuracy is another board's
  kStoodIn = 6,    // accuracy was run elsewhere
  kUnclassed = 7,  // outputs were not compared at an edge
  kNearMargin = 8,
  kWaived = 9,
  kFewInputs = 10,
  kFewSessions = 11,
  kDiscarded = 12,     // rounds repeated at a lowered clock
  kEnvironments = 13,  // more than one
  kUnqualified = 14,   // above the largest sampled row count
};
std::string_view ToString(DoubtKind kind);  // "no windows", "plan out of date", ...
std::optional<DoubtKind> ParseDoubtKind(std::string_view text);

struct ReportDoubt {
  DoubtKind kind = DoubtKind::kNoWindows;
  std::string rows;           // "(0, 64]", "4096"; "" where it is about all
  std::string program;        // "" where it is about no one program
  std::string text;           // one clause
  std::string remedy;         // one clause; "" where there is none
  std::vector<Route> routes;  // empty: the board

  auto operator<=>(const ReportDoubt&) const = default;
};

struct ReportBoard {
  std::string name;
  double margin = 0;
  double noise = 0;
  std::string evidence;   // DigestOf
  std::string plan_name;  // "plan 3"; "" where none is stored
  std::vector<Waiver> waivers;
  std::vector<Environment> environments;
  std::vector<ReportRoute> routes;
  std::vector<ReportErrors> errors;  // by width
  std::vector<ReportDoubt> doubts;   // by kind; those that differ in routes alone are one
};

struct Report {
  std::vector<ReportBoard> boards;
  std::vector<HistoryEntry> history;  // oldest first
};

// Sorts doubts, and makes one of those that differ in their routes alone.
void MergeDoubts(std::vector<ReportDoubt>* doubts);

}  // namespace fenestra
