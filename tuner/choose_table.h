// All that window choice knows of one route: its programs over its sampled row counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/evidence.h"
#include "tuner/choose.h"
#include "tuner/readings.h"

namespace fenestra {

// One program at one sampled row count, and at those below it down to the next sampled one.
struct Cell {
  bool timed = false;        // a candidate by time; true throughout on a route without times
  double log_over_best = 0;  // see RelativeTime; 0 on a route without times
  std::optional<double> log_over_stream;
  double worst = 0;  // largest fraction of the budget read for the cell; 0 forward
  // The largest that was measured at the cell's own row counts, and where; 0 where none was.
  double own_worst = 0;
  std::int64_t own_worst_rows = 0;
  bool stood_in = false;         // that accuracy was run elsewhere than on the board
  std::optional<Waiver> waiver;  // that it rests on
  std::optional<Reading> failure;

  bool admissible() const { return timed && !failure; }
};

// All that accuracy evidence says of a program over row counts (after, rows].
struct AccuracyAt {
  // AccuracyTable::PlacesFor of `rows`, and the other measured ones above `after`; ascending.
  std::vector<std::int64_t> places;
  std::vector<Reading> readings;            // at every place, in order
  std::optional<AccuracyRecord> worst;      // the largest error, reference at its own rstd
  std::optional<AccuracyRecord> own_worst;  // the same of places in (after, rows]
  std::optional<Waiver> waiver;             // that a passing reading rests on
  std::optional<Reading> failure;           // WorstFailure of the readings
  bool stood_in = false;
};

// The program's lowest accuracy edge on the route: the first measured row count at which its worst
// error is beyond the margin, or beyond what a waiver allows there. None without one.
std::optional<std::int64_t> AccuracyEnd(const AccuracyTable& accuracy, const ChooseOptions& options,
                                        const Route& route, int program);

// `end`: AccuracyEnd of the program. From there on it may not run, whatever is read at `rows`: the
// readings then hold those by which it fails at `end`.
AccuracyAt ReadAccuracy(const AccuracyTable& accuracy, const ChooseOptions& options,
                        const Route& route, int program, std::int64_t after, std::int64_t rows,
                        std::optional<std::int64_t> end);

struct RouteTable {
  std::string board;
  Route route;
  bool timed = false;                    // the route has times, on the board or its lender
  std::string timed_on;                  // which of the two they are of
  std::vector<std::string> names;        // programs, in list order
  std::vector<int> programs;             // their indices in kPrograms
  std::vector<std::int64_t> rows;        // sampled row counts, ascending
  std::vector<double> weights;           // LogWeights(rows)
  std::vector<std::vector<Cell>> cells;  // [program][sample]

  bool borrows() const { return timed_on != board; }
};

// The table of a route, or none when there is no evidence to choose from: no time and, backward, no
// accuracy either. A forward route has no accuracy evidence of its own; on a board without any time
// it is planned where the width has accuracy evidence.
//
// Sampled row counts are those timed or, backward, measured for the accuracy of a program without
// an accuracy edge at the margin, and both sides of such edges, up to the last that has both
// (forward, or where one is missing altogether: the last of the other). Below the first timed row
// count its times hold. Whose accuracy holds where: AccuracyTable::PlacesFor.
std::optional<RouteTable> BuildTable(const Evidence& evidence, const ChooseOptions& options,
                                     const Route& route, const AccuracyTable& accuracy);

// The same table of those programs that may run in place.
RouteTable InPlaceTable(const RouteTable& table);

}  // namespace fenestra
