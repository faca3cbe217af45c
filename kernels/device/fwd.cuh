// Forward: each row straight through registers. A plain grid of small CTAs reaches the streaming
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

// One row per group of warps, straight through registers; the grid covers all rows.
template <int kWidth, int kThreads, int kWarpsPerRow, bool kResidual, typename Weight>
__global__ void __launch_bounds__(kThreads)
    FwdDirectKernel(const __grid_constant__ launch::ForwardCall call) {
  using Layout = Group<kThreads, kWarpsPerRow>;
  constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  static_assert(kVectors * kVector * Layout::kLanes == kWidth);
  __shared__ float scratch[Layout::kGroups * kWarpsPerRow];
  const Layout group;
  const std::int64_t row = std::int64_t{blockIdx.x} * Layout::kGroups + group.index;
  if (row >= call.rows) return;  // the whole group

  const std::uint16_t* in = RowOf(call.inputs[0], call.heads, row);
  uint4 h[kVectors];
  float w[kVectors][kVector];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int column = arith::VectorColumn(v, group.lane, Layout::kLanes);
    h[v] = LoadVector(in + column);
    LoadWeights(static_cast<const Weight*>(call.w) + column, w[v]);
  }
  if constexpr (kResidual) {
    const std::uint16_t* added = RowOf(call.inputs[1], call.heads, row);
    std::uint16_t* out = RowOf(call.residual_out, call.heads, row);
    uint4 residual[kVectors];  // all loaded before the first store, which might overlay them
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      residual[v] = LoadVector(added + arith::VectorColumn(v, group.lane, Layout::kLanes));
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      h[v] = AddResidual(h[v], residual[v]);
      StoreVector(out + arith::VectorColumn(v, group.lane, Layout::kLanes), h[v]);
    }
  }
  float sum[1] = {SquareSum(h)};
  group.Sum(sum, scratch, [] {});
  const float rstd = arith::Rstd(sum[0], 1.0F / kWidth, call.eps);
  if (group.lane == 0) call.rstd[row] = rstd;
  WriteY(group, h, w, rstd, RowOf(call.y, call.heads, row));
}

}  // namespace fenestra::device
