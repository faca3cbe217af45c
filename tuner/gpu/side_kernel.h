// A kernel that another stream keeps busy beside a program: it holds shared memory on every SM
// until it is told to end.
#pragma once

#include "tuner/gpu/cuda_stream.h"

namespace fenestra {

// 32-bit words in host memory that the GPU sees too.
class SharedWords {
 public:
  explicit SharedWords(int count);  // zeroed; throws Error when there is no room
  ~SharedWords();
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  volatile unsigned& operator[](int i) const { return words_[i]; }
  unsigned* get() const { return words_; }

 private:
  unsigned* words_ = nullptr;
};

class SideKernel {
 public:
  // One CTA on each of sm_count SMs, each holding `shared_bytes`, on a stream of its own. Shared
  // memory is split from L1 as the driver chooses for such a kernel, as beside any other. Returns
  // when all are running. Throws Error when they do not start within a second, or two on one SM.
  SideKernel(int sm_count, int shared_bytes);
  // Ends the kernel and waits for it.
  ~SideKernel();
  SideKernel(const SideKernel&) = delete;
  SideKernel& operator=(const SideKernel&) = delete;

 private:
  void End();

  SharedWords words_;  // told to end, then how many CTAs each SM holds
  CudaStream stream_;
};

}  // namespace fenestra
