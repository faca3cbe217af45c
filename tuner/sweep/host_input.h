// One input of the accuracy protocol on the host, with the references that a dw is compared with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accuracy/host_model.h"
#include "accuracy/inputs.h"

namespace fenestra {

struct HostInput {
  std::int64_t rows = 0;
  std::vector<std::uint16_t> h, dy;         // [rows, width]
  std::vector<float> own_rstd, eager_rstd;  // [rows]
  std::vector<double> own_dw, eager_dw;     // [width], the references at either rstd
};

// Draws the input; the own rstd is that of the width's first forward program (RstdProgramOf).
HostInput MakeHostInput(const InputSpec& spec, int sm_count, int threads);

// The same of what DwCall asks for alone: the eager rstd and the references stay empty.
HostInput DrawHostInput(const InputSpec& spec, int sm_count, int threads);

// The call that computes dw [width] of the input, or of its first rows, and nothing else.
HostBackward DwCall(const HostInput& input, std::span<float> dw);
HostBackward DwCall(const HostInput& input, std::int64_t rows, std::span<float> dw);

}  // namespace fenestra
