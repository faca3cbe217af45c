// How programs launch: what the compiler made of them, and whether they start beside a kernel that
// holds shared memory.
#pragma once

#include "tuner/gpu/route_buffers.h"
#include "tuner/sweep/meter.h"

namespace fenestra {

class LaunchMeter {
 public:
  explicit LaunchMeter(const MeterContext& context) : context_(context) {}

  // Throws Error when a program is refused or fails.
  Group Measure(const LaunchTask& task);

 private:
  void Run(int program, const RouteBuffers& buffers, cudaStream_t stream);
  bool Waits(int program, const RouteBuffers& buffers, int beside_kib);

  const MeterContext& context_;
  DeviceArray<unsigned char> workspace_;
};

}  // namespace fenestra
