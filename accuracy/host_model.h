// The exact host model: every program's arithmetic on the CPU, in the order the kernel has it, from
// the same code (kernels/arith). y, rstd, residual out, dx and dw equal the GPU's bit for bit, so a
// machine without a GPU can measure the true error of a GPU program, and any board's row split can
// be run.
//
// Tensors are contiguous: BF16 as bits, [rows, width] row-major; rstd [rows]; w and dw [width].
// Every function throws Error when a size is off or the program is of the other pass.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/route.h"

namespace fenestra {

// Weights of either dtype, as FP32 (a BF16 weight is exact there).
struct HostForward {
  std::int64_t rows = 0;
  std::span<const std::uint16_t> x;
  std::span<const float> w;
  float eps = 0;
  std::span<std::uint16_t> y;
  std::span<float> rstd;
  std::span<const std::uint16_t> residual = {};  // residual programs only, as is residual_out
  std::span<std::uint16_t> residual_out = {};
};

struct HostBackward {
  std::int64_t rows = 0;
  std::span<const std::uint16_t> dy;
  std::span<const std::uint16_t> h;
  std::span<const float> w;  // may be empty when dx is
  std::span<const float> rstd;
  std::span<std::uint16_t> dx;  // empty: dw alone, as accuracy needs it
  std::span<float> dw;
  bool accumulate = false;                                // add to dw instead of writing it
  std::span<const std::uint16_t> residual_gradient = {};  // residual programs only, and only for dx
};

// `program` is an index into kPrograms; `sm_count` that of the board whose split is run; `threads`
// (at least 1) share the work and do not change a bit.
void RunOnHost(int program, int sm_count, int threads, const HostForward& call);
void RunOnHost(int program, int sm_count, int threads, const HostBackward& call);

}  // namespace fenestra
