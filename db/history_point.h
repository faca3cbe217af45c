// A published accuracy point with what decides which edges it supports.
#pragma once

#include <string>

#include "db/history.h"

namespace fenestra {

struct RangedPoint {
  Arch arch = Arch::kSm90a;
  int width = 0;  // 0: not stated
  std::string pass;
  std::string unit;
  std::int64_t first = 0;  // row count, or the ends of a range; 0 where the text gives neither
  std::int64_t last = 0;
  HistoryPoint shown;
};

// REQUIRES: a row of the table accuracy_points.
RangedPoint RangedPointOf(const PublishedRecord& record);

}  // namespace fenestra
