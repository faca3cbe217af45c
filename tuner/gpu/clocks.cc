#include "tuner/gpu/clocks.h"

#include <dlfcn.h>

namespace fenestra {
namespace {

// nvmlClockType_t.
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;

template <typename Function>
Function Symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

ClockReader::ClockReader(const std::string& pci_bus_id) {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  const auto init = Symbol<int (*)()>(library_, "nvmlInit_v2");
  const auto find =
      Symbol<int (*)(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find == nullptr || init() != 0) return;
  if (find(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
  current_ = Symbol<GetClock>(library_, "nvmlDeviceGetClockInfo");
  max_ = Symbol<GetClock>(library_, "nvmlDeviceGetMaxClockInfo");
}

ClockReader::~ClockReader() {
  if (library_ == nullptr) return;
  const auto shutdown = Symbol<int (*)()>(library_, "nvmlShutdown");
  if (shutdown != nullptr) shutdown();
  dlclose(library_);
}

Clocks ClockReader::Read(GetClock get) const {
  unsigned sm = 0;
  unsigned memory = 0;
  if (get == nullptr || device_ == nullptr || get(device_, kSmClock, &sm) != 0 ||
      get(device_, kMemoryClock, &memory) != 0) {
    return {};
  }
  return {static_cast<int>(sm), static_cast<int>(memory)};
}

}  // namespace fenestra
