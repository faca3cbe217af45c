#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <fstream>

#include "tuner/gpu_info.h"

namespace fenestra {
namespace {

// The version the kernel module reports. The runtime only knows the CUDA version a driver supports.
std::string DriverVersion() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  if (file >> version) return version;
  return "unknown";
}

std::string WhyNot(cudaError_t error) {
  switch (error) {
    case cudaErrorInsufficientDriver: {
      int driver = 0;
      if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
        return "no NVIDIA driver is loaded: install one, or run where there is a GPU";
      }
      return fmt::format("the NVIDIA driver supports CUDA {}.{}, this build needs {}.{}: update it",
                         driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                         CUDART_VERSION % 1000 / 10);
    }
    case cudaErrorNoDevice:
      return "the driver sees no GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES";
    default:
      return fmt::format("CUDA says '{}': check nvidia-smi", cudaGetErrorString(error));
  }
}

int Attribute(cudaDeviceAttr attribute) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess ? value : 0;
}

}  // namespace

std::optional<GpuInfo> QueryGpu(std::string* why_not) {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  cudaDeviceProp properties{};
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, 0);
  if (error != cudaSuccess) {
    *why_not = WhyNot(error);
    return std::nullopt;
  }
  GpuInfo gpu;
  gpu.name = properties.name;
  gpu.driver = DriverVersion();
  gpu.runtime = fmt::format("{}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  gpu.cc_major = properties.major;
  gpu.cc_minor = properties.minor;
  gpu.sm_count = properties.multiProcessorCount;
  gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  gpu.l2_bytes = properties.l2CacheSize;
  constexpr int kKhzPerMhz = 1000;
  gpu.sm_clock_mhz_max = Attribute(cudaDevAttrClockRate) / kKhzPerMhz;
  gpu.memory_clock_mhz_max = Attribute(cudaDevAttrMemoryClockRate) / kKhzPerMhz;
  return gpu;
}

}  // namespace fenestra
