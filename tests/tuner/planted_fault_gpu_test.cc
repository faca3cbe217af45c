// Planted faults through the GPU's meter: its reference, its errors and its poisoned outputs.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "tests/tuner/planted_fault.h"
#include "tuner/gpu/accuracy_meter.h"

namespace fenestra {
namespace {

using test::Fault;
using test::kFaulty;
using test::kFaultyWidth;

std::vector<float> ReadDw(const float* dw) {
  std::vector<float> values(kFaultyWidth);
  CheckCuda(cudaMemcpy(values.data(), dw, values.size() * sizeof(float), cudaMemcpyDeviceToHost),
            "reading dw");
  return values;
}

// The rows from `first` on.
Tensor From(Tensor tensor, std::int64_t first) {
  tensor.data = static_cast<std::uint16_t*>(tensor.data) + first * kFaultyWidth;
  return tensor;
}

class PlantedFaultOnGpu : public test::PlantedFault {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no GPU on this machine";
    }
  }

  Group Measure(const AccuracyTask& task, const Fault& fault) override {
    const MeterContext context = Context();
    const auto run = [&](int program, int sm_count, const BackwardArguments& arguments,
                         DeviceArray<unsigned char>* workspace, cudaStream_t stream) {
      if (program != kFaulty) {
        RunProgram(program, sm_count, arguments, workspace, stream);
        return;
      }
      const auto dw_of_rows = [&](std::int64_t first, std::int64_t count) {
        BackwardArguments some = arguments;
        some.shape.tokens = count;
        some.dy = From(arguments.dy, first);
        some.h = From(arguments.h, first);
        some.residual_gradient = From(arguments.residual_gradient, first);
        some.rstd += first;
        RunProgram(program, sm_count, some, workspace, stream);
        return ReadDw(arguments.dw);
      };
      const std::vector<float> before = ReadDw(arguments.dw);
      const std::vector<float> dw = fault({arguments.shape.tokens, before, dw_of_rows});
      CheckCuda(
          cudaMemcpy(arguments.dw, dw.data(), dw.size() * sizeof(float), cudaMemcpyHostToDevice),
          "writing dw");
    };
    return AccuracyMeter(context, run).Measure(task);
  }
};

TEST_P(PlantedFaultOnGpu, IsCaughtByName) { ExpectOnlyTheFaultyIsCaught(); }

INSTANTIATE_TEST_SUITE_P(All, PlantedFaultOnGpu, ::testing::ValuesIn(test::Plants()), test::NameOf);

}  // namespace
}  // namespace fenestra
