// Backward for few rows, one launch and no workspace: the first width / kSlab CTAs each own kSlab
// columns and sum all rows, thread by thread in the scheme's chains and then in FP64; the others
// each do kGroups rows of dx. Both read dy and h; the second reader finds them in L2.
#pragma once

#include "kernels/arith/split.h"
#include "kernels/arith/sum.h"
#include "kernels/device/group.cuh"
#include "kernels/device/rows.cuh"

namespace fenestra::device {

template <int kWidth, int kThreads, int kSlab, typename Chain>
__device__ __forceinline__ void DualColumns(const launch::BackwardCall& call) {
  constexpr int kLanes = kSlab / kVector;  // lanes of a row
  constexpr int kGroups = arith::DualLaneGroups(kThreads, kSlab);
  constexpr int kWarps = kThreads / 32;
  static_assert(kLanes <= 32 && 32 % kLanes == 0);
  __shared__ double totals[kWarps][kSlab];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int column = static_cast<int>(blockIdx.x) * kSlab + lane * kVector;

  Chain chains[kVector];
#pragma unroll 4
  for (std::int64_t row = group; row < call.rows; row += kGroups) {
    float dy[kVector];
    float h[kVector];
    Unpack(LoadVector(RowOf(call.inputs[0], call.heads, row) + column), dy);
    Unpack(LoadVector(RowOf(call.inputs[1], call.heads, row) + column), h);
    const float rstd = __ldg(call.rstd + row);
    const auto rstd64 = static_cast<double>(rstd);
#pragma unroll
    for (int i = 0; i < kVector; ++i) chains[i].Add(arith::Mul(dy[i], h[i]), rstd, rstd64);
  }
  double sums[kVector];
#pragma unroll
  for (int i = 0; i < kVector; ++i) sums[i] = chains[i].Total();
#pragma unroll
  for (int mask = kLanes; mask < 32; mask *= 2) {
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      sums[i] = arith::Add(sums[i], __shfl_xor_sync(0xffffffffU, sums[i], mask));
    }
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 < kLanes) {
#pragma unroll
    for (int i = 0; i < kVector; ++i) totals[warp][lane * kVector + i] = sums[i];
  }
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < kSlab; c += kThreads) {
    double parts[kWarps];
#pragma unroll
    for (int i = 0; i < kWarps; ++i) parts[i] = totals[i][c];
    float* out = call.dw + blockIdx.x * kSlab + c;
    *out = arith::FinalDw(arith::TreeSum<kWarps>(parts), call.accumulate,
                          call.accumulate ? *out : 0.0F);
  }
}

template <int kWidth, int kThreads, int kWarpsPerRow, bool kResidual, typename Weight>
__device__ __forceinline__ void DualRows(const launch::BackwardCall& call, int cta) {
  using Layout = Group<kThreads, kWarpsPerRow>;
  constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  __shared__ float scratch[Layout::kGroups * kWarpsPerRow];
  const Layout group;
  const std::int64_t row = std::int64_t{cta} * Layout::kGroups + group.index;
  if (row >= call.rows) return;  // the whole group

  const std::uint16_t* dy_row = RowOf(call.inputs[0], call.heads, row);
  const std::uint16_t* h_row = RowOf(call.inputs[1], call.heads, row);
  float dy[kVectors][kVector];
  float h[kVectors][kVector];
  float w[kVectors][kVector];
  [[maybe_unused]] uint4 gradient[kVectors];  // of residual out
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int column = arith::VectorColumn(v, group.lane, Layout::kLanes);
    if constexpr (kResidual) {
      gradient[v] = LoadVector(RowOf(call.inputs[2], call.heads, row) + column);
    }
    Unpack(LoadVector(dy_row + column), dy[v]);
    Unpack(LoadVector(h_row + column), h[v]);
    LoadWeights(static_cast<const Weight*>(call.w) + column, w[v]);
  }
  const float rstd = __ldg(call.rstd + row);
  float dot[1] = {0};
#pragma unroll
  for (int v = 0; v < kVectors; ++v) dot[0] = arith::DotSum(dy[v], h[v], w[v], dot[0]);
  group.Sum(dot, scratch, [] {});
  const float mean = arith::RowMean(dot[0], 1.0F / kWidth, rstd);
  std::uint16_t* out = RowOf(call.dx, call.heads, row);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    if constexpr (kResidual) {
      DxWithResidual(h[v], w[v], rstd, mean, gradient[v], dy[v]);
    } else {
      Dx(h[v], w[v], rstd, mean, dy[v]);
    }
    StoreVector(out + arith::VectorColumn(v, group.lane, Layout::kLanes), Pack(dy[v]));
  }
}

template <int kWidth, int kThreads, int kWarpsPerRow, int kSlab, bool kResidual, typename Chain,
          typename Weight>
__global__ void __launch_bounds__(kThreads)
    BwdDualKernel(const __grid_constant__ launch::BackwardCall call) {
  constexpr int kColumnCtas = kWidth / kSlab;
  if (blockIdx.x < kColumnCtas) {
    DualColumns<kWidth, kThreads, kSlab, Chain>(call);
  } else {
    DualRows<kWidth, kThreads, kWarpsPerRow, kResidual, Weight>(
        call, static_cast<int>(blockIdx.x) - kColumnCtas);
  }
}

}  // namespace fenestra::device
