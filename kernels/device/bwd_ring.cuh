// Backward ring: persistent CTAs stream tiles of (dy, h), and of the gradient of residual out in
// the residual form, through shared memory, write dx, and keep the running dw sums of their
// columns; the dw reduce then sums the CTAs' partials.
#pragma once

#include <type_traits>

#include "kernels/arith/sum.h"
#include "kernels/device/dw_reduce.cuh"
#include "kernels/device/group.cuh"
#include "kernels/device/ring.cuh"

namespace fenestra::device {

// The blocks of one thread's columns, in registers or in shared memory, where a thread's lie
// kThreads apart so that a warp's are contiguous.
template <typename Block, int kCount, int kThreads, BlockStore kStore>
class Blocks {
 public:
  static constexpr int kBytes = 0;
  __device__ __forceinline__ explicit Blocks(unsigned char*) {}
  __device__ __forceinline__ Block& At(int i) { return blocks_[i]; }

 private:
  Block blocks_[kCount];
};
template <typename Block, int kCount, int kThreads>
class Blocks<Block, kCount, kThreads, BlockStore::kShared> {
 public:
  static constexpr int kBytes = kCount * kThreads * static_cast<int>(sizeof(Block));
  __device__ __forceinline__ explicit Blocks(unsigned char* storage)
      : mine_(reinterpret_cast<Block*>(storage) + threadIdx.x) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) At(i) = {};
  }
  __device__ __forceinline__ Block& At(int i) { return mine_[i * kThreads]; }

 private:
  Block* mine_;
};

// Adds a row's products to the chains of a thread's columns. `for_vectors` gives its vectors of dy
// and h one by one; `warp_dot` is the warp's share of sum(dy * h * w), which is not finite where
// one of its products is not, whatever w.
template <typename Chain, int kVectors, typename ForVectors>
__device__ __forceinline__ void AddRow(Chain (&chains)[kVectors][kVector],
                                       const ForVectors& for_vectors, float rstd, float warp_dot) {
  const auto rstd64 = static_cast<double>(rstd);
  const auto add = [&](const auto& step) {
    for_vectors([&](int v, float(&dy)[kVector], float(&h)[kVector]) {
#pragma unroll
      for (int i = 0; i < kVector; ++i) step(chains[v][i], arith::Mul(dy[i], h[i]));
    });
  };
  if constexpr (arith::AddsFinite<Chain>) {
    if (arith::IsFinite(warp_dot)) {
      const double scaled = arith::Mul(rstd64, arith::kWidenScale);
      add([&](Chain& chain, float product) { chain.AddFinite(product, scaled); });
      return;
    }
  }
  add([&](Chain& chain, float product) { chain.Add(product, rstd, rstd64); });
}

// `Scheme`: arith::SchemeOfProgram.
template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, int kStages, Loads kLoads,
          bool kResidual, typename Scheme, BlockStore kBlockStore>
struct BwdRingShape {
  static constexpr int kTensors = kResidual ? 3 : 2;
  using Layout = Group<kThreads, kWarpsPerRow>;
  static constexpr int kTileRows = Layout::kGroups * kRows;
  static constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  static_assert(kVectors * kVector * Layout::kLanes == kWidth);
  using Stages =
      std::conditional_t<kLoads == Loads::kBulk,
                         BulkRing<kWidth, kThreads, kTileRows, kStages, kTensors>,
                         std::conditional_t<kLoads == Loads::kAsync,
                                            AsyncRing<kWidth, Layout, kRows, kStages, kTensors>,
                                            PlainLoads<kWidth, Layout, kRows, kTensors>>>;
  using ColumnBlocks = Blocks<typename Scheme::Block, kVectors * kVector, kThreads, kBlockStore>;
  static constexpr int kTotalsBytes =
      Layout::kGroups == 1 ? 0 : Layout::kGroups * kWidth * arith::kReducePartialBytes;
  // The ring, whose place the totals of the groups take in the end, then the blocks.
  static constexpr int kRingBytes = Stages::kBytes > kTotalsBytes ? Stages::kBytes : kTotalsBytes;
  static constexpr int kSharedBytes = kRingBytes + ColumnBlocks::kBytes;
  static constexpr int kBarriers = 2 * kStages;
  static constexpr int kScratchFloats = kTileRows * kWarpsPerRow;  // twice: see Group::Sum
  static constexpr int kStaticBytes = 8 * kBarriers + 2 * 4 * kScratchFloats;
};

// Threads of a CTA that registers must suffice for: where the reduce is to have a place, so many
// more than there are that a quarter of an SM's registers is left, 512 for 384 and 640 for 512. The
// compiler rounds these threads up to 128s, and registers of a thread down to eights.
constexpr int RingBoundThreads(int width, int threads, int warps_per_row, int rows,
                               int ctas_per_sm) {
  if (!kArchLeavesPlaces || !LeavesPlace({.width = width,
                                          .threads = threads,
                                          .warps_per_row = warps_per_row,
                                          .rows = rows,
                                          .ctas_per_sm = ctas_per_sm})) {
    return threads;
  }
  int bound = (threads + 127) / 128 * 128;
  while (kSmRegisters / (bound * ctas_per_sm) / 8 * 8 * threads * ctas_per_sm >
         kSmRegisters - kReducePlaceRegisters) {
    bound += 128;
  }
  return bound;
}

template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, int kStages, int kCtasPerSm,
          Loads kLoads, bool kResidual, typename Scheme, BlockStore kBlockStore, typename Reduce,
          typename Weight>
