// The dispatcher on the GPU: its result is that of the program its windows name, at both sides of
// every edge; bad calls launch nothing.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "kernels/fenestra.h"
#include "kernels/program_list.h"
#include "tests/kernels/gpu_case.h"
#include "tuner/gpu/kept_output.h"

namespace fenestra {
namespace {

class Dispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "no GPU on this machine";
    const Status status = Device::Open(0, {}, &device_);
    if (status.code == StatusCode::kNoWindows) GTEST_SKIP() << "this GPU's board has no windows";
    ASSERT_TRUE(status.ok()) << ToString(status);
  }

  // Runs the program that the windows name, then the dispatcher, and compares what they leave on
  // the GPU.
  void CheckAt(const Route& route, int program, std::int64_t rows, RouteBuffers& buffers) {
    const bool forward = route.pass == Pass::kForward;
    const auto poison = [&] { buffers.PoisonOutputs(route.pass, nullptr); };
    ForwardArguments forward_call = buffers.Forward(rows, route.weight);
    BackwardArguments backward_call = buffers.Backward(rows, route.weight);
    forward_call.shape.residual = backward_call.shape.residual = route.residual;
    poison();
    PrepareProgram(program, route.weight);
    const int sm_count = device_.windows()->board->sm_count;
    if (forward) {
      RunProgram(program, sm_count, forward_call, nullptr);
    } else {
      RunProgram(program, sm_count, backward_call, &workspace_, nullptr);
    }
    KeptOutput<std::uint16_t> out(buffers.out, rows * route.width);
    KeptOutput<std::uint16_t> residual_out(buffers.residual_out,
                                           forward && route.residual ? rows * route.width : 0);
    KeptOutput<float> small(forward ? buffers.rstd : buffers.dw, forward ? rows : route.width);
    out.Keep();
    residual_out.Keep();
    small.Keep();
    poison();
    Status status;
    if (forward) {
      status = device_.Forward(forward_call, nullptr);
    } else {
      std::int64_t bytes = 0;
      ASSERT_TRUE(device_.BackwardWorkspaceBytes(backward_call.shape, &bytes).ok());
      workspace_.Reserve(bytes);
      status = device_.Backward(backward_call, workspace_.get(), bytes, nullptr);
    }
    ASSERT_TRUE(status.ok()) << ToString(status);
    EXPECT_EQ(out.Differences() + small.Differences() + residual_out.Differences(), 0)
        << ToString(route) << " at " << rows << " rows";
  }

  Device device_;
  DeviceArray<unsigned char> workspace_;
};

TEST_F(Dispatch, RunsTheRoutedProgramOnBothSidesOfEveryEdge) {
  // Routes of one width share their inputs at one row count.
  std::map<std::pair<int, std::int64_t>, std::vector<const RouteWindows*>> sides;
  int edges = 0;
  for (const RouteWindows& route : device_.windows()->routes) {
    for (const Window& window : route.windows) {
      if (window.hi == kMaxRows) continue;
      sides[{route.route.width, window.hi}].push_back(&route);
      sides[{route.route.width, window.hi + 1}].push_back(&route);
      ++edges;
    }
  }
  for (const auto& [side, routes] : sides) {
    const auto [width, rows] = side;
    RouteBuffers buffers(width, View::kRows, rows, true);
    for (const RouteWindows* route : routes) {
      CheckAt(route->route, FindProgramFor(*route, rows, false), rows, buffers);
    }
  }
  EXPECT_GT(edges, 0);
  std::cout << edges << " edges\n";
}

