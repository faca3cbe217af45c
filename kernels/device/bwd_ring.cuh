// Backward ring: persistent CTAs stream tiles of (dy, h), and of the gradient of residual out in
// the residual form, through shared memory, write dx, and keep the running dw sums of their
// columns; the dw reduce then sums the CTAs' partials.
#pragma once

#include <type_traits>

#include "kernels/arith/sum.h"
#include "kernels/device/group.cuh"
#include "kernels/device/ring.cuh"

namespace fenestra::device {

// Two neighbouring partials, as one 16-byte vector.
template <typename Partial>
struct alignas(16) PartialVector {
  Partial first;
  Partial second;
};

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

// Writes the partials of one CTA, [width] at PartialIndex.
template <typename Reduce, int kWidth, typename Layout, int kVectors, typename PartialAt>
__device__ __forceinline__ void WritePartial(const Layout& group, const PartialAt& partial_at,
                                             unsigned char* storage, void* workspace) {
  using Partial = typename Reduce::Partial;
  static_assert(sizeof(Partial) == arith::kReducePartialBytes);
  Partial* partial = static_cast<Partial*>(workspace) + std::int64_t{blockIdx.x} * kWidth;
  const auto write_pairs = [&](Partial* target) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        const int index = arith::PartialIndex(
            arith::VectorColumn(v, group.lane, Layout::kLanes) + 2 * pair, Layout::kLanes);
        *reinterpret_cast<PartialVector<Partial>*>(target + index) = {partial_at(v, 2 * pair),
                                                                      partial_at(v, 2 * pair + 1)};
      }
    }
  };
  if constexpr (Layout::kGroups == 1) {
    write_pairs(partial);
  } else {
    // The ring is drained: its storage now holds [group][width] partials, summed in group order.
    auto* partials = reinterpret_cast<Partial*>(storage);
    __syncthreads();
    write_pairs(partials + group.index * kWidth);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kWidth; i += Layout::kGroups * Layout::kLanes) {
      Reduce total;
#pragma unroll
      for (int g = 0; g < Layout::kGroups; ++g) total.Add(partials[g * kWidth + i]);
      partial[i] = total.AsPartial();
    }
  }
}

// `Scheme`: arith::SchemeOf.
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
};

template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, int kStages, int kCtasPerSm,
          Loads kLoads, bool kResidual, typename Scheme, BlockStore kBlockStore, typename Reduce,
          typename Weight>
__global__ void __launch_bounds__(kThreads, kCtasPerSm)
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
  __shared__ __align__(8) std::uint64_t barriers[2 * kStages];
  __shared__ float scratch[2][Shape::kTileRows * kWarpsPerRow];

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

  using Chain = typename Scheme::Chain;
  Chain chains[kVectors][kVector];
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
        const auto rstd64 = static_cast<double>(rstd[j]);
        const auto add = [&](const auto& step) {  // step(chain, dy * h) for each column
          for_vectors(j, [&](int v, float(&a)[kVector], float(&b)[kVector]) {
#pragma unroll
            for (int i = 0; i < kVector; ++i) step(chains[v][i], arith::Mul(a[i], b[i]));
          });
        };
        const auto add_any = [&] {
          add([&](Chain& chain, float product) { chain.Add(product, rstd[j], rstd64); });
        };
        if constexpr (std::is_same_v<Chain, arith::WidenedFma64Chain>) {
          // The warp's share of the dot, which is not finite where one of its products is not.
          if (arith::IsFinite(dots[j])) {
            const double scaled = arith::Mul(rstd64, arith::kWidenScale);
            add([&](Chain& chain, float product) { chain.AddFinite(product, scaled); });
          } else {
            add_any();
          }
        } else {
          add_any();
        }
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

// Adds the partials of one group's CTAs to `sums`, kColumns neighbours of each and those of kBatch
// CTAs at once. `partials`: the first CTA's.
template <int kWidth, int kBatch, typename Reduce, int kColumns>
__device__ __forceinline__ void SumPartials(const typename Reduce::Partial* partials, int group,
                                            int ctas, Reduce (&sums)[kColumns]) {
  using Partial = typename Reduce::Partial;
  constexpr int kGroups = arith::kReduceGroups;
  for (int first = group; first < ctas; first += kBatch * kGroups) {
    // Past the last CTA its partials are loaded again and not added. Loads under conditions would
    // wait for one another: each condition takes a predicate register, and there are seven.
    Partial batch[kBatch][kColumns];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int cta = min(first + i * kGroups, ctas - 1);
      const Partial* source = partials + std::int64_t{cta} * kWidth;
      if constexpr (kColumns == 1) {
        batch[i][0] = *source;
      } else {
#pragma unroll
        for (int c = 0; c < kColumns; c += 2) {
          const auto two = *reinterpret_cast<const PartialVector<Partial>*>(source + c);
          batch[i][c] = two.first;
          batch[i][c + 1] = two.second;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i * kGroups >= ctas) continue;
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sums[c].Add(batch[i][c]);
    }
  }
}

// Sums the partials of `ctas` CTAs, kCtasPerSm an SM, whose rows were shared by kLanes lanes, into
// dw. Launched with programmatic stream serialization behind BwdRingKernel; each thread takes
// kColumns neighbouring partials. Its time is that of trips to L2. Where kBeside, 32 registers and
// two trips give it a place beside a BwdRingKernel, where it waits; else it takes registers for one
// trip, on boards of up to 160 SMs.
template <int kWidth, int kLanes, int kCtasPerSm, bool kBeside, typename Reduce, int kColumns>
__global__ void __launch_bounds__(arith::kReduceGroups* arith::kReduceLanes, kBeside ? 4 : 1)
    DwReduceKernel(const typename Reduce::Partial* partials, int ctas, float* dw, bool accumulate) {
  constexpr int kGroups = arith::kReduceGroups;
  constexpr int kBatch = 10 / kColumns;
  __shared__ Reduce totals[kGroups][kColumns][arith::kReduceLanes];
  const int lane = static_cast<int>(threadIdx.x) % arith::kReduceLanes;
  const int group = static_cast<int>(threadIdx.x) / arith::kReduceLanes;
  const int index = (static_cast<int>(blockIdx.x) * arith::kReduceLanes + lane) * kColumns;
  ptx::WaitForPrimary();
  Reduce sums[kColumns];
  if (kBeside || kCtasPerSm == 1 || ctas <= kBatch * kGroups) {
    SumPartials<kWidth, kBatch>(partials + index, group, ctas, sums);
  } else {
    SumPartials<kWidth, kBatch * kCtasPerSm>(partials + index, group, ctas, sums);
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c) totals[group][c][lane] = sums[c];
  __syncthreads();
  if (group >= kColumns) return;  // one group for each of the columns
  Reduce parts[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) parts[g] = totals[g][group][lane];
  const int column = arith::PartialColumn(index + group, kLanes);
  dw[column] = arith::FinalDw(arith::TreeMerge<kGroups>(parts).Total(), accumulate,
                              accumulate ? dw[column] : 0.0F);
}

}  // namespace fenestra::device
