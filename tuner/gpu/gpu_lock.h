// One timing process per GPU at a time, over all processes of the machine.
#pragma once

#include <string>

namespace fenestra {

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