__global__ void __launch_bounds__(RingBoundThreads(kWidth, kThreads, kWarpsPerRow, kRows,
                                                   kCtasPerSm),
                                  kCtasPerSm)
    BwdRingKernel(const __grid_constant__ launch::BackwardCall call, RowSplit split) {
  using Shape = BwdRingShape<kWidth, kThreads, kWarpsPerRow, kRows, kStages, kLoads, kResidual,
                             Scheme, kBlockStore>;
  using Layout = typename Shape::Layout;
  constexpr int kVectors = Shape::kVectors;
  // A stage may be refilled at once when threads fill it for themselves, or when the barrier inside
  // Sum tells that every warp has read it (one group). Else each warp says so itself, and the stage
  // is refilled one iteration late, so that warp 0 need not wait for the slowest group.
  constexpr bool kAtOnce = kLoads != Loads::kBulk || Layout::kGroups == 1;

  extern __shared__ __align__(128) unsigned char storage[];
  __shared__ __align__(8) std::uint64_t barriers[Shape::kBarriers];
  __shared__ float scratch[2][Shape::kScratchFloats];

  const arith::TileRange tiles =
      arith::TilesOf(split, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), call.rows,
                     Shape::kTileRows);
  typename Shape::Stages ring(storage, barriers, call.inputs, call.heads, call.packed, tiles);
  const Layout group;

  float w[kVectors][kVector];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    LoadWeights(
        static_cast<const Weight*>(call.w) + arith::VectorColumn(v, group.lane, Layout::kLanes),
        w[v]);
  }
  float rstd_next[kRows];
  const auto fetch_rstd = [&](std::int64_t row) {
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      const std::int64_t r = row + j * Layout::kGroups + group.index;
      rstd_next[j] = r < tiles.end ? __ldg(call.rstd + r) : 0.0F;
    }
  };
  fetch_rstd(tiles.first);
  __syncthreads();
  // The reduce may take its place now; it waits for this grid's end before it reads.
  ptx::ReleaseDependents();

  typename Scheme::Chain chains[kVectors][kVector];
  typename Shape::ColumnBlocks blocks(storage + Shape::kRingBytes);
  int added = 0;  // rows this thread has added
  int stage = 0;
  int last_stage = kStages - 1;
  std::uint32_t parity = 0;
  std::uint32_t last_parity = 1;
  int buffer = 0;
  for (std::int64_t row = tiles.first; row < tiles.end; row += tiles.step) {
    float rstd[kRows];
    bool valid[kRows];
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      rstd[j] = rstd_next[j];
      valid[j] = row + j * Layout::kGroups + group.index < tiles.end;
    }
    fetch_rstd(row + tiles.step);
    ring.Wait(stage, parity);
    uint4 dy[kRows][kVectors];
    uint4 h[kRows][kVectors];
    [[maybe_unused]] uint4 gradient[kRows][kVectors];  // of residual out
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        const int column = arith::VectorColumn(v, group.lane, Layout::kLanes);
        const int tile_row = j * Layout::kGroups + group.index;
        dy[j][v] = LoadVector(ring.Row(stage, 0, tile_row) + column);
        h[j][v] = LoadVector(ring.Row(stage, 1, tile_row) + column);
        if constexpr (kResidual) {
          gradient[j][v] = LoadVector(ring.Row(stage, 2, tile_row) + column);
        }
      }
    }
    if constexpr (!kAtOnce) ring.Release(stage);

    // body(v, dy, h) for each vector of row j, unpacked each time anew: registers hold it packed.
    const auto for_vectors = [&](int j, const auto& body) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        float a[kVector];
        float b[kVector];
        Unpack(dy[j][v], a);
        Unpack(h[j][v], b);
        body(v, a, b);
      }
    };
    float dots[kRows];
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      dots[j] = 0;
      for_vectors(j, [&](int v, float(&a)[kVector], float(&b)[kVector]) {
        dots[j] = arith::DotSum(a, b, w[v], dots[j]);
      });
    }
    group.Sum(dots, scratch[buffer], [&] {
#pragma unroll
      for (int j = 0; j < kRows; ++j) {
        if (!valid[j]) continue;
        AddRow(
            chains, [&](const auto& body) { for_vectors(j, body); }, rstd[j], dots[j]);
        ++added;
        if (Scheme::FoldsAfter(added)) {
#pragma unroll
          for (int v = 0; v < kVectors; ++v) {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
              Scheme::Fold(&chains[v][i], &blocks.At(v * kVector + i));
            }
          }
        }
      }
    });
    if constexpr (kAtOnce) {
      ring.Refill(stage, row + kStages * tiles.step);
    } else if (row != tiles.first) {
      ring.RefillReleased(last_stage, last_parity, row + (kStages - 1) * tiles.step);
    }
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      if (!valid[j]) continue;
      const float mean = arith::RowMean(dots[j], 1.0F / kWidth, rstd[j]);
      std::uint16_t* out = RowOf(call.dx, call.heads, row + j * Layout::kGroups + group.index);
      for_vectors(j, [&](int v, float(&a)[kVector], float(&b)[kVector]) {
        if constexpr (kResidual) {
          DxWithResidual(b, w[v], rstd[j], mean, gradient[j][v], a);
        } else {
          Dx(b, w[v], rstd[j], mean, a);
        }
        StoreVector(out + arith::VectorColumn(v, group.lane, Layout::kLanes), Pack(a));
      });
    }
    last_stage = stage;
    last_parity = parity;
    buffer ^= 1;
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  const auto partial_at = [&](int v, int i) {
    typename Reduce::Partial partial;
    Scheme::Store(chains[v][i], blocks.At(v * kVector + i), &partial);
    return partial;
  };
  WritePartial<Reduce, kWidth, Layout, kVectors>(group, partial_at, storage, call.workspace);
}

}  // namespace fenestra::device
