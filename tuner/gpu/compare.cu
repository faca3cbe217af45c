#include "accuracy/gpu/cuda_check.h"
#include "kernels/arith/scalar.h"
#include "tuner/gpu/compare.h"
#include "tuner/gpu/device_memory.h"

namespace fenestra {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kCtas = 1024;

__device__ float AsFloat(std::uint16_t bits) { return arith::FromBf16(bits); }
__device__ float AsFloat(float value) { return value; }

template <typename T>
__global__ void __launch_bounds__(kThreads)
    CountKernel(const T* a, const T* b, std::int64_t count, unsigned long long* differences) {
  unsigned long long found = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += step) {
    const float left = AsFloat(a[i]);
    const float right = AsFloat(b[i]);
    const bool both_nan = left != left && right != right;
    if (!both_nan && arith::BitsOf(left) != arith::BitsOf(right)) ++found;
  }
  if (found > 0) atomicAdd(differences, found);
}

template <typename T>
std::int64_t Count(const T* a, const T* b, std::int64_t count, cudaStream_t stream) {
  const DeviceArray<unsigned long long> differences(1);
  CheckCuda(cudaMemsetAsync(differences.get(), 0, sizeof(unsigned long long), stream),
            "clearing a counter");
  CountKernel<<<kCtas, kThreads, 0, stream>>>(a, b, count, differences.get());
  CheckLaunch("comparing outputs");
  unsigned long long found = 0;
  CheckCuda(
      cudaMemcpyAsync(&found, differences.get(), sizeof found, cudaMemcpyDeviceToHost, stream),
      "reading a counter");
  CheckCuda(cudaStreamSynchronize(stream), "comparing outputs");
  return static_cast<std::int64_t>(found);
}

}  // namespace

std::int64_t CountDifferences(const std::uint16_t* a, const std::uint16_t* b, std::int64_t count,
                              cudaStream_t stream) {
  return Count(a, b, count, stream);
}

std::int64_t CountDifferences(const float* a, const float* b, std::int64_t count,
                              cudaStream_t stream) {
  return Count(a, b, count, stream);
}

}  // namespace fenestra
