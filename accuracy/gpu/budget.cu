// Scalars of a dw on the GPU: its worst error and its digest. dw has a few thousand elements, so
// one block does each, and writes the scalar itself.
#include "accuracy/digest.h"
#include "accuracy/gpu/accuracy_gpu.h"
#include "accuracy/gpu/cuda_check.h"
#include "accuracy/gpu/partials.h"

namespace fenestra::gpu {
namespace {

constexpr int kThreads = 512;

// Joins one value a thread; the result is returned to thread 0. Any order gives the same result for
// the joins used here.
template <typename T, typename Join>
__device__ T JoinBlock(T value, Join join) {
  __shared__ T values[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  values[thread] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) values[thread] = join(values[thread], values[thread + half]);
  }
  return values[0];
}

__global__ void __launch_bounds__(kThreads)
    WorstKernel(int width, const float* dw, const double* reference, WorstError* result) {
  WorstError worst{};
  for (int i = static_cast<int>(threadIdx.x); i < width; i += kThreads) {
    const WorstError here{FractionOfBudget(dw[i], reference[i]), i};
    if (IsWorse(here, worst)) worst = here;
  }
  worst = JoinBlock(worst,
                    [](const WorstError& a, const WorstError& b) { return IsWorse(b, a) ? b : a; });
  if (threadIdx.x == 0) *result = worst;
}

__global__ void __launch_bounds__(kThreads)
    DigestKernel(std::int64_t size, const float* values, std::uint64_t* result) {
  std::uint64_t sum = 0;
  for (std::int64_t i = threadIdx.x; i < size; i += kThreads) {
    sum += DigestTerm(static_cast<std::uint32_t>(i), values[i]);
  }
  sum = JoinBlock(sum, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  if (threadIdx.x == 0) *result = sum;
}

}  // namespace

void WorstOf(int width, const float* dw, const double* reference, WorstError* worst,
             cudaStream_t stream) {
  CheckShape("worst error", 0, width);
  WorstKernel<<<1, kThreads, 0, stream>>>(width, dw, reference, worst);
  CheckLaunch("worst error");
}

void DigestOf(std::int64_t size, const float* values, std::uint64_t* digest, cudaStream_t stream) {
  DigestKernel<<<1, kThreads, 0, stream>>>(size, values, digest);
  CheckLaunch("digest");
}

}  // namespace fenestra::gpu
