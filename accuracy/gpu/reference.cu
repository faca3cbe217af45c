// The FP64 reference on the GPU, written independently of accuracy/reference.cc and of
// kernels/arith: the order is the one that accuracy/reference.h states.
#include "accuracy/gpu/accuracy_gpu.h"
#include "accuracy/gpu/cuda_check.h"
#include "accuracy/gpu/partials.h"
#include "accuracy/reference.h"

namespace fenestra::gpu {
namespace {

constexpr int kWarp = 32;
constexpr int kColumns = 2;       // of a thread of ChainKernel: one 4-byte load
constexpr int kChainsABlock = 8;  // of ChainKernel
constexpr int kAhead = 8;         // rows of a chain whose loads are in flight together

static_assert(kReferenceChains % kChainsABlock == 0);

struct DoubleDouble {
  double high;
  double low;

  __device__ void Add(double term) {
    const double sum = __dadd_rn(high, term);
    const double taken = __dsub_rn(sum, high);
    const double lost_high = __dsub_rn(high, __dsub_rn(sum, taken));
    const double lost_term = __dsub_rn(term, taken);
    const double tail = __dadd_rn(low, __dadd_rn(lost_high, lost_term));
    high = __dadd_rn(sum, tail);
    low = __dsub_rn(tail, __dsub_rn(high, sum));
  }

  __device__ void Add(const DoubleDouble& other) {
    low = __dadd_rn(low, other.low);
    Add(other.high);
  }
};

__device__ double WidenLow(std::uint32_t pair) {
  return static_cast<double>(__uint_as_float(pair << 16));
}
__device__ double WidenHigh(std::uint32_t pair) {
  return static_cast<double>(__uint_as_float(pair & 0xffff0000U));
}

// What a thread needs of one row; zeros beyond the last row are not added.
struct RowPart {
  std::uint32_t h;
  std::uint32_t dy;
  float rstd;

  // 8 + 8 + 24 significant bits: exact.
  __device__ void AddTo(DoubleDouble (&sums)[kColumns]) const {
    const auto scale = static_cast<double>(rstd);
    sums[0].Add(__dmul_rn(__dmul_rn(WidenLow(dy), WidenLow(h)), scale));
    sums[1].Add(__dmul_rn(__dmul_rn(WidenHigh(dy), WidenHigh(h)), scale));
  }
};

// One chain and two columns a thread. partials: highs [chains, width], then lows.
__global__ void __launch_bounds__(kWarp* kChainsABlock)
    ChainKernel(std::int64_t rows, int width, const std::uint16_t* h, const std::uint16_t* dy,
                const float* rstd, double* partials) {
  const int column = static_cast<int>(blockIdx.x * kWarp + threadIdx.x) * kColumns;
  const int chain = static_cast<int>(blockIdx.y * kChainsABlock + threadIdx.y);
  if (column >= width) return;
  const auto part_of = [&](std::int64_t row) {
    const std::int64_t at = row * width + column;
    return RowPart{*reinterpret_cast<const std::uint32_t*>(h + at),
                   *reinterpret_cast<const std::uint32_t*>(dy + at), rstd[row]};
  };
  DoubleDouble sums[kColumns] = {};
  std::int64_t row = chain;
  for (; row + (kAhead - 1) * kReferenceChains < rows; row += kAhead * kReferenceChains) {
    RowPart parts[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) parts[i] = part_of(row + i * kReferenceChains);
#pragma unroll
    for (int i = 0; i < kAhead; ++i) parts[i].AddTo(sums);
  }
  for (; row < rows; row += kReferenceChains) part_of(row).AddTo(sums);
  const std::int64_t lows = std::int64_t{kReferenceChains} * width;
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    const std::int64_t at = std::int64_t{chain} * width + column + i;
    partials[at] = sums[i].high;
    partials[lows + at] = sums[i].low;
  }
}

// Joins the chains: block x takes 32 columns, its thread (x, y) chains y and y + 32 of one.
__global__ void __launch_bounds__(kWarp* kReferenceChains / 2)
    JoinKernel(int width, const double* partials, double* dw) {
  __shared__ DoubleDouble joined[kReferenceChains / 2][kWarp];
  const int column = static_cast<int>(blockIdx.x * kWarp + threadIdx.x);
  const int chain = static_cast<int>(threadIdx.y);
  const bool inside = column < width;
  const auto load = [&](int from) {
    const std::int64_t at = std::int64_t{from} * width + column;
    return DoubleDouble{partials[at], partials[std::int64_t{kReferenceChains} * width + at]};
  };
  if (inside) {
    DoubleDouble sum = load(chain);
    sum.Add(load(chain + kReferenceChains / 2));
    joined[chain][threadIdx.x] = sum;
  }
  for (int half = kReferenceChains / 4; half > 0; half /= 2) {
    __syncthreads();
    if (inside && chain < half) joined[chain][threadIdx.x].Add(joined[chain + half][threadIdx.x]);
  }
  if (inside && chain == 0) dw[column] = joined[0][threadIdx.x].high;
}

}  // namespace

void ReferenceDw(std::int64_t rows, int width, const std::uint16_t* h, const std::uint16_t* dy,
                 const float* rstd, double* dw, const Workspace& workspace, cudaStream_t stream) {
  CheckShape("reference dw", rows, width);
  auto* partials = static_cast<double*>(workspace.Take(ReferencePartialBytes(width)));
  constexpr int kBlockColumns = kWarp * kColumns;
  const dim3 grid((width + kBlockColumns - 1) / kBlockColumns, kReferenceChains / kChainsABlock);
  ChainKernel<<<grid, dim3(kWarp, kChainsABlock), 0, stream>>>(rows, width, h, dy, rstd, partials);
  CheckLaunch("reference dw");
  JoinKernel<<<(width + kWarp - 1) / kWarp, dim3(kWarp, kReferenceChains / 2), 0, stream>>>(
      width, partials, dw);
  CheckLaunch("reference dw");
}

}  // namespace fenestra::gpu
