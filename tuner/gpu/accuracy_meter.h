// dw errors and edge classes on the GPU: inputs, references and errors stay there, only scalars
// come back.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "accuracy/gpu/accuracy_gpu.h"
#include "tuner/gpu/route_buffers.h"
#include "tuner/sweep/meter.h"

namespace fenestra {

// Runs a backward program of the list, as RunProgram does.
using RunBackwardOnGpu =
    std::function<void(int program, int sm_count, const BackwardArguments& arguments,
                       DeviceArray<unsigned char>* workspace, cudaStream_t stream)>;

class AccuracyMeter {
 public:
  // `run_backward` is how a program's dw comes about; a test plants its faults there.
  explicit AccuracyMeter(
      const MeterContext& context,
      RunBackwardOnGpu run_backward =
          [](int program, int sm_count, const BackwardArguments& arguments,
             DeviceArray<unsigned char>* workspace,
             cudaStream_t stream) { RunProgram(program, sm_count, arguments, workspace, stream); })
      : context_(context), run_backward_(std::move(run_backward)) {}

  Group Measure(const AccuracyTask& task);
  // Runs both programs on the same input at the edge and one row above it.
  Group Measure(const EdgeTask& task);

 private:
  void Reserve(const AccuracyTask& task);
  void MakeInput(const AccuracyTask& task, std::int64_t seed);
  void RunSubject(const AccuracyTask& task, std::size_t subject);
  EdgeClasses CompareAt(const EdgeTask& task, std::int64_t rows);

  const MeterContext& context_;
  const RunBackwardOnGpu run_backward_;
  std::int64_t rows_ = 0;  // what the buffers hold
  int width_ = 0;
  DeviceArray<std::uint16_t> h_, dy_, dx_;
  DeviceArray<float> w_, own_rstd_, eager_rstd_, dw_;
  DeviceArray<std::uint16_t> w16_;
  DeviceArray<double> own_dw_, eager_dw_;
  DeviceArray<WorstError> errors_;
  DeviceArray<std::uint64_t> digests_;
  DeviceArray<unsigned char> workspace_;
  std::unique_ptr<gpu::Workspace> sums_;
};

}  // namespace fenestra
