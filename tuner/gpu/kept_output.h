// A copy of an output, on the GPU, to compare with what the output holds later.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tuner/gpu/compare.h"
#include "tuner/gpu/cuda_stream.h"
#include "tuner/gpu/device_memory.h"

namespace fenestra {

// T: std::uint16_t (BF16 bits) or float. `output` must outlive it.
template <typename T>
class KeptOutput {
 public:
  KeptOutput(const DeviceArray<T>& output, std::int64_t count) : output_(output), copy_(count) {}

  // Queued on `stream`, not waited for: a stream that is to see the copy must be ordered after it.
  void Keep(cudaStream_t stream = kDefaultStream) {
    CheckCuda(cudaMemcpyAsync(copy_.get(), output_.get(),
                              static_cast<std::size_t>(copy_.count()) * sizeof(T),
                              cudaMemcpyDeviceToDevice, stream),
              "keeping an output");
  }

  // Elements that differ from what was kept, see CountDifferences.
  std::int64_t Differences(cudaStream_t stream = kDefaultStream) const {
    return CountDifferences(output_.get(), copy_.get(), copy_.count(), stream);
  }

 private:
  const DeviceArray<T>& output_;
  DeviceArray<T> copy_;
};

}  // namespace fenestra
