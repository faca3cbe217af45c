// Every program on the GPU equals its host model, bit for bit: y and rstd, or dx and dw, for both
// weight dtypes and every view, at row counts around every power that a tile or a grid has.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "kernels/launch/entry.h"
#include "kernels/program_list.h"
#include "tests/kernels/gpu_case.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

constexpr std::int64_t kRowCounts[] = {1, 2, 3, 17, 64, 255, 256, 257, 1000, 4096};
constexpr std::int64_t kManyRows[] = {65539};
constexpr int kStoodInFor[] = {148, 152, 212, 216};  // SMs of boards whose splits this GPU can run

// One parameter per width: inputs are made once for all its programs.
class ProgramsOfWidth : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "no GPU on this machine";
  }
  static void CompareWithHostModel(int width, std::span<const std::int64_t> row_counts);
};

void ExpectEqual(const Outputs& gpu, const Outputs& host, int width, const std::string& what) {
  const std::int64_t row_element = FirstDifference(gpu.rows, host.rows);
  EXPECT_EQ(row_element, -1) << what << ": first differing element of y or dx: row "
                             << row_element / width << ", column " << row_element % width;
  const std::int64_t residual = FirstDifference(gpu.residual_out, host.residual_out);
  EXPECT_EQ(residual, -1) << what << ": first differing element of residual out: row "
                          << residual / width << ", column " << residual % width;
  const std::int64_t small = FirstDifference(gpu.small, host.small);
  EXPECT_EQ(small, -1) << what << ": first differing element of rstd or dw: " << small;
}

void ProgramsOfWidth::CompareWithHostModel(int width, std::span<const std::int64_t> row_counts) {
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  int compared = 0;
  std::size_t turn = 0;
  for (View view : ViewsOf(width)) {
    for (std::int64_t rows : row_counts) {
      const std::int64_t tokens = (rows + HeadsOf(view) - 1) / HeadsOf(view);
      GpuCase test_case(width, view, tokens);
      ++turn;
      for (int i = 0; i < kProgramCount; ++i) {
        const Program& program = ProgramAt(i);
        if (program.width != width) continue;
        for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
          // The board's own split, and in turn those that this GPU stands in for.
          const std::size_t stood_in =
              (turn + static_cast<std::size_t>(i)) % std::size(kStoodInFor);
          const int sm_count = weight == Dtype::kBf16 ? 132 : kStoodInFor[stood_in];
          const Outputs gpu = test_case.RunOnGpu(i, weight, sm_count);
          const Outputs host = test_case.RunHostModel(i, weight, sm_count, threads);
          ExpectEqual(gpu, host, width,
                      fmt::format("{} {} {} {} rows, {} SMs", NameAt(i), ToString(weight),
                                  ToString(view), test_case.rows(), sm_count));
          ++compared;
        }
      }
    }
  }
  std::cout << "compared " << compared << " calls bit for bit\n";
}

TEST_P(ProgramsOfWidth, EqualTheirHostModel) { CompareWithHostModel(GetParam(), kRowCounts); }
TEST_P(ProgramsOfWidth, EqualTheirHostModelOfManyRows) {
  CompareWithHostModel(GetParam(), kManyRows);
}

std::string WidthName(const ::testing::TestParamInfo<int>& width) {
  return fmt::format("H{}", width.param);
}
INSTANTIATE_TEST_SUITE_P(All, ProgramsOfWidth, ::testing::ValuesIn(kWidths), WidthName);

// Two SMs' worth of CTAs and rows enough that every ring wraps: a small case for the sanitizers.
TEST_P(ProgramsOfWidth, WrapTheRing) {
  const int width = GetParam();
  for (View view : ViewsOf(width)) {
    GpuCase test_case(width, view, (520 + HeadsOf(view) - 1) / HeadsOf(view));
    for (int i = 0; i < kProgramCount; ++i) {
      const Program& program = ProgramAt(i);
      if (program.width != width) continue;
      for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
        ExpectEqual(test_case.RunOnGpu(i, weight, 2), test_case.RunHostModel(i, weight, 2, 1),
                    width, NameAt(i));
      }
    }
  }
}

