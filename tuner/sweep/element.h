// One dw element of one input, through the host model: what stands behind a reading.
#pragma once

#include <cstdint>
#include <optional>

#include "accuracy/inputs.h"

namespace fenestra {

// Against the reference at the program's own rstd.
struct DwElement {
  std::int64_t column = 0;
  float value = 0;
  double reference = 0;
  double error = 0;     // |value - reference|
  double budget = 0;    // what the protocol allows it
  double fraction = 0;  // of the budget; see FractionOfBudget for values that are not finite
};

// The element of `column`, or the worst one. `sm_count` is that of the board whose split is run.
// Throws Error when the program is no backward one of the input's width, or the column outside it.
DwElement MeasureElement(int program, const InputSpec& input, int sm_count, int threads,
                         std::optional<std::int64_t> column);

}  // namespace fenestra
