#include "tuner/sweep/element.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "accuracy/budget.h"
#include "accuracy/error.h"
#include "kernels/program_list.h"
#include "tuner/sweep/host_input.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {

DwElement MeasureElement(int program, const InputSpec& spec, int sm_count, int threads,
                         std::optional<std::int64_t> column) {
  if (ProgramAt(program).pass != Pass::kBackward || ProgramAt(program).width != spec.width) {
    throw Error(fmt::format("{} computes no dw of width {}", NameAt(program), spec.width));
  }
  if (column && (*column < 0 || *column >= spec.width)) {
    throw Error(fmt::format("column {} is outside 0 .. {}", *column, spec.width - 1));
  }
  const HostInput input = MakeHostInput(spec, sm_count, threads);
  std::vector<float> dw(static_cast<std::size_t>(spec.width),
                        std::numeric_limits<float>::quiet_NaN());
  RunOnHost(program, sm_count, threads, DwCall(input, dw));
  DwElement element;
  element.column = column ? *column : WorstOf(dw, input.own_dw).column;
  const auto at = static_cast<std::size_t>(element.column);
  element.value = dw[at];
  element.reference = input.own_dw[at];
  element.error = std::fabs(static_cast<double>(element.value) - element.reference);
  element.budget = kAtol + kRtol * std::fabs(element.reference);
  element.fraction = FractionOfBudget(element.value, element.reference);
  return element;
}

}  // namespace fenestra
