// The floor beside every timed program: a kernel that only moves the same bytes; and the cold L2.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fenestra {

// Reads `reads` (1 to 3) tensors of `bytes` bytes and writes `writes` (1 or 2): 1+1 forward, 2+1
// backward, 2+2 and 3+1 with residual. Pointers 16-byte aligned, bytes a multiple of 16. Throws
// Error when the launch fails.
struct StreamCall {
  const void* in[3] = {};
  void* out[2] = {};
  int reads = 1;
  int writes = 1;
  std::int64_t bytes = 0;
};
void LaunchStream(const StreamCall& call, cudaStream_t stream);

// A buffer of twice the L2, written and then read, so that what is left in L2 is clean and foreign.
class ColdL2 {
 public:
  ColdL2();
  ~ColdL2();
  ColdL2(const ColdL2&) = delete;
  ColdL2& operator=(const ColdL2&) = delete;

  void Flush(cudaStream_t stream);

 private:
  void* buffer_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace fenestra
