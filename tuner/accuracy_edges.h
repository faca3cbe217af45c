// Accuracy edges: the row counts up to which programs stay within a margin of the budget, and where
// to measure next to know them better. Pure functions of evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/readings.h"

namespace fenestra {

// An edge is known well enough when the two row counts beside it are this near to one another.
inline constexpr double kEdgeResolution = 1.0 / 64;

// Up to an edge, and up to the last row count measured where an inexact program has no edge, this
// many of SearchRowCounts next below are measured too: two octaves of them.
inline constexpr std::size_t kSearchedBelow = std::size_t{2} * kSearchRuns;

// A reading this near to the margin, as a share of it, is taken over kInputsNearEdge.
inline constexpr double kCloseShare = 0.9;

// A program's largest error at one row count over all families, reference at its own rstd.
struct EdgeSide {
  std::int64_t rows = 0;
  double worst = 0;  // fraction of the budget
  Family family = Family::kNormal;
  std::int64_t seed = 0;
  std::int64_t column = 0;
  int inputs = 0;  // a family, of the family that has fewest
};

// Measured row counts on both sides. Without `within`: beyond the margin at the first row count
// measured; without `beyond`: within it at all of them.
struct AccuracyEdge {
  double margin = 0;
  std::optional<EdgeSide> within;
  std::optional<EdgeSide> beyond;
  std::optional<EdgeSide> largest;  // of all row counts up to `within`; the first among equals
  // Of SearchRowCounts the kSearchedBelow next below `within`, ascending, and those of them that
  // are not measured yet. Empty without an edge for a program that is exact wherever it was
  // measured: its error is that of one rounding everywhere.
  std::vector<std::int64_t> searched;
  std::vector<std::int64_t> unsearched;
  // Row counts up to `within` with a reading close to the margin, over fewer than kInputsNearEdge.
  std::vector<std::int64_t> close;

  // The row counts are as near as kEdgeResolution asks.
  bool resolved() const;
};

// The lowest edge: up to `within` every measured row count is within the margin. `program` is the
// name that its accuracy is recorded under.
AccuracyEdge FindAccuracyEdge(const AccuracyTable& table, std::string_view program, double margin);

// What to measure next. First a row count between both sides, where the line through them in log
// rows and log error reaches the margin (at least an eighth of the way from either side, so that
// the bracket shrinks whatever the errors do), over kInputsPerFamily inputs; once resolved, or
// without an edge, the `unsearched`, of which one beyond the margin is a lower edge; then the
// `close` and either side over kInputsNearEdge. Empty when nothing is left to learn.
struct EdgeProbe {
  std::int64_t rows = 0;
  int inputs = 0;  // a family

  auto operator<=>(const EdgeProbe&) const = default;
};
std::vector<EdgeProbe> NextProbes(const AccuracyEdge& edge);

// The share beyond a bound at which 19 of 20 looks at `drawn` ones would meet one that is.
double NoticedShare(std::size_t drawn);

}  // namespace fenestra
