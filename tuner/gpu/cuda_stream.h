// The streams that measuring uses.
#pragma once

#include <cuda_runtime_api.h>

#include "accuracy/gpu/cuda_check.h"

namespace fenestra {

inline constexpr cudaStream_t kDefaultStream = nullptr;  // NOLINT(misc-misplaced-const)

// A stream owned by scope; it waits for no other.
class CudaStream {
 public:
  // Throws Error when CUDA refuses.
  CudaStream() {
    CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~CudaStream() { (void)cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace fenestra
