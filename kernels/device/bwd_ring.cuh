// Backward ring: persistent CTAs stream tiles of (dy, h), and of the gradient of residual out in
// the residual form, through shared memory, write dx, and keep
// the running dw sums of their columns in registers; the dw reduce then sums the CTAs' partials.
#pragma once

#include <type_traits>

#include "kernels/arith/sum.h"
#include "kernels/device/group.cuh"
#include "kernels/device/ring.cuh"

namespace fenestra::device {

// Writes the partial sums of one CTA, [width] doubles at PartialIndex.
template <int kWidth, typename Layout, int kVectors, typename Sum>
__device__ __forceinline__ void WritePartial(const Layout& group, const Sum (&sums)[kVectors][8],
                                             unsigned char* storage, double* partial) {
  const auto pair_of = [&](int v, int pair) {
    return make_double2(sums[v][2 * pair].Total(), sums[v][2 * pair + 1].Total());
  };
  const auto index_of = [&](int v, int pair) {
    return arith::PartialIndex(arith::VectorColumn(v, group.lane, Layout::kLanes) + 2 * pair,
                               Layout::kLanes);
  };
  if constexpr (Layout::kGroups == 1) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        *reinterpret_cast<double2*>(partial + index_of(v, pair)) = pair_of(v, pair);
      }
    }
  } else {
    // The ring is drained: its storage now holds [group][width] totals, summed in group order.
    auto* totals = reinterpret_cast<double*>(storage);
    __syncthreads();
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        *reinterpret_cast<double2*>(totals + group.index * kWidth + index_of(v, pair)) =
            pair_of(v, pair);
      }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kWidth; i += Layout::kGroups * Layout::kLanes) {
      double total = totals[i];
#pragma unroll
      for (int g = 1; g < Layout::kGroups; ++g) total = arith::Add(total, totals[g * kWidth + i]);
      partial[i] = total;
    }
  }
}

template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, int kStages, Loads kLoads,
          bool kResidual>
struct BwdRingShape {
  static constexpr int kTensors = kResidual ? 3 : 2;
  using Layout = Group<kThreads, kWarpsPerRow>;
  static constexpr int kTileRows = Layout::kGroups * kRows;
  static constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  static_assert(kVectors * kVector * Layout::kLanes == kWidth);
  using Stages = std::conditional_t<kLoads == Loads::kBulk,
                                    BulkRing<kWidth, kThreads, kTileRows, kStages, kTensors>,
                                    AsyncRing<kWidth, Layout, kRows, kStages, kTensors>>;
  static constexpr int kTotalsBytes =
      Layout::kGroups == 1 ? 0 : Layout::kGroups * kWidth * static_cast<int>(sizeof(double));
  static constexpr int kSharedBytes = Stages::kBytes > kTotalsBytes ? Stages::kBytes : kTotalsBytes;
};

template <int kWidth, int kThreads, int kWarpsPerRow, int kRows, int kStages, int kCtasPerSm,
          Loads kLoads, bool kResidual, typename Sum, typename Weight>
__global__ void __launch_bounds__(kThreads, kCtasPerSm)
    BwdRingKernel(const __grid_constant__ launch::BackwardCall call, RowSplit split) {
  using Shape = BwdRingShape<kWidth, kThreads, kWarpsPerRow, kRows, kStages, kLoads, kResidual>;
  using Layout = typename Shape::Layout;
  constexpr int kVectors = Shape::kVectors;
  // A stage may be refilled at once when threads fill it for themselves, or when the barrier inside
  // Sum tells that every warp has read it (one group). Else each warp says so itself, and the stage
  // is refilled one iteration late, so that warp 0 need not wait for the slowest group.
  constexpr bool kAtOnce = kLoads == Loads::kAsync || Layout::kGroups == 1;

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

  Sum sums[kVectors][kVector];
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

    float dots[kRows];
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      dots[j] = 0;
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        float a[kVector];
        float b[kVector];
        Unpack(dy[j][v], a);
        Unpack(h[j][v], b);
        dots[j] = arith::DotSum(a, b, w[v], dots[j]);
      }
    }
    group.Sum(dots, scratch[buffer], [&] {
#pragma unroll
      for (int j = 0; j < kRows; ++j) {
        if (!valid[j]) continue;
        const auto rstd64 = static_cast<double>(rstd[j]);
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
          float a[kVector];
          float b[kVector];
          Unpack(dy[j][v], a);
          Unpack(h[j][v], b);
#pragma unroll
          for (int i = 0; i < kVector; ++i) {
            sums[v][i].Add(arith::Mul(a[i], b[i]), rstd[j], rstd64, added);
          }
        }
        ++added;
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
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        float a[kVector];
        float b[kVector];
        Unpack(dy[j][v], a);
        Unpack(h[j][v], b);
        if constexpr (kResidual) {
          DxWithResidual(b, w[v], rstd[j], mean, gradient[j][v], a);
        } else {
          Dx(b, w[v], rstd[j], mean, a);
        }
        StoreVector(out + arith::VectorColumn(v, group.lane, Layout::kLanes), Pack(a));
      }
    }
    last_stage = stage;
    last_parity = parity;
    buffer ^= 1;
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  WritePartial<kWidth>(group, sums, storage,
                       static_cast<double*>(call.workspace) + std::int64_t{blockIdx.x} * kWidth);
}

// Sums the partials of `ctas` CTAs, whose rows were shared by kLanes lanes, into dw. Launched with
// programmatic stream serialization behind BwdRingKernel; one CTA per kReduceColumns columns.
template <int kWidth, int kLanes>
__global__ void __launch_bounds__(arith::kReduceGroups* arith::kReduceColumns)
    DwReduceKernel(const double* partials, int ctas, float* dw, bool accumulate) {
  constexpr int kGroups = arith::kReduceGroups;
  constexpr int kBatch = 8;  // loads in flight per thread
  __shared__ double totals[kGroups][arith::kReduceColumns];
  const int lane = static_cast<int>(threadIdx.x) % arith::kReduceColumns;
  const int group = static_cast<int>(threadIdx.x) / arith::kReduceColumns;
  const int index = static_cast<int>(blockIdx.x) * arith::kReduceColumns + lane;
  const int column = arith::PartialColumn(index, kLanes);
  ptx::WaitForPrimary();
  double total = 0;
  for (int first = group; first < ctas; first += kBatch * kGroups) {
    double batch[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int cta = first + i * kGroups;
      if (cta < ctas) batch[i] = partials[std::int64_t{cta} * kWidth + index];
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i * kGroups < ctas) total = arith::Add(total, batch[i]);
    }
  }
  totals[group][lane] = total;
  __syncthreads();
  if (group > 0) return;
  double parts[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) parts[g] = totals[g][lane];
  dw[column] =
      arith::FinalDw(arith::TreeSum<kGroups>(parts), accumulate, accumulate ? dw[column] : 0.0F);
}

}  // namespace fenestra::device
