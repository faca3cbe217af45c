// Published accuracy readings that name a board and one row count, so that the same place can be
// measured here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accuracy/protocol.h"
#include "db/records.h"
#include "kernels/board.h"

namespace fenestra {

struct PublishedPoint {
  std::string source;  // the pull request, "#8253"
  const Board* board = nullptr;
  int width = 0;
  std::int64_t rows = 0;
  std::string weight;     // "w16", "w32", "both"; "" where not stated
  std::string statistic;  // "worst", "median", ...
  std::string program;
  Reference reference = Reference::kOwnRstd;  // "fp64 at kernel rstd", or "at torch rstd"
  double fraction = 0;                        // of the budget
  std::optional<double> comparator;           // the FP32 eager reduction's there, where stated
};

// Of the table accuracy_points; rows that give a range of row counts, no width or a board that is
// not known are left out. Throws Error on cells that cannot be read.
std::vector<PublishedPoint> PublishedPoints(const std::vector<PublishedRecord>& published);

// How many accuracy readings were published for a board's arch, and for its SM count where one is
// stated, that are no such point: of a range of row counts, or of no one width.
std::size_t PublishedWithoutPlace(const std::vector<PublishedRecord>& published,
                                  const Board& board);

}  // namespace fenestra
