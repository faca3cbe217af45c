// What the functions of accuracy/gpu put into their workspace, and argument checks they share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fenestra::gpu {

// Bytes of partial sums for a number of rows and columns.
std::size_t EagerPartialBytes(std::int64_t rows, int width);  // FP32 [splits, width]
std::size_t ReferencePartialBytes(int width);                 // FP64 [2, chains, width]

// Throws Error unless rows and width are in the ranges of accuracy_gpu.h.
void CheckShape(const char* where, std::int64_t rows, int width);

}  // namespace fenestra::gpu
