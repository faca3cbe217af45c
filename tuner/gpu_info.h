// Facts about the GPU at hand, the same question in builds with and without CUDA: gpu_info_cuda.cc
// asks the CUDA runtime, gpu_info_none.cc (host-only builds) says that it cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/board.h"

namespace fenestra {

struct GpuInfo {
  std::string name;     // cudaDeviceProp::name, "NVIDIA H200"
  std::string driver;   // "580.159.04"; "unknown" where the kernel module does not say
  std::string runtime;  // CUDA runtime this build uses, "13.0"
  int cc_major = 0;     // compute capability
  int cc_minor = 0;
  int sm_count = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  int sm_clock_mhz_max = 0;
  int memory_clock_mhz_max = 0;

  auto operator<=>(const GpuInfo&) const = default;
};

// The first visible GPU. Without one returns nullopt and says in one clause why not and what to do.
// Never fails otherwise: a build with CUDA may run where there is no driver. `why_not` not null.
std::optional<GpuInfo> QueryGpu(std::string* why_not);

// The board with this GPU's arch, SM count and product; null when kBoards has none.
const Board* BoardOf(const GpuInfo& gpu);

}  // namespace fenestra