TEST_F(Dispatch, CanBeCapturedInAGraphAndRepeatsItsBits) {
  GpuCase test_case(4096, View::kRows, 5000);
  const BackwardArguments call = test_case.Backward(Dtype::kFp32, false);
  std::int64_t bytes = 0;
  ASSERT_TRUE(device_.BackwardWorkspaceBytes(call.shape, &bytes).ok());
  workspace_.Reserve(bytes);
  ASSERT_TRUE(device_.Backward(call, workspace_.get(), bytes, nullptr).ok());
  const Outputs expected = test_case.Read(Pass::kBackward, false);

  cudaStream_t stream = nullptr;
  CheckCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  ASSERT_TRUE(device_.Backward(call, workspace_.get(), bytes, stream).ok());
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(stream, &graph), "end capture");
  cudaGraphExec_t exec = nullptr;
  CheckCuda(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  for (int i = 0; i < 100; ++i) {
    test_case.buffers().PoisonOutputs(Pass::kBackward, stream);
    CheckCuda(cudaGraphLaunch(exec, stream), "replay");
    CheckCuda(cudaStreamSynchronize(stream), "replay");
    const Outputs actual = test_case.Read(Pass::kBackward, false);
    ASSERT_EQ(FirstDifference(actual.rows, expected.rows), -1) << "replay " << i;
    ASSERT_EQ(FirstDifference(actual.small, expected.small), -1) << "replay " << i;
  }
  CheckCuda(cudaGraphExecDestroy(exec), "destroy");
  CheckCuda(cudaGraphDestroy(graph), "destroy");
  CheckCuda(cudaStreamDestroy(stream), "destroy");
}

// dw of the board-invariant level does not depend on how many SMs the board has, and the forward
// depends on no level.
TEST_F(Dispatch, BoardInvariantBitsAreThoseOfEveryBoard) {
  constexpr int kSmCounts[] = {132, 148, 152, 212, 216};
  for (int width : {256, 2048, 6144}) {
    GpuCase test_case(width, View::kRows, 10001);
    const auto backward = [&](int sm_count, Determinism level) {
      Device device;
      EXPECT_TRUE(Device::Open(0, {.split_sm_count = sm_count}, &device).ok());
      BackwardArguments call = test_case.Backward(Dtype::kBf16, false);
      call.shape.determinism = level;
      std::int64_t bytes = 0;
      EXPECT_TRUE(device.BackwardWorkspaceBytes(call.shape, &bytes).ok());
      workspace_.Reserve(bytes);
      test_case.buffers().PoisonOutputs(Pass::kBackward, nullptr);
      const Status status = device.Backward(call, workspace_.get(), bytes, nullptr);
      EXPECT_TRUE(status.ok()) << ToString(status);
      return test_case.Read(Pass::kBackward, false);
    };
    const Outputs expected = backward(132, Determinism::kBoardInvariant);
    for (int sm_count : kSmCounts) {
      const Outputs actual = backward(sm_count, Determinism::kBoardInvariant);
      EXPECT_EQ(FirstDifference(actual.small, expected.small), -1) << width << ", " << sm_count;
      EXPECT_EQ(FirstDifference(actual.rows, expected.rows), -1) << width << ", " << sm_count;
    }
    // That the split is another is seen by the workspace: exact sums round to the same dw whatever
    // the split, but for chance.
    const auto workspace_of = [&](int sm_count, Determinism level) {
      Device device;
      EXPECT_TRUE(Device::Open(0, {.split_sm_count = sm_count}, &device).ok());
      Shape shape = test_case.Backward(Dtype::kBf16, false).shape;
      shape.determinism = level;
      std::int64_t bytes = 0;
      EXPECT_TRUE(device.BackwardWorkspaceBytes(shape, &bytes).ok());
      return bytes;
    };
    EXPECT_EQ(workspace_of(216, Determinism::kBoardInvariant),
              workspace_of(132, Determinism::kBoardInvariant));
    EXPECT_GT(workspace_of(216, Determinism::kDeterministic),
              workspace_of(132, Determinism::kDeterministic));
    const Outputs own = backward(132, Determinism::kDeterministic);
    EXPECT_EQ(FirstDifference(own.small, expected.small), -1) << "the table's own board";

    std::vector<Outputs> forward;
    for (Determinism level :
         {Determinism::kAny, Determinism::kDeterministic, Determinism::kBoardInvariant}) {
      ForwardArguments call = test_case.Forward(Dtype::kBf16, false);
      call.shape.determinism = level;
      test_case.buffers().PoisonOutputs(Pass::kForward, nullptr);
      ASSERT_TRUE(device_.Forward(call, nullptr).ok());
      forward.push_back(test_case.Read(Pass::kForward, false));
      EXPECT_EQ(FirstDifference(forward.back().rows, forward.front().rows), -1);
      EXPECT_EQ(FirstDifference(forward.back().small, forward.front().small), -1);
    }
  }
}

