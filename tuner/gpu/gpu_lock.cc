#include "tuner/gpu/gpu_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "accuracy/error.h"
#include "accuracy/gpu/cuda_check.h"

namespace fenestra {

std::string PciBusId() {
  int device = 0;
  char id[32] = {};
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetPCIBusId(id, sizeof id, device), "reading the PCI bus id");
  return id;
}

GpuLock::GpuLock(const std::string& pci_bus_id) {
  std::string name = "fenestra-gpu-" + pci_bus_id + ".lock";
  std::replace(name.begin(), name.end(), ':', '-');
  const auto path = std::filesystem::temp_directory_path() / name;
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || flock(file_, LOCK_EX) != 0) {
    throw Error(fmt::format("{}: cannot lock the GPU: {}; make the folder writable", path.string(),
                            std::strerror(errno)),
                ExitCode::kMachine);
  }
}

GpuLock::~GpuLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace fenestra
