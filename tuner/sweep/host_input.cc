#include "tuner/sweep/host_input.h"

#include "accuracy/eager.h"
#include "accuracy/protocol.h"
#include "accuracy/reference.h"
#include "tuner/sweep/accuracy_group.h"

namespace fenestra {

HostInput DrawHostInput(const InputSpec& spec, int sm_count, int threads) {
  const auto rows = static_cast<std::size_t>(spec.rows);
  const auto width = static_cast<std::size_t>(spec.width);
  HostInput input;
  input.rows = spec.rows;
  input.h.resize(rows * width);
  input.dy.resize(rows * width);
  input.own_rstd.resize(rows);
  FillInputs(spec, input.h, input.dy);
  const std::vector<float> weight(width, 1.0F);  // rstd does not depend on it
  std::vector<std::uint16_t> y(rows * width);
  RunOnHost(RstdProgramOf(spec.width), sm_count, threads,
            HostForward{spec.rows, input.h, weight, kEps, y, input.own_rstd});
  return input;
}

HostInput MakeHostInput(const InputSpec& spec, int sm_count, int threads) {
  HostInput input = DrawHostInput(spec, sm_count, threads);
  input.eager_rstd.resize(input.own_rstd.size());
  input.own_dw.resize(static_cast<std::size_t>(spec.width));
  input.eager_dw.resize(input.own_dw.size());
  EagerRstd(spec.rows, spec.width, input.h, input.eager_rstd);
  ReferenceDw(spec.rows, spec.width, input.h, input.dy, input.own_rstd, input.own_dw);
  ReferenceDw(spec.rows, spec.width, input.h, input.dy, input.eager_rstd, input.eager_dw);
  return input;
}

HostBackward DwCall(const HostInput& input, std::span<float> dw) {
  return DwCall(input, input.rows, dw);
}

HostBackward DwCall(const HostInput& input, std::int64_t rows, std::span<float> dw) {
  const std::span dy(input.dy);
  const std::span h(input.h);
  const std::size_t elements = static_cast<std::size_t>(rows) * dw.size();
  return {.rows = rows,
          .dy = dy.first(elements),
          .h = h.first(elements),
          .w = {},
          .rstd = std::span(input.own_rstd).first(static_cast<std::size_t>(rows)),
          .dx = {},
          .dw = dw};
}

}  // namespace fenestra
