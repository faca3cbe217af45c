// Clocks of a GPU as NVML reports them. The library comes with the driver and is loaded at run
// time.
#pragma once

#include <string>

namespace fenestra {

struct Clocks {
  int sm_mhz = 0;
  int memory_mhz = 0;
};

class ClockReader {
 public:
  // `pci_bus_id`: as cudaDeviceGetPCIBusId prints it. Without NVML every reading is 0.
  explicit ClockReader(const std::string& pci_bus_id);
  ~ClockReader();
  ClockReader(const ClockReader&) = delete;
  ClockReader& operator=(const ClockReader&) = delete;

  Clocks Now() const { return Read(current_); }
  Clocks Max() const { return Read(max_); }

 private:
  using GetClock = int (*)(void* device, int type, unsigned* mhz);
  Clocks Read(GetClock get) const;

  void* library_ = nullptr;
  void* device_ = nullptr;
  GetClock current_ = nullptr;
  GetClock max_ = nullptr;
};

}  // namespace fenestra
