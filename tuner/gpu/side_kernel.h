// A kernel that another stream keeps busy beside a program: it holds shared memory on every SM
// until it is told to end.
#pragma once

#include <cuda_runtime_api.h>

namespace fenestra {

class SideKernel {
 public:
  // One CTA a SM, each holding `shared_bytes`, on a stream of its own. Returns when all are
  // running. Throws Error when they do not start within a second.
  SideKernel(int sm_count, int shared_bytes);
  // Ends the kernel and waits for it.
  ~SideKernel();
  SideKernel(const SideKernel&) = delete;
  SideKernel& operator=(const SideKernel&) = delete;

 private:
  void End();

  cudaStream_t stream_ = nullptr;
  unsigned* words_ = nullptr;  // in host memory that the GPU sees: CTAs started, told to end
};

}  // namespace fenestra
