// Backward for few rows, one launch and no workspace: the first width / kSlab CTAs each own kSlab
// columns and sum all rows, thread by thread in the scheme's chains and then in FP64; the others
// each do kGroups rows of dx. Both read dy and h; the second reader finds them in L2.
#pragma once

#include "kernels/arith/split.h"
#include "kernels/arith/sum.h"
#include "kernels/device/group.cuh"
#include "kernels/device/rows.cuh"

namespace fenestra::device {

// Rows that a thread of a column CTA has in flight.
inline constexpr int kDualBatch = 2;

// What a lane holds of its columns' sums over a warp.
struct DualShare {
  template <int kLanes>
  static constexpr int kColumns = kLanes* kVector / 32 > 0 ? kLanes* kVector / 32 : 1;

  int first = 0;       // of the lane's columns
  bool writes = true;  // whether no lane before it holds the same
};

// Sums kVector columns over the lanes of a warp that share them, those that are equal modulo
// kLanes: the butterfly of masks kLanes, 2 kLanes, ..., 16, of which each lane keeps half of what
// it has left at every step, in sums[0] and up.
template <int kLanes>
__device__ __forceinline__ DualShare SumLanes(double (&sums)[kVector]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  DualShare share;
  int columns = kVector;
#pragma unroll
  for (int mask = kLanes; mask < 32; mask *= 2) {
    const bool upper = (lane & mask) != 0;
    if (columns == 1) {
      sums[0] = arith::Add(sums[0], __shfl_xor_sync(0xffffffffU, sums[0], mask));
      share.writes &= !upper;
      continue;
    }
    columns /= 2;
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const double sent = upper ? sums[i] : sums[i + columns];
      const double kept = upper ? sums[i + columns] : sums[i];
      sums[i] = arith::Add(kept, __shfl_xor_sync(0xffffffffU, sent, mask));
    }
    share.first += upper ? columns : 0;
  }
  return share;
}

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
  // Rows in batches, so that a thread waits for memory once a batch, the last one included.
  for (std::int64_t first = group; first < call.rows; first += kDualBatch * kGroups) {
    uint4 dy[kDualBatch];
    uint4 h[kDualBatch];
    float rstd[kDualBatch];
#pragma unroll
    for (int k = 0; k < kDualBatch; ++k) {
      const std::int64_t row = first + k * kGroups;
      if (row >= call.rows) continue;
      dy[k] = LoadVector(RowOf(call.inputs[0], call.heads, row) + column);
      h[k] = LoadVector(RowOf(call.inputs[1], call.heads, row) + column);
      rstd[k] = __ldg(call.rstd + row);
    }
#pragma unroll
    for (int k = 0; k < kDualBatch; ++k) {
      if (first + k * kGroups >= call.rows) continue;
      const auto rstd64 = static_cast<double>(rstd[k]);
      float a[kVector];
      float b[kVector];
      Unpack(dy[k], a);
      Unpack(h[k], b);
#pragma unroll
      for (int i = 0; i < kVector; ++i) chains[i].Add(arith::Mul(a[i], b[i]), rstd[k], rstd64);
    }
  }
  double sums[kVector];
#pragma unroll
  for (int i = 0; i < kVector; ++i) sums[i] = chains[i].Total();
  const DualShare share = SumLanes<kLanes>(sums);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (share.writes) {
#pragma unroll
    for (int i = 0; i < DualShare::kColumns<kLanes>; ++i) {
      totals[warp][lane * kVector + share.first + i] = sums[i];
    }
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

// Threads of an SM that registers must suffice for: more rows of dx at once hide the wait for
// memory, but three tensors of two vectors a thread would spill.
constexpr int DualThreadsPerSm(int vectors, bool residual) {
  return residual && vectors > 1 ? 768 : 1024;
}

template <int kWidth, int kThreads, int kWarpsPerRow, int kSlab, bool kResidual, typename Chain,
          typename Weight>
__global__ void __launch_bounds__(kThreads, DualThreadsPerSm(kWidth / (kVector * 32 * kWarpsPerRow),
                                                             kResidual) /
                                                kThreads)
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
