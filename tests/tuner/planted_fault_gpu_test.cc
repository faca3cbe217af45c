// Planted faults through the GPU's meter: its reference, its errors and its poisoned outputs.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "accuracy/error.h"
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

// The name announced last when kFaulty fails at its call `failing`, one call an input.
std::string BlamedFor(int failing) {
  std::string announced;
  MeterContext context;
  context.board = FindBoard("h200_132");
  context.announce = [&](const std::string& program) { announced = program; };
  int calls = 0;
  AccuracyMeter meter(context, [&](int program, int sm_count, const BackwardArguments& arguments,
                                   DeviceArray<unsigned char>* workspace, cudaStream_t stream) {
    if (program == kFaulty && ++calls == failing) throw Error("planted");
    RunProgram(program, sm_count, arguments, workspace, stream);
  });
  // Not the last of the list, on which a name that outlives its program's turn would fall.
  std::vector<int> programs = BackwardProgramsOf(kFaultyWidth, 64);
  std::erase(programs, kFaulty);
  programs.insert(programs.begin(), kFaulty);
  EXPECT_THROW(meter.Measure({kFaultyWidth, 64, Family::kNormal, 3, programs}), Error);
  return announced;
}

TEST(AccuracyMeterTest, BlamesAProgramForItsFirstCallAndNobodyOnceTheyTakeTurns) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    GTEST_SKIP() << "no GPU on this machine";
  }
  EXPECT_EQ(BlamedFor(1), NameAt(kFaulty));
  EXPECT_EQ(BlamedFor(2), "");
  EXPECT_EQ(BlamedFor(3), "");
}

}  // namespace
}  // namespace fenestra
