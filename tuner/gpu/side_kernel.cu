#include <chrono>
#include <thread>

#include "accuracy/error.h"
#include "tuner/gpu/side_kernel.h"

namespace fenestra {
namespace {

constexpr int kToldToEnd = 0;
constexpr int kFirstSm = 1;
constexpr int kSmsMax = 1024;
constexpr int kThreads = 32;
constexpr long long kCyclesMax = 20'000'000'000;  // some 10 s: whatever happens, it ends

__global__ void __launch_bounds__(kThreads) HoldKernel(unsigned* words) {
  extern __shared__ unsigned char held[];
  if (threadIdx.x != 0) return;
  held[0] = 1;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  atomicAdd_system(words + kFirstSm + sm % kSmsMax, 1U);
  const volatile unsigned* end = words + kToldToEnd;
  const long long start = clock64();
  while (*end == 0 && clock64() - start < kCyclesMax) __nanosleep(1000);
}

}  // namespace

SharedWords::SharedWords(int count) {
  CheckCuda(cudaHostAlloc(&words_, static_cast<std::size_t>(count) * sizeof(unsigned),
                          cudaHostAllocMapped),
            "allocating host memory");
  for (int i = 0; i < count; ++i) words_[i] = 0;
}

SharedWords::~SharedWords() { (void)cudaFreeHost(words_); }

SideKernel::SideKernel(int sm_count, int shared_bytes) : words_(kFirstSm + kSmsMax) {
  CheckCuda(
      cudaFuncSetAttribute(HoldKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
      "raising a kernel's shared memory limit");
  HoldKernel<<<static_cast<unsigned>(sm_count), kThreads, static_cast<std::size_t>(shared_bytes),
               stream_.get()>>>(words_.get());
  CheckLaunch("launching the side kernel");
  const auto busy = [this] {
    int sms = 0;
    for (int sm = 0; sm < kSmsMax; ++sm) sms += words_[kFirstSm + sm] > 0 ? 1 : 0;
    return sms;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (busy() < sm_count) {
    if (std::chrono::steady_clock::now() > deadline) {
      End();
      throw Error("the side kernel did not start on every SM: another process may hold the GPU",
                  ExitCode::kMachine);
    }
    std::this_thread::yield();
  }
}

void SideKernel::End() {
  words_[kToldToEnd] = 1;
  (void)cudaStreamSynchronize(stream_.get());
}

SideKernel::~SideKernel() { End(); }

}  // namespace fenestra
