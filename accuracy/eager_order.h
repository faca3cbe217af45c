// The order of the eager comparator's FP32 sums, written once for GPU and CPU. A model of how
// PyTorch's reduction kernel (aten/src/ATen/native/cuda/Reduce.cuh) walks a tall tensor, pinned by
// protocol version 1: there the number of lanes and splits also follows the board and the row
// count; here it is fixed. docs/protocol.md states it in words.
#pragma once

#include <cstdint>

#include "accuracy/protocol.h"
#include "kernels/arith/scalar.h"

namespace fenestra::eager {

// Row sums: 32 lanes of 4 accumulators; element i of a row goes to lane (i / 4) % 32, accumulator
// i % 4, that is to slot i % 128.
inline constexpr int kRowLanes = 32;
inline constexpr int kRowSlots = 128;

// Column sums: row r goes to split (r / 16) % splits and lane r % 16; the n-th row of a lane goes
// to its accumulator n % 4.
inline constexpr int kLanes = 16;
inline constexpr int kAccumulators = 4;
inline constexpr int kRowsPerSplit = 4096;  // at most; 256 a lane, 64 an accumulator

// Splits of the rows; at least 1.
FENESTRA_HD std::int64_t SplitsOf(std::int64_t rows) {
  return rows <= kRowsPerSplit ? 1 : (rows - 1) / kRowsPerSplit + 1;
}

FENESTRA_HD float CombineFour(float a, float b, float c, float d) {
  return arith::Add(arith::Add(arith::Add(a, b), c), d);
}

// From the sum of squares: the mean as the sum times fl(1 / width), then eps, then the correctly
// rounded reciprocal square root.
FENESTRA_HD float RstdOf(float sum_of_squares, int width) {
  const float inverse_width = arith::Div(1.0F, static_cast<float>(width));
  return arith::Rsqrt(arith::Add(arith::Mul(sum_of_squares, inverse_width), kEps));
}

// One element's term of dw.
FENESTRA_HD float TermOf(float h, float dy, float rstd) {
  return arith::Mul(dy, arith::Mul(h, rstd));
}

// Calls add(accumulator, row) for the rows of one lane of one split, in order. Four rows a step,
// so that a kernel has their loads in flight together.
template <typename Add>
FENESTRA_HD void ForRowsOfLane(std::int64_t rows, std::int64_t splits, std::int64_t split, int lane,
                               Add add) {
  const std::int64_t stride = splits * kLanes;
  std::int64_t row = split * kLanes + lane;
  for (; row + 3 * stride < rows; row += 4 * stride) {
    add(0, row);
    add(1, row + stride);
    add(2, row + 2 * stride);
    add(3, row + 3 * stride);
  }
  if (row < rows) add(0, row);
  if (row + stride < rows) add(1, row + stride);
  if (row + 2 * stride < rows) add(2, row + 2 * stride);
}

// Calls add_into(to, from) for the tree over a split's 16 lanes, halving; the sum is in lane 0.
// The same tree joins the splits, after lane l has added up splits l, l + 16, ... in order.
template <typename AddInto>
FENESTRA_HD void ForLaneTree(AddInto add_into) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int half = kLanes / 2; half > 0; half /= 2) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int lane = 0; lane < half; ++lane) add_into(lane, lane + half);
  }
}

}  // namespace fenestra::eager
