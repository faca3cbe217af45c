// The C interface on the GPU: the same bits as the C++ one.
#include "kernels/c/fenestra.h"
#include "kernels/fenestra.h"
#include "tests/kernels/gpu_case.h"
#include "tuner/gpu/kept_output.h"

namespace fenestra {
namespace {

fenestra_tensor Of(const Tensor& tensor) {
  return {tensor.data, tensor.token_pitch, tensor.head_pitch};
}

class CInterface : public ::testing::Test {
 protected:
  ~CInterface() override { fenestra_close(device_); }

  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "no GPU on this machine";
    const fenestra_status status = fenestra_open(0, nullptr, &device_);
    if (status.code == FENESTRA_NO_WINDOWS) GTEST_SKIP() << "this GPU's board has no windows";
    ASSERT_EQ(status.code, FENESTRA_OK) << status.argument << ": " << status.reason;
    ASSERT_TRUE(Device::Open(0, {}, &expected_).ok());
  }

  fenestra_device* device_ = nullptr;
  Device expected_;
};

TEST_F(CInterface, GivesTheBitsOfTheCppInterface) {
  constexpr std::int64_t kTokens = 3000;
  constexpr int kWidth = 1536;
  RouteBuffers buffers(kWidth, View::kRows, kTokens, true);
  for (const bool residual : {false, true}) {
    for (const Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      fenestra_shape shape = FENESTRA_SHAPE_INIT;
      shape.tokens = kTokens;
      shape.width = kWidth;
      shape.weight = static_cast<int>(weight);
      shape.residual = residual ? 1 : 0;

      ForwardArguments forward = buffers.Forward(kTokens, weight);
      forward.shape.residual = residual;
      ASSERT_TRUE(expected_.Forward(forward, nullptr).ok());
      KeptOutput<std::uint16_t> y(buffers.out, kTokens * kWidth);
      KeptOutput<float> rstd(buffers.rstd, kTokens);
      y.Keep();
      rstd.Keep();
      buffers.PoisonOutputs(Pass::kForward, nullptr);
      fenestra_forward_arguments c_forward{};
      c_forward.size = sizeof c_forward;
      c_forward.shape = &shape;
      c_forward.x = Of(forward.x);
      c_forward.residual = Of(forward.residual);
      c_forward.residual_out = Of(forward.residual_out);
      c_forward.w = forward.w;
      c_forward.y = Of(forward.y);
      c_forward.rstd = forward.rstd;
      c_forward.eps = forward.eps;
      ASSERT_EQ(fenestra_forward(device_, &c_forward, nullptr).code, FENESTRA_OK);
      EXPECT_EQ(y.Differences() + rstd.Differences(), 0);

      BackwardArguments backward = buffers.Backward(kTokens, weight);
      backward.shape.residual = residual;
      std::int64_t bytes = 0;
      ASSERT_TRUE(expected_.BackwardWorkspaceBytes(backward.shape, &bytes).ok());
      const DeviceArray<unsigned char> workspace(bytes);
      ASSERT_TRUE(expected_.Backward(backward, workspace.get(), bytes, nullptr).ok());
      KeptOutput<std::uint16_t> dx(buffers.out, kTokens * kWidth);
      KeptOutput<float> dw(buffers.dw, kWidth);
      dx.Keep();
      dw.Keep();
      buffers.PoisonOutputs(Pass::kBackward, nullptr);
      std::int64_t c_bytes = 0;
      ASSERT_EQ(fenestra_backward_workspace_bytes(device_, &shape, &c_bytes).code, FENESTRA_OK);
      EXPECT_EQ(c_bytes, bytes);
      fenestra_backward_arguments c_backward{};
      c_backward.size = sizeof c_backward;
      c_backward.shape = &shape;
      c_backward.dy = Of(backward.dy);
      c_backward.h = Of(backward.h);
      c_backward.residual_gradient = Of(backward.residual_gradient);
      c_backward.w = backward.w;
      c_backward.rstd = backward.rstd;
      c_backward.dx = Of(backward.dx);
      c_backward.dw = backward.dw;
      ASSERT_EQ(fenestra_backward(device_, &c_backward, workspace.get(), bytes, nullptr).code,
                FENESTRA_OK);
      EXPECT_EQ(dx.Differences() + dw.Differences(), 0);
      c_backward.accumulate_dw = 1;
      ASSERT_EQ(fenestra_backward(device_, &c_backward, workspace.get(), bytes, nullptr).code,
                FENESTRA_OK);
      EXPECT_EQ(dx.Differences(), 0);
      EXPECT_GT(dw.Differences(), 0) << "dw was added to";
    }
  }
}

}  // namespace
}  // namespace fenestra
