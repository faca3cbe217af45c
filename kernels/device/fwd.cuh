// Forward: rows straight through registers. A plain grid of small CTAs reaches the streaming
// floor at every row count, which a bulk-copy ring did not (docs/performance/experiments.md).
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

// The tile of a CTA is kRows rows per group of warps, straight through registers; the grid covers
// all rows. Rows are dealt to groups as a ring deals them (kernels/arith/split.h). Where rows are
// short and many, several to a group are faster: more loads are in flight, and the rstd of a tile
// leaves in one store, which for short rows is as dear as a row's.
template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, bool kResidual, typename Weight>
__global__ void __launch_bounds__(kThreads)
    FwdDirectKernel(const __grid_constant__ launch::ForwardCall call) {
  using Layout = Group<kThreads, kWarpsPerRow>;
  constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  constexpr int kTileRows = Layout::kGroups * kRows;
  static_assert(kVectors * kVector * Layout::kLanes == kWidth);
  static_assert(kRows == 1 || !kResidual, "not written: residual with more than one row");
  static_assert(kRows == 1 || (kWarpsPerRow == 1 && kTileRows <= 32), "a warp stores the rstd");
  __shared__ float scratch[Layout::kGroups * kWarpsPerRow * kRows];
  const Layout group;
  const std::int64_t tile = std::int64_t{blockIdx.x} * kTileRows;
  const auto row_of = [&](int j) { return tile + j * Layout::kGroups + group.index; };
  if (kRows == 1 && row_of(0) >= call.rows) return;  // the whole group

  uint4 h[kRows][kVectors];
  [[maybe_unused]] uint4 residual[kVectors];  // loaded before the first store, which may overlay it
  float w[kVectors][kVector];
  // Addresses come first: RowOf branches, and behind a branch the compiler lets a load wait for
  // what an earlier one brings.
  const std::uint16_t* in[kRows];
  [[maybe_unused]] const std::uint16_t* added = nullptr;
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    // Past the end the last row is read again, and nothing is written.
    const std::int64_t row = kRows == 1 ? row_of(0) : min(row_of(j), call.rows - 1);
    in[j] = RowOf(call.inputs[0], call.heads, row);
    if constexpr (kResidual) added = RowOf(call.inputs[1], call.heads, row);
  }
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int column = arith::VectorColumn(v, group.lane, Layout::kLanes);
      h[j][v] = LoadVector(in[j] + column);
      if constexpr (kResidual) residual[v] = LoadVector(added + column);
      if (j == 0) LoadWeights(static_cast<const Weight*>(call.w) + column, w[v]);
    }
  }
  if constexpr (kResidual) {
    std::uint16_t* out = RowOf(call.residual_out, call.heads, row_of(0));
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
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const float rstd = arith::Rstd(sums[j], 1.0F / kWidth, call.eps);
    if constexpr (kRows == 1) {
      if (group.lane == 0) call.rstd[row_of(0)] = rstd;
    } else {
      if (group.lane == 0) scratch[j * Layout::kGroups + group.index] = rstd;
      if (row_of(j) >= call.rows) continue;
    }
    WriteY(group, h[j], w, rstd, RowOf(call.y, call.heads, row_of(j)));
  }
  if constexpr (kRows > 1) {
    // The first warp alone waits for the others.
    if (threadIdx.x >= 32) {
      ptx::ArriveNamed(1, kThreads);
    } else {
      ptx::SyncNamed(1, kThreads);
      const int i = static_cast<int>(threadIdx.x);
      if (i < kTileRows && tile + i < call.rows) call.rstd[tile + i] = scratch[i];
    }
  }
}

}  // namespace fenestra::device
