// Meters do tasks: they measure and return one group for the store. Each throws Error when the
// machine cannot; a program that faults takes its process with it, which is why they run in one of
// their own (worker.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "accuracy/host_model.h"
#include "db/store.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {

// Told the name of each program before it first runs, so that a fault can be laid at its door; told
// an empty name where what follows is no single program's doing.
using Announce = std::function<void(const std::string& program)>;

// Runs a backward program of the list on the host, as RunOnHost does.
using RunBackward =
    std::function<void(int program, int sm_count, int threads, const HostBackward& call)>;

struct MeterContext {
  const Board* board = nullptr;  // whose evidence it is and whose row split runs
  Environment environment;       // of this machine
  bool stood_in = false;         // the machine is not that board
  int threads = 1;               // of the host
  Announce announce = [](const std::string&) {};
  // How accuracy through the host model gets a program's dw; a test plants its faults here.
  RunBackward run_backward = [](int program, int sm_count, int share, const HostBackward& call) {
    RunOnHost(program, sm_count, share, call);
  };
};

// Accuracy, and the classes of an edge, through the host model.
Group MeasureOnHost(const MeterContext& context, const AccuracyTask& task);
Group MeasureOnHost(const MeterContext& context, const EdgeTask& task);

// The record of an edge from its classes at the edge and one row above it: the worse of both.
Group EdgeGroup(const MeterContext& context, const EdgeTask& task, const EdgeClasses& at,
                const EdgeClasses& above);

// On the GPU; one context per process and route. Only in builds with CUDA.
class GpuMeter {
 public:
  virtual ~GpuMeter() = default;
  virtual Group Measure(const TimeTask& task) = 0;
  virtual Group Measure(const AccuracyTask& task) = 0;
  virtual Group Measure(const EdgeTask& task) = 0;
  virtual Group Measure(const LaunchTask& task) = 0;
};

// Holds the GPU's lock while it measures. Throws Error in host-only builds and without a GPU.
std::unique_ptr<GpuMeter> MakeGpuMeter(const MeterContext& context);

}  // namespace fenestra
