// The dynamic programme of window choice, on plain numbers: curves in, segments out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fenestra {

// A program at a sampled row count.
struct SampleCost {
  double log_over_best = 0;  // log(time / best time), 0 when the route is not timed
  double error = 0;          // worst fraction of the budget, breaks ties
};

// Costs of one program over the samples; none where it may not run.
using CostCurve = std::vector<std::optional<SampleCost>>;

// Samples [begin, end) run `program`, an index into the curves.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t program = 0;

  auto operator<=>(const Segment&) const = default;
};

// Each sample's share of the logarithmic range of `rows` (ascending, positive): half the gap to
// either neighbour. They sum to 1; a single sample has all.
std::vector<double> LogWeights(std::span<const std::int64_t> rows);

// The segmentation of least weighted mean of log_over_best in which every segment earns its place:
// however its samples are split between the programs beside it, at some sample that program may not
// run or costs more by over log(1 + noise). (An average over the segment would not do: a program 4
// % faster over an octave, and level with its neighbour over the eight octaves above, is worth its
// window.) Ties go to the smaller weighted mean error, then to the smaller weighted mean place in
// `curves`. Sums are of integers, so no order of addition matters.
//
// REQUIRES: rows is ascending and not empty; each curve has rows.size() entries; every sample has a
// program.
std::vector<Segment> ChooseSegments(std::span<const std::int64_t> rows,
                                    std::span<const CostCurve> curves, double noise);

}  // namespace fenestra
