// Rings of row tiles in shared memory, drained by every warp. BulkRing is filled by the bulk copy
// engine: warp 0 refills a stage once all warps have taken what they need of it into registers.
// AsyncRing is filled by cp.async, each thread for itself. PlainLoads is no ring: rows are read
// where they lie. All have one interface.
#pragma once

#include "kernels/arith/split.h"
#include "kernels/device/group.cuh"
#include "kernels/device/ptx.cuh"
#include "kernels/device/rows.cuh"

namespace fenestra::device {

template <int kWidth, int kThreads, int kTileRows, int kStages, int kTensors>
class BulkRing {
 public:
  static constexpr int kRowBytes = kWidth * 2;
  static constexpr int kStageBytes = kTensors * kTileRows * kRowBytes;
  static constexpr int kBytes = kStages * kStageBytes;

  // `storage`: kBytes of shared memory, 16-byte aligned; `barriers`: 2 * kStages; `tensors`:
  // kTensors. The first loads are issued before this returns; a __syncthreads must follow before
  // any Wait.
  __device__ __forceinline__ BulkRing(unsigned char* storage, std::uint64_t* barriers,
                                      const Rows* tensors, const Divisor& heads, bool packed,
                                      const arith::TileRange& tiles)
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
        ptx::InitBarrier(&barriers[kStages + s], kThreads);
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

  // This thread has read all it needs of the stage; for RefillReleased. Every lane arrives for
  // itself: one for its warp would need a warp barrier, which the compiler leaves out where the
  // warp is converged anyway, and racecheck then cannot see.
  __device__ __forceinline__ void Release(int stage) { ptx::Arrive(&barriers_[kStages + stage]); }

  // Loads the tile at `row` into a stage that every warp has read, which a barrier has told.
  __device__ __forceinline__ void Refill(int stage, std::int64_t row) {
    if (threadIdx.x < 32) Load(stage, row);
  }

  // The same where no barrier gathers all warps: warp 0 waits for all to have released the stage.
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
  const Rows* tensors_;
  const Divisor& heads_;
  bool packed_;
  const arith::TileRange& tiles_;
};

// Each thread loads just the vectors that it reads itself, so that no barrier is needed and rows
// may have any pitch: bulk copies of single 512-byte rows reach half the bandwidth on H 256.
template <int kWidth, typename Layout, int kRows, int kStages, int kTensors>
class AsyncRing {
 public:
  static constexpr int kVectors = kWidth / (kVector * Layout::kLanes);
  static constexpr int kTileRows = Layout::kGroups * kRows;
  static constexpr int kRowBytes = kWidth * 2;
  static constexpr int kStageBytes = kTensors * kTileRows * kRowBytes;
  static constexpr int kBytes = kStages * kStageBytes;

  __device__ __forceinline__ AsyncRing(unsigned char* storage, std::uint64_t*, const Rows* tensors,
                                       const Divisor& heads, bool, const arith::TileRange& tiles)
      : storage_(storage), tensors_(tensors), heads_(heads), tiles_(tiles) {
    for (int s = 0; s < kStages; ++s) Load(s, tiles.first + s * tiles.step);
  }

  __device__ __forceinline__ void Wait(int, std::uint32_t) { ptx::WaitAsync<kStages - 1>(); }

  __device__ __forceinline__ const std::uint16_t* Row(int stage, int tensor, int row) const {
    return reinterpret_cast<const std::uint16_t*>(storage_ + stage * kStageBytes +
                                                  (tensor * kTileRows + row) * kRowBytes);
  }

  // What was read of the stage has been used, but for the gradient of the residual stream: that is
  // in registers or on its way there. A thread refills only what it read itself, and its loads from
  // shared memory are done before a later copy of its own can write there: the copy has to come
  // from L2 first, and both pass the same load-store pipe in order.
  __device__ __forceinline__ void Refill(int stage, std::int64_t row) { Load(stage, row); }

 private:
  // A group is closed even when there is nothing left to load: Wait counts them.
  __device__ __forceinline__ void Load(int stage, std::int64_t tile) {
    const Layout group;
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      const int tile_row = j * Layout::kGroups + group.index;
      if (tile + tile_row >= tiles_.end) continue;
#pragma unroll
      for (int t = 0; t < kTensors; ++t) {
        const std::uint16_t* source = RowOf(tensors_[t], heads_, tile + tile_row);
        auto* target = const_cast<std::uint16_t*>(Row(stage, t, tile_row));
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
          const int column = arith::VectorColumn(v, group.lane, Layout::kLanes);
          ptx::AsyncLoad16(target + column, source + column);
        }
      }
    }
    ptx::CommitAsync();
  }

  unsigned char* storage_;
  const Rows* tensors_;
  const Divisor& heads_;
  const arith::TileRange& tiles_;
};

// Each thread reads its vectors of global memory when it needs them; other CTAs of the SM fill the
// wait.
template <int kWidth, typename Layout, int kRows, int kTensors>
class PlainLoads {
 public:
  static constexpr int kBytes = 0;

  __device__ __forceinline__ PlainLoads(unsigned char*, std::uint64_t*, const Rows* tensors,
                                        const Divisor& heads, bool, const arith::TileRange& tiles)
      : tensors_(tensors), heads_(heads), tiles_(tiles), tile_(tiles.first) {}

  __device__ __forceinline__ void Wait(int, std::uint32_t) {}

  // Past the end the last row, which is then not used: where dx overlays dy its owner may be
  // writing it at that moment, and no bit depends on what is read.
  __device__ __forceinline__ const std::uint16_t* Row(int, int tensor, int row) const {
    const std::int64_t last = tiles_.end - 1;
    const std::int64_t at = tile_ + row < last ? tile_ + row : last;
    return RowOf(tensors_[tensor], heads_, at);
  }

  __device__ __forceinline__ void Refill(int, std::int64_t) { tile_ += tiles_.step; }

 private:
  const Rows* tensors_;
  const Divisor& heads_;
  const arith::TileRange& tiles_;
  std::int64_t tile_;
};

}  // namespace fenestra::device
