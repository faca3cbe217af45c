// The second half of a backward pair: how the CTAs of a ring hand over their partial dw sums, and
// the dw reduce, which sums them.
#pragma once

#include "kernels/arith/split.h"
#include "kernels/arith/sum.h"
#include "kernels/device/group.cuh"
#include "kernels/device/ptx.cuh"
#include "kernels/device/rows.cuh"

namespace fenestra::device {

// Whether this arch holds rings to LeavesPlace. On sm_100 and sm_103 some would spill for it, and
// what it is worth there is not known. Of launch bounds and bodies alone, no names or types.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
inline constexpr bool kArchLeavesPlaces = true;
#else
inline constexpr bool kArchLeavesPlaces = false;
#endif

// Two neighbouring partials, as one 16-byte vector.
template <typename Partial>
struct alignas(16) PartialVector {
  Partial first;
  Partial second;
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

// Shared memory of a reduce CTA: the sums of its groups.
template <typename Reduce, int kColumns>
using ReduceTotals = Reduce[arith::kReduceGroups][kColumns][arith::kReduceLanes];

// CTAs of the reduce that the registers of an SM must suffice for: 4 of 512 threads take 32 each.
constexpr int ReduceBoundCtas(bool beside) { return beside && kArchLeavesPlaces ? 4 : 1; }

// Sums the partials of `ctas` CTAs, kCtasPerSm an SM, whose rows were shared by kLanes lanes, into
// dw. Launched with programmatic stream serialization behind BwdRingKernel; each thread takes
// kColumns neighbouring partials. Its time is that of trips to L2. Where kBeside, and the arch
// leaves places, it takes at most 32 registers and waits beside the last CTAs of BwdRingKernel;
// else as many as it needs to load at once what boards of up to 160 SMs give it, of one column.
template <int kWidth, int kLanes, int kCtasPerSm, bool kBeside, typename Reduce, int kColumns>
__global__ void __launch_bounds__(arith::kReduceGroups* arith::kReduceLanes,
                                  ReduceBoundCtas(kBeside))
    DwReduceKernel(const typename Reduce::Partial* partials, int ctas, float* dw, bool accumulate) {
  constexpr int kGroups = arith::kReduceGroups;
  constexpr int kBatch = 160 / kGroups / kColumns;
  __shared__ ReduceTotals<Reduce, kColumns> totals;
  const int lane = static_cast<int>(threadIdx.x) % arith::kReduceLanes;
  const int group = static_cast<int>(threadIdx.x) / arith::kReduceLanes;
  const int index = (static_cast<int>(blockIdx.x) * arith::kReduceLanes + lane) * kColumns;
  ptx::WaitForPrimary();
  Reduce sums[kColumns];
  // Few CTAs are not worth a long batch, most of which would be the last one's partials.
  if (ReduceBoundCtas(kBeside) > 1 || kCtasPerSm == 1 || ctas <= kBatch * kGroups) {
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
