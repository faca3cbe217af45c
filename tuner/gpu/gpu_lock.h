// One measuring process per GPU at a time, over all processes of the machine.
#pragma once

#include <string>

namespace fenestra {

// PCI bus id of the current device, as CUDA prints it. Throws Error when CUDA fails.
std::string PciBusId();

class GpuLock {
 public:
  // Waits for the lock of the GPU with this PCI bus id; released when the process ends, however it
  // ends. Throws Error when the lock file cannot be made.
  explicit GpuLock(const std::string& pci_bus_id);
  ~GpuLock();
  GpuLock(const GpuLock&) = delete;
  GpuLock& operator=(const GpuLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace fenestra
