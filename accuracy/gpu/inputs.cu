// Seeded inputs on the GPU; the elements are those of accuracy/input_draw.h.
#include <algorithm>

#include "accuracy/gpu/accuracy_gpu.h"
#include "accuracy/gpu/cuda_check.h"
#include "accuracy/gpu/partials.h"

namespace fenestra::gpu {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;           // a warp fills one row at a time
constexpr int kGroups = 2;          // adjacent groups a thread: pairs of columns in one store
constexpr int kMaxGridRows = 2048;  // blocks over rows; each then strides

__device__ std::uint32_t Pair(std::uint16_t low, std::uint16_t high) {
  return static_cast<std::uint32_t>(high) << 16 | low;
}

// Columns group, group + 1 and their like in the other three quarters of the row.
__device__ void StorePairs(const GroupOfFour (&groups)[kGroups], int group, int quarter,
                           std::uint16_t* row) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    *reinterpret_cast<std::uint32_t*>(row + group + k * quarter) =
        Pair(groups[0].bf16[k], groups[1].bf16[k]);
  }
}

// `scaled` holds the scaled column of each run.
template <Family family>
__device__ void FillRow(const InputDraw& draw, const int* scaled, std::int64_t row, int group,
                        std::uint16_t* h, std::uint16_t* dy) {
  const int quarter = draw.width / 4;
  const RowDraw place = DrawRow(draw, row);
  GroupOfFour h_groups[kGroups];
  GroupOfFour dy_groups[kGroups];
#pragma unroll
  for (int i = 0; i < kGroups; ++i) {
    const int own_group = group + i;
    h_groups[i] = DrawH(draw, place, static_cast<std::uint32_t>(own_group), [&](int k) {
      if constexpr (family != Family::kOutlier) return 1.0F;
      const int column = own_group + k * quarter;
      const int run = column / (draw.width / draw.outlier_runs);
      return scaled[run] == column ? kOutlierColumnScale : 1.0F;
    });
    dy_groups[i] = DrawDy(draw, place, static_cast<std::uint32_t>(own_group));
  }
  StorePairs(h_groups, group, quarter, h + row * draw.width);
  StorePairs(dy_groups, group, quarter, dy + row * draw.width);
}

template <Family family>
__global__ void __launch_bounds__(kWarp* kWarps)
    InputsKernel(InputDraw draw, std::uint16_t* h, std::uint16_t* dy) {
  extern __shared__ int scaled[];
  draw.family = family;  // known to the compiler, so that each family pays for its own draws only
  if constexpr (family == Family::kOutlier) {
    const int thread = static_cast<int>(threadIdx.y * kWarp + threadIdx.x);
    for (int run = thread; run < draw.outlier_runs; run += kWarp * kWarps) {
      scaled[run] = OutlierColumn(draw, run);
    }
    __syncthreads();
  }
  const int group = static_cast<int>(blockIdx.x * kWarp + threadIdx.x) * kGroups;
  if (group >= draw.width / 4) return;
  const std::int64_t stride = std::int64_t{gridDim.y} * kWarps;
  for (std::int64_t row = std::int64_t{blockIdx.y} * kWarps + threadIdx.y; row < draw.rows;
       row += stride) {
    FillRow<family>(draw, scaled, row, group, h, dy);
  }
}

__global__ void WeightKernel(std::int64_t seed, int width, float* w32, std::uint16_t* w16) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= width) return;
  const float weight = DrawWeight(seed, static_cast<std::uint32_t>(column));
  w32[column] = weight;
  w16[column] = arith::ToBf16(weight);
}

template <Family family>
void Launch(const InputDraw& draw, std::uint16_t* h, std::uint16_t* dy, cudaStream_t stream) {
  const std::int64_t row_blocks = (draw.rows + kWarps - 1) / kWarps;
  const int group_columns = kWarp * kGroups * 4;  // columns of one block
  const dim3 grid((draw.width + group_columns - 1) / group_columns,
                  static_cast<unsigned>(std::min<std::int64_t>(row_blocks, kMaxGridRows)));
  const std::size_t shared_bytes = draw.outlier_runs * sizeof(int);
  InputsKernel<family><<<grid, dim3(kWarp, kWarps), shared_bytes, stream>>>(draw, h, dy);
  CheckLaunch("input fill");
}

}  // namespace

void FillInputs(const InputSpec& spec, std::uint16_t* h, std::uint16_t* dy, cudaStream_t stream) {
  const InputDraw draw = MakeDraw(spec);
  if (draw.rows == 0) return;
  switch (draw.family) {
    case Family::kNormal:
      return Launch<Family::kNormal>(draw, h, dy, stream);
    case Family::kOutlier:
      return Launch<Family::kOutlier>(draw, h, dy, stream);
    case Family::kCancel:
      return Launch<Family::kCancel>(draw, h, dy, stream);
  }
}

void FillWeight(std::int64_t seed, int width, float* w32, std::uint16_t* w16, cudaStream_t stream) {
  CheckShape("weight fill", 0, width);
  constexpr int kThreads = 256;
  WeightKernel<<<(width + kThreads - 1) / kThreads, kThreads, 0, stream>>>(seed, width, w32, w16);
  CheckLaunch("weight fill");
}

}  // namespace fenestra::gpu
