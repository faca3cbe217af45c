#include <chrono>
#include <thread>

#include "accuracy/error.h"
#include "accuracy/gpu/cuda_check.h"
#include "tuner/gpu/side_kernel.h"

namespace fenestra {
namespace {

constexpr int kStarted = 0;
constexpr int kToldToEnd = 1;
constexpr int kWords = 2;
constexpr int kThreads = 32;
constexpr long long kCyclesMax = 20'000'000'000;  // some 10 s: whatever happens, it ends

__global__ void __launch_bounds__(kThreads) HoldKernel(unsigned* words) {
  extern __shared__ unsigned char held[];
  if (threadIdx.x != 0) return;
  held[0] = 1;
  atomicAdd_system(words + kStarted, 1U);
  const volatile unsigned* end = words + kToldToEnd;
  const long long start = clock64();
  while (*end == 0 && clock64() - start < kCyclesMax) __nanosleep(1000);
}

}  // namespace

SideKernel::SideKernel(int sm_count, int shared_bytes) {
  CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  CheckCuda(cudaHostAlloc(&words_, kWords * sizeof(unsigned), cudaHostAllocMapped),
            "allocating host memory");
  words_[kStarted] = 0;
  words_[kToldToEnd] = 0;
  CheckCuda(
      cudaFuncSetAttribute(HoldKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
      "raising a kernel's shared memory limit");
  HoldKernel<<<static_cast<unsigned>(sm_count), kThreads, static_cast<std::size_t>(shared_bytes),
               stream_>>>(words_);
  CheckLaunch("launching the side kernel");
  const auto started = [this] { return *const_cast<const volatile unsigned*>(words_ + kStarted); };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (started() < static_cast<unsigned>(sm_count)) {
    if (std::chrono::steady_clock::now() > deadline) {
      End();
      throw Error("the side kernel did not start on every SM: another process may hold the GPU",
                  ExitCode::kMachine);
    }
    std::this_thread::yield();
  }
}

void SideKernel::End() {
  *const_cast<volatile unsigned*>(words_ + kToldToEnd) = 1;
  (void)cudaStreamSynchronize(stream_);
  (void)cudaFreeHost(words_);
  (void)cudaStreamDestroy(stream_);
}

SideKernel::~SideKernel() { End(); }

}  // namespace fenestra
