// The accuracy protocol on the GPU: inputs, comparator, reference and errors stay there, only
// scalars come back. Each function has the bits of its twin on the host (accuracy/inputs.h,
// eager.h, reference.h, budget.h, digest.h).
//
// All pointers are device memory of the current device, contiguous and row-major, BF16 tensors as
// their bits, h and dy [rows, width] and aligned to 8 bytes. `width` is a positive multiple of 8,
// rows 0 to kMaxRows, and rows * width may pass 2^31. Work is queued on `stream` and not waited
// for. Every function throws Error when an argument is out of range or CUDA refuses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "accuracy/budget.h"
#include "accuracy/inputs.h"

namespace fenestra::gpu {

// Device memory for the partial sums of EagerDw and ReferenceDw, allocated once and used by one
// stream at a time.
class Workspace {
 public:
  // Enough for any call of up to max_rows rows and max_width columns.
  Workspace(std::int64_t max_rows, int max_width);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // The memory; throws Error when `bytes` is more than there is.
  void* Take(std::size_t bytes) const;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// FillInputs of accuracy/inputs.h. Two normals an element: bound by arithmetic, not by memory.
void FillInputs(const InputSpec& spec, std::uint16_t* h, std::uint16_t* dy, cudaStream_t stream);

// FillWeight of accuracy/inputs.h: w32 and w16 [width].
void FillWeight(std::int64_t seed, int width, float* w32, std::uint16_t* w16, cudaStream_t stream);

// rstd [rows] of the eager comparator, with kEps.
void EagerRstd(std::int64_t rows, int width, const std::uint16_t* h, float* rstd,
               cudaStream_t stream);

// dw [width] of the eager comparator at rstd [rows].
void EagerDw(std::int64_t rows, int width, const std::uint16_t* h, const std::uint16_t* dy,
             const float* rstd, float* dw, const Workspace& workspace, cudaStream_t stream);

// The FP64 reference dw [width] at rstd [rows].
void ReferenceDw(std::int64_t rows, int width, const std::uint16_t* h, const std::uint16_t* dy,
                 const float* rstd, double* dw, const Workspace& workspace, cudaStream_t stream);

// The worst column of dw [width] against reference [width], written to *worst: device or pinned
// host memory.
void WorstOf(int width, const float* dw, const double* reference, WorstError* worst,
             cudaStream_t stream);

// The digest of `size` values, written to *digest: device or pinned host memory.
void DigestOf(std::int64_t size, const float* values, std::uint64_t* digest, cudaStream_t stream);

}  // namespace fenestra::gpu
