#include "db/plan.h"

#include <fmt/format.h>

#include "kernels/route.h"

namespace fenestra {

std::string RowsText(std::int64_t lo, std::int64_t hi) {
  return hi == kMaxRows ? fmt::format("({}, max]", lo) : fmt::format("({}, {}]", lo, hi);
}

}  // namespace fenestra
