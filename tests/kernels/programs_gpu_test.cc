// Every program on the GPU equals its host model, bit for bit: y and rstd, or dx and dw, for both
// weight dtypes and every view, at row counts around every power that a tile or a grid has.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "kernels/program_list.h"
#include "tests/kernels/gpu_case.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

constexpr std::int64_t kRowCounts[] = {1, 2, 3, 17, 64, 255, 256, 257, 1000, 4096, 65539};

// One parameter per width: inputs are made once for all its programs.
class ProgramsOfWidth : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "no GPU on this machine";
  }
};

void ExpectEqual(const Outputs& gpu, const Outputs& host, int width, const std::string& what) {
  const std::int64_t row_element = FirstDifference(gpu.rows, host.rows);
  EXPECT_EQ(row_element, -1) << what << ": first differing element of y or dx: row "
                             << row_element / width << ", column " << row_element % width;
  const std::int64_t small = FirstDifference(gpu.small, host.small);
  EXPECT_EQ(small, -1) << what << ": first differing element of rstd or dw: " << small;
}

TEST_P(ProgramsOfWidth, EqualTheirHostModel) {
  const int width = GetParam();
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  int compared = 0;
  for (View view : ViewsOf(width)) {
    for (std::int64_t rows : kRowCounts) {
      const std::int64_t tokens = (rows + HeadsOf(view) - 1) / HeadsOf(view);
      GpuCase test_case(width, view, tokens);
      for (int i = 0; i < kProgramCount; ++i) {
        const Program& program = kPrograms[static_cast<std::size_t>(i)];
        if (program.width != width) continue;
        for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
          // The board's own split, and one that this GPU stands in for.
          const int sm_count = weight == Dtype::kBf16 ? 132 : 148;
          const Outputs gpu = test_case.RunOnGpu(i, program.pass, weight, sm_count);
          const Outputs host = test_case.RunHostModel(i, program.pass, weight, sm_count, threads);
          ExpectEqual(gpu, host, width,
                      fmt::format("{} {} {} {} rows", NameAt(i), ToString(weight), ToString(view),
                                  test_case.rows()));
          ++compared;
        }
      }
    }
  }
  std::cout << "compared " << compared << " calls bit for bit\n";
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
      const Program& program = kPrograms[static_cast<std::size_t>(i)];
      if (program.width != width) continue;
      for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
        ExpectEqual(test_case.RunOnGpu(i, program.pass, weight, 2),
                    test_case.RunHostModel(i, program.pass, weight, 2, 1), width, NameAt(i));
      }
    }
  }
}

// dw of a call that accumulates is the sum of both, rounded once.
TEST_P(ProgramsOfWidth, AccumulateIntoDw) {
  const int width = GetParam();
  GpuCase test_case(width, View::kRows, 300);
  DeviceArray<unsigned char> workspace;
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = kPrograms[static_cast<std::size_t>(i)];
    if (program.width != width || program.pass != Pass::kBackward) continue;
    const Outputs once = test_case.RunOnGpu(i, Pass::kBackward, Dtype::kFp32, 132);
    BackwardArguments again = test_case.Backward(Dtype::kFp32);
    again.accumulate_dw = true;
    RunProgram(i, 132, again, &workspace, nullptr);
    const Outputs twice = test_case.Read(Pass::kBackward);
    const Outputs host = test_case.RunHostModel(i, Pass::kBackward, Dtype::kFp32, 132, threads);
    for (std::size_t c = 0; c < once.small.size(); ++c) {
      ASSERT_FLOAT_EQ(twice.small[c], 2 * host.small[c]) << NameAt(i) << " column " << c;
    }
  }
}

// dx over dy gives the bits of the call out of place, where the program allows it.
TEST_P(ProgramsOfWidth, RunInPlaceWhereAllowed) {
  const int width = GetParam();
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = kPrograms[static_cast<std::size_t>(i)];
    if (program.width != width || !AllowsInPlace(program)) continue;
    GpuCase test_case(width, View::kRows, 1000);
    const Outputs apart = test_case.RunOnGpu(i, program.pass, Dtype::kBf16, 132);
    DeviceArray<unsigned char> workspace;
    Outputs over;
    if (program.pass == Pass::kForward) {
      ForwardArguments call = test_case.Forward(Dtype::kBf16);
      call.y = call.x;
      RunProgram(i, 132, call, nullptr);
      over = test_case.Read(Pass::kForward);
      std::swap(test_case.buffers().out, test_case.buffers().x);
    } else {
      BackwardArguments call = test_case.Backward(Dtype::kBf16);
      call.dx = call.dy;
      RunProgram(i, 132, call, &workspace, nullptr);
      over = test_case.Read(Pass::kBackward);
      std::swap(test_case.buffers().out, test_case.buffers().dy);
    }
    over.rows = test_case.Read(program.pass).rows;
    ExpectEqual(over, apart, width, NameAt(i) + " in place");
  }
}

}  // namespace
}  // namespace fenestra
