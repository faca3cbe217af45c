// Forward: rows straight through registers. A plain grid of small CTAs reaches the streaming
// floor at every row count, which a bulk-copy ring did not (docs/performance).
#pragma once

#include "kernels/device/group.cuh"
#include "kernels/device/rows.cuh"

namespace fenestra::device {

// Writes y of one row from its vectors.
template <int kVectors, typename Layout>
__device__ __forceinline__ void WriteY(const Layout& group, const uint4 (&h)[kVectors],
                                       const float (&w)[kVectors][kVector], float rstd,
                                       std::uint16_t* out) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    float values[kVector];
    Unpack(h[v], values);
#pragma unroll
    for (int i = 0; i < kVector; ++i) values[i] = arith::Y(values[i], rstd, w[v][i]);
    StoreVector(out + arith::VectorColumn(v, group.lane, Layout::kLanes), Pack(values));
  }
}

// h of one vector: x + residual, rounded to BF16.
__device__ __forceinline__ uint4 AddResidual(const uint4& x, const uint4& residual) {
  float sum[kVector];
  float other[kVector];
  Unpack(x, sum);
  Unpack(residual, other);
#pragma unroll
  for (int i = 0; i < kVector; ++i) sum[i] = arith::Add(sum[i], other[i]);
  return Pack(sum);
}

template <int kVectors>
__device__ __forceinline__ float SquareSum(const uint4 (&h)[kVectors]) {
  float sum = 0;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    float values[kVector];
    Unpack(h[v], values);
    sum = arith::SquareSum(values, sum);
  }
  return sum;
}

// rstd of a group's rows, one lane each, in one store.
template <int kRows, typename Layout>
__device__ __forceinline__ void StoreRstd(const Layout& group, const float (&rstd)[kRows],
                                          std::int64_t first, const launch::ForwardCall& call) {
  if constexpr (kRows == 1) {
    if (group.lane == 0) call.rstd[first] = rstd[0];
  } else {
    float mine = rstd[0];
#pragma unroll
    for (int j = 1; j < kRows; ++j) mine = group.lane == j ? rstd[j] : mine;
    if (group.lane < kRows && first + group.lane < call.rows) call.rstd[first + group.lane] = mine;
  }
}

// kRows neighbouring rows per group of warps, straight through registers; the grid covers all rows.
// Where rows are short and many, several to a group are faster: their rstd leave in one store.
template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, bool kResidual, typename Weight>
__global__ void __launch_bounds__(kThreads)
    FwdDirectKernel(const __grid_constant__ launch::ForwardCall call) {
  using Layout = Group<kThreads, kWarpsPerRow>;
  constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  static_assert(kVectors * kVector * Layout::kLanes == kWidth);
  static_assert(kRows == 1 || !kResidual, "not written: residual with more than one row");
  static_assert(kRows <= 32, "a warp stores the rstd of a group");
  __shared__ float scratch[Layout::kGroups * kWarpsPerRow * kRows];
  const Layout group;
  const std::int64_t first = (std::int64_t{blockIdx.x} * Layout::kGroups + group.index) * kRows;
  if (first >= call.rows) return;  // the whole group

  uint4 h[kRows][kVectors];
  float w[kVectors][kVector];
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    // Past the end the last row is read again, and nothing is written.
    const std::int64_t row = j == 0 ? first : min(first + j, call.rows - 1);
    const std::uint16_t* in = RowOf(call.inputs[0], call.heads, row);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int column = arith::VectorColumn(v, group.lane, Layout::kLanes);
      h[j][v] = LoadVector(in + column);
      if (j == 0) LoadWeights(static_cast<const Weight*>(call.w) + column, w[v]);
    }
  }
  if constexpr (kResidual) {
    const std::uint16_t* added = RowOf(call.inputs[1], call.heads, first);
    std::uint16_t* out = RowOf(call.residual_out, call.heads, first);
    uint4 residual[kVectors];  // all loaded before the first store, which might overlay them
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      residual[v] = LoadVector(added + arith::VectorColumn(v, group.lane, Layout::kLanes));
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      h[0][v] = AddResidual(h[0][v], residual[v]);
      StoreVector(out + arith::VectorColumn(v, group.lane, Layout::kLanes), h[0][v]);
    }
  }
  float sums[kRows];
#pragma unroll
  for (int j = 0; j < kRows; ++j) sums[j] = SquareSum(h[j]);
  group.Sum(sums, scratch, [] {});
  float rstd[kRows];
#pragma unroll
  for (int j = 0; j < kRows; ++j) rstd[j] = arith::Rstd(sums[j], 1.0F / kWidth, call.eps);
  StoreRstd(group, rstd, first, call);
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    if (first + j >= call.rows) break;
    WriteY(group, h[j], w, rstd[j], RowOf(call.y, call.heads, first + j));
  }
}

}  // namespace fenestra::device
