// A group: the warps of a CTA that share a row.
#pragma once

#include "kernels/arith/row.h"
#include "kernels/device/ptx.cuh"

namespace fenestra::device {

template <int kThreads, int kWarpsPerRow>
struct Group {
  static constexpr int kLanes = 32 * kWarpsPerRow;
  static constexpr int kGroups = kThreads / kLanes;
  static_assert(kThreads % kLanes == 0);
  static_assert(kGroups == 1 || kWarpsPerRow == 1 || kGroups < 16, "named barriers 1 to 15");

  int index;  // of the group in the CTA
  int lane;   // of the thread in the group
  int warp;   // of the warp in the group

  __device__ __forceinline__ Group()
      : index(static_cast<int>(threadIdx.x) / kLanes),
        lane(static_cast<int>(threadIdx.x) % kLanes),
        warp(lane / 32) {}

  __device__ __forceinline__ void Sync() const {
    if constexpr (kWarpsPerRow == 1) {
      __syncwarp();
    } else if constexpr (kGroups == 1) {
      __syncthreads();
    } else {
      ptx::SyncNamed(1 + index, kLanes);
    }
  }

  // Sums of kCount rows over the group: `sums` holds each lane's shares, then the totals, the same
  // bits in every lane. `scratch`: [kGroups][kCount][kWarpsPerRow] floats, not touched by the call
  // before the last. `before_sync` runs where warps would otherwise wait for one another, and finds
  // the warp's totals in `sums`.
  template <int kCount, typename Work>
  __device__ __forceinline__ void Sum(float (&sums)[kCount], float* scratch,
                                      const Work& before_sync) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) sums[j] = arith::ButterflySum(sums[j]);
    if constexpr (kWarpsPerRow == 1) {
      before_sync();
    } else {
      float* mine = scratch + index * kCount * kWarpsPerRow;
      if (lane % 32 == 0) {
#pragma unroll
        for (int j = 0; j < kCount; ++j) mine[j * kWarpsPerRow + warp] = sums[j];
      }
      before_sync();
      Sync();
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        float parts[kWarpsPerRow];
#pragma unroll
        for (int i = 0; i < kWarpsPerRow; ++i) parts[i] = mine[j * kWarpsPerRow + i];
        sums[j] = arith::TreeSum<kWarpsPerRow>(parts);
      }
    }
  }
};

}  // namespace fenestra::device
