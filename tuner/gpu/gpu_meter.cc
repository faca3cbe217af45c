#include "tuner/gpu/accuracy_meter.h"
#include "tuner/gpu/gpu_lock.h"
#include "tuner/gpu/launch_meter.h"
#include "tuner/gpu/time_meter.h"
#include "tuner/sweep/meter.h"

namespace fenestra {
namespace {

class CudaMeter final : public GpuMeter {
 public:
  explicit CudaMeter(const MeterContext& context)
      : context_(context), accuracy_(context_), launch_(context_) {
    int devices = 0;
    CheckCuda(cudaGetDeviceCount(&devices), "looking for a GPU");
  }

  // The lock is held for a task, so that two sweeps of one GPU take turns and neither disturbs the
  // other's times.
  Group Measure(const TimeTask& task) override {
    const GpuLock lock(PciBusId());
    if (!time_) time_ = std::make_unique<TimeMeter>(context_);
    return time_->Measure(task);
  }
  Group Measure(const AccuracyTask& task) override {
    const GpuLock lock(PciBusId());
    return accuracy_.Measure(task);
  }
  Group Measure(const EdgeTask& task) override {
    const GpuLock lock(PciBusId());
    return accuracy_.Measure(task);
  }
  Group Measure(const LaunchTask& task) override {
    const GpuLock lock(PciBusId());
    return launch_.Measure(task);
  }

 private:
  const MeterContext context_;
  AccuracyMeter accuracy_;
  LaunchMeter launch_;
  std::unique_ptr<TimeMeter> time_;
};

}  // namespace

std::unique_ptr<GpuMeter> MakeGpuMeter(const MeterContext& context) {
  return std::make_unique<CudaMeter>(context);
}

}  // namespace fenestra