// Infinities (one under a weight of 0), NaNs, products that overflow, products that are subnormal,
// a row of finite products whose dot overflows.
TEST_P(ProgramsOfWidth, EqualTheirHostModelOnExtremeInput) {
  constexpr std::uint16_t kInfinity = 0x7f80;
  constexpr std::uint16_t kNan = 0x7fc0;
  constexpr std::uint16_t kMinus = 0x8000;
  constexpr std::uint16_t kOne = 0x3f80;
  constexpr std::uint16_t kLargest = 0x7f7f;
  constexpr std::uint16_t kTiny = 0x0ed5;   // 1.66 * 2^-98
  constexpr std::uint16_t kSmall = 0x29ab;  // 1.34 * 2^-44
  constexpr std::uint16_t kLarge = 0x5f00;  // 2^63
  const int width = GetParam();
  GpuCase test_case(width, View::kRows, 300);
  test_case.Set(7, 3, kInfinity, kOne);
  test_case.Set(20, width - 1, kNan, kOne);
  test_case.Set(41, 10, kOne, kInfinity | kMinus);
  test_case.Set(60, 200, kLargest, kLargest);
  for (int column = 100; column < 116; ++column) test_case.Set(80, column, kLarge, kLarge);
  for (int row = 0; row < 300; ++row) test_case.Set(row, 77, kTiny, kSmall);
  test_case.ClearWeight(3);
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 0; i < kProgramCount; ++i) {
    if (ProgramAt(i).width != width) continue;
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      ExpectEqual(test_case.RunOnGpu(i, weight, 132),
                  test_case.RunHostModel(i, weight, 132, threads), width, NameAt(i));
    }
  }
}

// What LeavesPlace promises the reduce on sm_90, as the compiler kept it.
TEST_P(ProgramsOfWidth, LeaveTheReduceItsPlace) {
  cudaDeviceProp device{};
  ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  if (device.major != 9) GTEST_SKIP() << "places are left on sm_90 alone";
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.width != GetParam() || program.structure != Structure::kRing ||
        !LeavesPlace(program)) {
      continue;
    }
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      launch::KernelFacts facts;
      ASSERT_TRUE(launch::FindEntry(i, weight)->facts(&facts).ok()) << NameAt(i);
      const int allocated = (facts.registers + 7) / 8 * 8;
      EXPECT_LE(allocated * program.threads * program.ctas_per_sm,
                kSmRegisters - kReducePlaceRegisters)
          << NameAt(i);
      EXPECT_EQ(facts.spill_bytes, 0) << NameAt(i);
    }
  }
}

// dw of a call that accumulates equals the host model's over the same dw.
TEST_P(ProgramsOfWidth, AccumulateIntoDw) {
  const int width = GetParam();
  GpuCase test_case(width, View::kRows, 300);
  DeviceArray<unsigned char> workspace;
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.width != width || program.pass != Pass::kBackward) continue;
    const Outputs once = test_case.RunOnGpu(i, Dtype::kFp32, 132);
    const Outputs host = test_case.RunHostModel(i, Dtype::kFp32, 132, threads, once.small);
    BackwardArguments again = test_case.Backward(Dtype::kFp32, program.residual);
    again.accumulate_dw = true;
    RunProgram(i, 132, again, &workspace, nullptr);
    const Outputs twice = test_case.Read(Pass::kBackward, program.residual);
    ExpectEqual(twice, host, width, NameAt(i));
  }
}

// An output over an input gives the bits of the call out of place: y over x and residual out over
// residual; dx over dy, or over the gradient of residual out. The dual grid alone refuses dx over
// dy.
class InPlace : public ProgramsOfWidth {
 protected:
  void Check(int index, bool over_residual) {
    const Program& program = ProgramAt(index);
    GpuCase test_case(program.width, View::kRows, 1000);
    RouteBuffers& buffers = test_case.buffers();
    const Outputs apart = test_case.RunOnGpu(index, Dtype::kBf16, 132);
    buffers.PoisonOutputs(program.pass, nullptr);
    if (program.pass == Pass::kForward) {
      ForwardArguments call = test_case.Forward(Dtype::kBf16, program.residual);
      if (over_residual) {
        call.residual_out = call.residual;
      } else {
        call.y = call.x;
      }
      RunProgram(index, 132, call, nullptr);
      std::swap(over_residual ? buffers.residual_out : buffers.out,
                over_residual ? buffers.residual : buffers.x);
    } else {
      BackwardArguments call = test_case.Backward(Dtype::kBf16, program.residual);
      call.dx = over_residual ? call.residual_gradient : call.dy;
      DeviceArray<unsigned char> workspace;
      RunProgram(index, 132, call, &workspace, nullptr);
      std::swap(buffers.out, over_residual ? buffers.residual_gradient : buffers.dy);
    }
    ExpectEqual(test_case.Read(program.pass, program.residual), apart, program.width,
                NameAt(index) + (over_residual ? " over the residual stream" : " in place"));
  }
};

TEST_P(InPlace, GivesTheSameBits) {
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.width != GetParam()) continue;
    if (AllowsInPlace(program)) Check(i, false);
    if (program.residual) Check(i, true);
  }
}
INSTANTIATE_TEST_SUITE_P(All, InPlace, ::testing::ValuesIn(kWidths), WidthName);

}  // namespace
}  // namespace fenestra
