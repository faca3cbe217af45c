// A ring of row tiles in shared memory, filled by the bulk copy engine and drained by every warp.
// Warp 0 refills a stage once all warps have taken what they need of it into registers.
#pragma once

#include "kernels/arith/split.h"
#include "kernels/device/ptx.cuh"
#include "kernels/device/rows.cuh"

namespace fenestra::device {

template <int kWidth, int kThreads, int kTileRows, int kStages, int kTensors>
class Ring {
 public:
  static constexpr int kRowBytes = kWidth * 2;
  static constexpr int kStageBytes = kTensors * kTileRows * kRowBytes;
  static constexpr int kBytes = kStages * kStageBytes;

  // `storage`: kBytes of shared memory, 16-byte aligned; `barriers`: 2 * kStages. The first loads
  // are issued before this returns; a __syncthreads must follow before any Wait.
  __device__ __forceinline__ Ring(unsigned char* storage, std::uint64_t* barriers,
                                  const Rows (&tensors)[kTensors], const Divisor& heads,
                                  bool packed, const arith::TileRange& tiles)
      : storage_(storage),
        barriers_(barriers),
        tensors_(tensors),
        heads_(heads),
        packed_(packed),
        tiles_(tiles) {
    if (threadIdx.x >= 32) return;
    if (threadIdx.x == 0) {
      for (int s = 0; s < kStages; ++s) {
        ptx::InitBarrier(&barriers[s], 1);
        ptx::InitBarrier(&barriers[kStages + s], kThreads / 32);
      }
      ptx::FenceBarrierInit();
    }
    __syncwarp();
    for (int s = 0; s < kStages; ++s) Load(s, tiles.first + s * tiles.step);
  }

  // Waits until the tile of iteration k has arrived.
  __device__ __forceinline__ void Wait(int stage, std::uint32_t parity) {
    ptx::WaitBarrier(&barriers_[stage], parity);
  }

  // Row `row` of the tile in `stage`, of one tensor.
  __device__ __forceinline__ const std::uint16_t* Row(int stage, int tensor, int row) const {
    return reinterpret_cast<const std::uint16_t*>(storage_ + stage * kStageBytes +
                                                  (tensor * kTileRows + row) * kRowBytes);
  }

  // This warp has read all it needs of the stage; for RefillReleased.
  __device__ __forceinline__ void Release(int stage) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) ptx::Arrive(&barriers_[kStages + stage]);
  }

  // Loads the tile at `row` into a stage that every warp has read, which a barrier has told.
  __device__ __forceinline__ void Refill(int stage, std::int64_t row) {
    if (threadIdx.x < 32) Load(stage, row);
  }

  // The same where no barrier gathers all warps: warp 0 waits for each to have released the stage.
  __device__ __forceinline__ void RefillReleased(int stage, std::uint32_t parity,
                                                 std::int64_t row) {
    if (threadIdx.x >= 32 || row >= tiles_.end) return;
    ptx::WaitBarrier(&barriers_[kStages + stage], parity);
    Load(stage, row);
  }

 private:
  // Warp 0 only.
  __device__ __forceinline__ void Load(int stage, std::int64_t row) {
    if (row >= tiles_.end) return;
    const std::int64_t left = tiles_.end - row;
    const int count = left < kTileRows ? static_cast<int>(left) : kTileRows;
    const int lane = static_cast<int>(threadIdx.x);
    std::uint64_t* full = &barriers_[stage];
    if (lane == 0) ptx::ArriveExpecting(full, count * kTensors * kRowBytes);
    __syncwarp();
    unsigned char* target = storage_ + stage * kStageBytes;
    if (packed_) {
      if (lane < kTensors) {
        ptx::BulkLoad(target + lane * kTileRows * kRowBytes, tensors_[lane].data + row * kWidth,
                      count * kRowBytes, full);
      }
      return;
    }
    for (int i = lane; i < count * kTensors; i += 32) {
      const int tensor = i / count;
      const int r = i % count;
      ptx::BulkLoad(target + (tensor * kTileRows + r) * kRowBytes,
                    RowOf(tensors_[tensor], heads_, row + r), kRowBytes, full);
    }
  }

  unsigned char* storage_;
  std::uint64_t* barriers_;
  const Rows (&tensors_)[kTensors];
  const Divisor& heads_;
  bool packed_;
  const arith::TileRange& tiles_;
};

}  // namespace fenestra::device
