#include "tuner/sweep/host_input.h"

#include "accuracy/eager.h"
#include "accuracy/protocol.h"
#include "accuracy/reference.h"
#include "tuner/sweep/accuracy_group.h"

namespace fenestra {

HostInput MakeHostInput(const InputSpec& spec, int sm_count, int threads) {
  const auto rows = static_cast<std::size_t>(spec.rows);
  const auto width = static_cast<std::size_t>(spec.width);
  HostInput input;
  input.rows = spec.rows;
  input.h.resize(rows * width);
  input.dy.resize(rows * width);
  input.own_rstd.resize(rows);
  input.eager_rstd.resize(rows);
  input.own_dw.resize(width);
  input.eager_dw.resize(width);
  FillInputs(spec, input.h, input.dy);
  const std::vector<float> weight(width, 1.0F);  // rstd does not depend on it
  std::vector<std::uint16_t> y(rows * width);
  RunOnHost(RstdProgramOf(spec.width), sm_count, threads,
            HostForward{spec.rows, input.h, weight, kEps, y, input.own_rstd});
  EagerRstd(spec.rows, spec.width, input.h, input.eager_rstd);
  ReferenceDw(spec.rows, spec.width, input.h, input.dy, input.own_rstd, input.own_dw);
  ReferenceDw(spec.rows, spec.width, input.h, input.dy, input.eager_rstd, input.eager_dw);
  return input;
}

HostBackward DwCall(const HostInput& input, std::span<float> dw) {
  return {.rows = input.rows,
          .dy = input.dy,
          .h = input.h,
          .w = {},
          .rstd = input.own_rstd,
          .dx = {},
          .dw = dw};
}

}  // namespace fenestra