// Asked at every end of a window, and just above it.
TEST_F(Dispatch, WorkspaceUpToIsTheMostOfAnyFewerRows) {
  for (const RouteWindows& route : device_.windows()->routes) {
    if (route.route.pass == Pass::kForward) continue;
    std::set<std::int64_t> row_counts;
    for (std::span<const Window> windows : {route.windows, route.in_place}) {
      for (const Window& window : windows) {
        row_counts.insert({window.lo + 1, window.hi});
      }
    }
    std::int64_t most = 0;
    for (std::int64_t rows : row_counts) {
      const Shape shape{.tokens = rows,
                        .width = route.route.width,
                        .weight = route.route.weight,
                        .residual = route.route.residual};
      std::int64_t bytes = 0;
      std::int64_t up_to = 0;
      ASSERT_TRUE(device_.BackwardWorkspaceBytes(shape, &bytes).ok());
      ASSERT_TRUE(device_.BackwardWorkspaceBytesUpTo(shape, &up_to).ok());
      most = std::max(most, bytes);
      EXPECT_EQ(up_to, most) << ToString(route.route) << " at " << rows << " rows";
    }
  }
}

TEST_F(Dispatch, WorkspaceOfAShapeWhoseRowsOverflowIsRefused) {
  const Shape huge{.tokens = std::int64_t{1} << 62, .heads = 24, .width = 512};
  std::int64_t bytes = -1;
  EXPECT_EQ(device_.BackwardWorkspaceBytes(huge, &bytes).code, StatusCode::kBadValue);
  EXPECT_EQ(device_.BackwardWorkspaceBytesUpTo(huge, &bytes).code, StatusCode::kBadValue);
  EXPECT_EQ(bytes, 0);
}

TEST_F(Dispatch, RefusesAndLaunchesNothing) {
  GpuCase test_case(4096, View::kRows, 5000);
  const BackwardArguments good = test_case.Backward(Dtype::kFp32, false);
  std::int64_t bytes = 0;
  ASSERT_TRUE(device_.BackwardWorkspaceBytes(good.shape, &bytes).ok());
  ASSERT_GT(bytes, 0);
  workspace_.Reserve(bytes);
  test_case.buffers().PoisonOutputs(Pass::kBackward, nullptr);
  const Outputs poisoned = test_case.Read(Pass::kBackward, false);

  const auto expect_refused = [&](const BackwardArguments& call, void* workspace,
                                  std::int64_t workspace_bytes, StatusCode code,
                                  const std::string& argument) {
    const Status status = device_.Backward(call, workspace, workspace_bytes, nullptr);
    EXPECT_EQ(status.code, code) << ToString(status);
    EXPECT_EQ(status.argument, argument) << ToString(status);
  };
  expect_refused(good, workspace_.get(), bytes - 1, StatusCode::kWorkspaceTooSmall,
                 "workspace_bytes");
  expect_refused(good, nullptr, bytes, StatusCode::kNullPointer, "workspace");
  expect_refused(good, workspace_.get() + 4, bytes, StatusCode::kMisaligned, "workspace");
  expect_refused(good, good.dx.data, bytes, StatusCode::kOverlap, "workspace");
  BackwardArguments bad = good;
  bad.dy.data = nullptr;
  expect_refused(bad, workspace_.get(), bytes, StatusCode::kNullPointer, "dy");

  const Outputs after = test_case.Read(Pass::kBackward, false);
  EXPECT_EQ(FirstDifference(after.rows, poisoned.rows), -1);
  EXPECT_EQ(FirstDifference(after.small, poisoned.small), -1);
}

