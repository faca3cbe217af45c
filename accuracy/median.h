// The median, as every figure here takes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fenestra {

// The mean of the middle two of an even number of values. REQUIRES: at least one.
inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

}  // namespace fenestra
