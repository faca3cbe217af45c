// The eager comparator on the GPU; its order is that of accuracy/eager_order.h.
#include <algorithm>

#include "accuracy/eager_order.h"
#include "accuracy/gpu/accuracy_gpu.h"
#include "accuracy/gpu/cuda_check.h"
#include "accuracy/gpu/partials.h"

namespace fenestra::gpu {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;            // rows of a block of RstdKernel
constexpr int kColumns = 2;          // of a thread of SplitKernel: one 4-byte load
constexpr int kMaxGridRows = 65535;  // gridDim.y; blocks then stride

static_assert(eager::kRowLanes == kWarp, "a warp sums a row");

__device__ float LowBf16(std::uint32_t pair) {
  return arith::FromBf16(static_cast<std::uint16_t>(pair & 0xffffU));
}
__device__ float HighBf16(std::uint32_t pair) {
  return arith::FromBf16(static_cast<std::uint16_t>(pair >> 16));
}

__device__ float AddSquare(float sum, float value) {
  return arith::Add(sum, arith::Mul(value, value));
}

// One warp a row.
__global__ void __launch_bounds__(kWarp* kWarps)
    RstdKernel(std::int64_t rows, int width, const std::uint16_t* h, float* rstd) {
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t stride = std::int64_t{gridDim.x} * kWarps;
  for (std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.y; row < rows;
       row += stride) {
    const std::uint16_t* values = h + row * width;
    float sums[4] = {};
#pragma unroll 4
    for (int column = 4 * lane; column < width; column += eager::kRowSlots) {
      const uint2 four = *reinterpret_cast<const uint2*>(values + column);
      sums[0] = AddSquare(sums[0], LowBf16(four.x));
      sums[1] = AddSquare(sums[1], HighBf16(four.x));
      sums[2] = AddSquare(sums[2], LowBf16(four.y));
      sums[3] = AddSquare(sums[3], HighBf16(four.y));
    }
    float sum = eager::CombineFour(sums[0], sums[1], sums[2], sums[3]);
#pragma unroll
    for (int offset = 1; offset < kWarp; offset *= 2) {
      sum = arith::Add(sum, __shfl_down_sync(0xffffffffU, sum, offset));
    }
    if (lane == 0) rstd[row] = eager::RstdOf(sum, width);
  }
}

// Partial column sums: block (x, y) takes 64 columns and splits y, y + gridDim.y, ...; a row of
// threads is a lane. partials [splits, width].
__global__ void __launch_bounds__(kWarp* eager::kLanes)
    SplitKernel(std::int64_t rows, int width, const std::uint16_t* h, const std::uint16_t* dy,
                const float* rstd, float* partials) {
  __shared__ float lanes[eager::kLanes][kWarp * kColumns];
  const int lane = static_cast<int>(threadIdx.y);
  const int own = static_cast<int>(threadIdx.x) * kColumns;
  const int column = static_cast<int>(blockIdx.x) * kWarp * kColumns + own;
  const std::int64_t splits = eager::SplitsOf(rows);
  for (std::int64_t split = blockIdx.y; split < splits; split += gridDim.y) {
    float sums[eager::kAccumulators][kColumns] = {};
    if (column < width) {
      eager::ForRowsOfLane(rows, splits, split, lane, [&](int accumulator, std::int64_t row) {
        const std::int64_t at = row * width + column;
        const auto h_pair = *reinterpret_cast<const std::uint32_t*>(h + at);
        const auto dy_pair = *reinterpret_cast<const std::uint32_t*>(dy + at);
        float* sum = sums[accumulator];
        sum[0] = arith::Add(sum[0], eager::TermOf(LowBf16(h_pair), LowBf16(dy_pair), rstd[row]));
        sum[1] = arith::Add(sum[1], eager::TermOf(HighBf16(h_pair), HighBf16(dy_pair), rstd[row]));
      });
    }
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      lanes[lane][own + i] = eager::CombineFour(sums[0][i], sums[1][i], sums[2][i], sums[3][i]);
    }
    __syncthreads();
    // The first two rows of threads join the lanes of one column each.
    const int joined = lane * kWarp + static_cast<int>(threadIdx.x);
    const int joined_column = static_cast<int>(blockIdx.x) * kWarp * kColumns + joined;
    if (joined < kWarp * kColumns && joined_column < width) {
      eager::ForLaneTree([&](int to, int from) {
        lanes[to][joined] = arith::Add(lanes[to][joined], lanes[from][joined]);
      });
      partials[split * width + joined_column] = lanes[0][joined];
    }
    __syncthreads();
  }
}

// Joins the splits of a column; one thread each.
__global__ void JoinKernel(std::int64_t splits, int width, const float* partials, float* dw) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= width) return;
  float lanes[eager::kLanes] = {};
  for (std::int64_t first = 0; first < splits; first += eager::kLanes) {
#pragma unroll
    for (int lane = 0; lane < eager::kLanes; ++lane) {
      if (first + lane < splits) {
        lanes[lane] = arith::Add(lanes[lane], partials[(first + lane) * width + column]);
      }
    }
  }
  eager::ForLaneTree([&](int to, int from) { lanes[to] = arith::Add(lanes[to], lanes[from]); });
  dw[column] = lanes[0];
}

}  // namespace

void EagerRstd(std::int64_t rows, int width, const std::uint16_t* h, float* rstd,
               cudaStream_t stream) {
  CheckShape("eager rstd", rows, width);
  if (rows == 0) return;
  constexpr std::int64_t kMaxBlocks = 16384;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>((rows + kWarps - 1) / kWarps, kMaxBlocks));
  RstdKernel<<<blocks, dim3(kWarp, kWarps), 0, stream>>>(rows, width, h, rstd);
  CheckLaunch("eager rstd");
}

void EagerDw(std::int64_t rows, int width, const std::uint16_t* h, const std::uint16_t* dy,
             const float* rstd, float* dw, const Workspace& workspace, cudaStream_t stream) {
  CheckShape("eager dw", rows, width);
  auto* partials = static_cast<float*>(workspace.Take(EagerPartialBytes(rows, width)));
  const std::int64_t splits = eager::SplitsOf(rows);
  constexpr int kBlockColumns = kWarp * kColumns;
  const dim3 grid((width + kBlockColumns - 1) / kBlockColumns,
                  static_cast<unsigned>(std::min<std::int64_t>(splits, kMaxGridRows)));
  SplitKernel<<<grid, dim3(kWarp, eager::kLanes), 0, stream>>>(rows, width, h, dy, rstd, partials);
  CheckLaunch("eager dw");
  constexpr int kThreads = 64;
  JoinKernel<<<(width + kThreads - 1) / kThreads, kThreads, 0, stream>>>(splits, width, partials,
                                                                         dw);
  CheckLaunch("eager dw");
}

}  // namespace fenestra::gpu
