#include "tuner/gpu/gpu_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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
  // Not $TMPDIR, which differs by user and job. Whoever may read a file may lock it: so that other
  // users can, it is readable to all whatever the umask. An existing one is opened without O_CREAT,
  // which a sticky folder may forbid for another user's file.
  const std::string path = "/tmp/" + name;
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0 && errno == ENOENT) {
    file_ = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file_ >= 0) (void)fchmod(file_, 0644);
  }
  if (file_ < 0) {
    throw Error(fmt::format("{}: cannot open the lock of the GPU: {}; make the file readable, or "
                            "/tmp writable",
                            path, std::strerror(errno)),
                ExitCode::kMachine);
  }
  if (flock(file_, LOCK_EX) != 0) {
    throw Error(fmt::format("{}: cannot lock the GPU: {}; run the command again", path,
                            std::strerror(errno)),
                ExitCode::kMachine);
  }
}

GpuLock::~GpuLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace fenestra
