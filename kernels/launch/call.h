// Arguments of one launch, already checked (kernels/fenestra.h does that). Plain data: passed to
// the kernels by value.
#pragma once

#include <cstdint>

namespace fenestra::launch {

// q = n / divisor for 0 <= n < 2^31 without a division. Source: Granlund and Montgomery, Division
// by Invariant Integers using Multiplication (1994).
struct Divisor {
  std::uint32_t value = 1;
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;
};

constexpr Divisor MakeDivisor(std::uint32_t value) {
  Divisor divisor{.value = value};
  while ((std::uint64_t{1} << divisor.shift) < value) ++divisor.shift;
  const std::uint64_t power = std::uint64_t{1} << divisor.shift;
  divisor.multiplier = static_cast<std::uint32_t>(((power - value) << 32) / value + 1);
  return divisor;
}

// BF16 rows [token][head][width]; pitches in elements, the last dimension contiguous. Row r is head
// r % heads of token r / heads.
struct Rows {
  std::uint16_t* data = nullptr;
  std::int64_t token_pitch = 0;
  std::int64_t head_pitch = 0;
};

struct ForwardCall {
  Rows inputs[2];  // x; residual in the residual form
  Rows residual_out;
  Rows y;
  const void* w = nullptr;  // [width], BF16 or FP32 as the entry says
  float* rstd = nullptr;    // [rows]
  std::int64_t rows = 0;
  Divisor heads;
  float eps = 0;
};

struct BackwardCall {
  Rows inputs[3];  // dy, h; the gradient of residual out in the residual form
  Rows dx;
  const void* w = nullptr;      // [width], BF16 or FP32 as the entry says
  const float* rstd = nullptr;  // [rows]
  float* dw = nullptr;          // [width]
  bool accumulate = false;      // add to dw instead of writing it
  void* workspace = nullptr;    // arith::WorkspaceBytes, 16-byte aligned
  std::int64_t rows = 0;
  Divisor heads;
  bool packed = false;  // rows of every input lie end to end
};

}  // namespace fenestra::launch
