// Bitwise comparison of device tensors.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fenestra {

// Elements of BF16 or FP32 arrays whose bits differ, NaNs counting as equal. Synchronizes the
// stream. Throws Error when CUDA fails.
std::int64_t CountDifferences(const std::uint16_t* a, const std::uint16_t* b, std::int64_t count,
                              cudaStream_t stream);
std::int64_t CountDifferences(const float* a, const float* b, std::int64_t count,
                              cudaStream_t stream);

}  // namespace fenestra
