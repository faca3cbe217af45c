#include "tuner/gpu_info.h"

namespace fenestra {

std::optional<GpuInfo> QueryGpu(std::string* why_not) {
  *why_not = "this is a host-only build, without CUDA: build where nvcc is at hand";
  return std::nullopt;
}

}  // namespace fenestra