TEST_F(Dispatch, NoRowsMakeDwZeroOrKeepIt) {
  GpuCase test_case(512, View::kRows, 4);
  BackwardArguments call{.shape = {.tokens = 0, .width = 512, .weight = Dtype::kFp32},
                         .dy = {},
                         .h = {},
                         .dx = {},
                         .dw = test_case.buffers().dw.get()};
  test_case.buffers().PoisonOutputs(Pass::kBackward, nullptr);
  call.accumulate_dw = true;
  ASSERT_TRUE(device_.Backward(call, nullptr, 0, nullptr).ok());
  const std::vector<float> kept = test_case.Read(Pass::kBackward, false).small;
  EXPECT_NE(kept[0], kept[0]) << "the poison, a NaN, stays";
  call.accumulate_dw = false;
  ASSERT_TRUE(device_.Backward(call, nullptr, 0, nullptr).ok());
  EXPECT_EQ(test_case.Read(Pass::kBackward, false).small, std::vector<float>(512, 0.0F));
}

// Device 1 holds the tensors and the stream; device 0 is current, and stays so.
TEST(SecondGpu, RunsItsOwnTensorsWhileTheFirstIsCurrent) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) GTEST_SKIP() << "needs two GPUs";
  Device second;
  const Status opened = Device::Open(1, {}, &second);
  if (opened.code == StatusCode::kNoWindows) GTEST_SKIP() << "the second GPU has no windows";
  ASSERT_TRUE(opened.ok()) << ToString(opened);
  constexpr std::int64_t kTokens = 3000;
  constexpr int kWidth = 4096;
  CheckCuda(cudaSetDevice(1), "device 1");
  {
    RouteBuffers buffers(kWidth, View::kRows, kTokens, false);
    const BackwardArguments call = buffers.Backward(kTokens, Dtype::kFp32);
    std::int64_t bytes = 0;
    ASSERT_TRUE(second.BackwardWorkspaceBytes(call.shape, &bytes).ok());
    const DeviceArray<unsigned char> workspace(bytes);
    cudaStream_t stream = nullptr;
    CheckCuda(cudaStreamCreate(&stream), "stream");
    buffers.PoisonOutputs(Pass::kBackward, nullptr);
    ASSERT_TRUE(second.Backward(call, workspace.get(), bytes, stream).ok());
    CheckCuda(cudaDeviceSynchronize(), "running a program");
    KeptOutput<std::uint16_t> dx(buffers.out, kTokens * kWidth);
    KeptOutput<float> dw(buffers.dw, kWidth);
    dx.Keep();
    dw.Keep();
    buffers.PoisonOutputs(Pass::kBackward, nullptr);
    CheckCuda(cudaDeviceSynchronize(), "poisoning");
    CheckCuda(cudaSetDevice(0), "device 0");
    const Status status = second.Backward(call, workspace.get(), bytes, stream);
    EXPECT_TRUE(status.ok()) << ToString(status);
    int current = -1;
    CheckCuda(cudaGetDevice(&current), "current device");
    EXPECT_EQ(current, 0);
    CheckCuda(cudaSetDevice(1), "device 1");
    CheckCuda(cudaStreamSynchronize(stream), "running a program");
    EXPECT_EQ(dx.Differences() + dw.Differences(), 0);
    CheckCuda(cudaStreamDestroy(stream), "destroy");
  }
  CheckCuda(cudaSetDevice(0), "device 0");
}

}  // namespace
}  // namespace fenestra
