#include "accuracy/error.h"
#include "tuner/sweep/meter.h"

namespace fenestra {

std::unique_ptr<GpuMeter> MakeGpuMeter(const MeterContext&) {
  throw Error(
      "this build has no GPU programs; build where nvcc is at hand, or sweep --only accuracy",
      ExitCode::kMachine);
}

}  // namespace fenestra
