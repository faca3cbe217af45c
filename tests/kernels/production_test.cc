// The production library: the programs that windows name, and no others; and a machine without a
// GPU gets a status, not a crash.
#include <gtest/gtest.h>

#include "kernels/dispatch/routed.h"
#include "kernels/fenestra.h"
#include "kernels/launch/entry.h"
#include "kernels/validate.h"

namespace fenestra {
namespace {

TEST(Production, CompilesWhatIsRoutedAndNothingElse) {
  int compiled = 0;
  for (int i = 0; i < kProgramCount; ++i) {
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      const bool found = launch::FindEntry(i, weight) != nullptr;
      EXPECT_EQ(found, IsRouted(i)) << ProgramName(ProgramAt(i)).view();
      compiled += found ? 1 : 0;
    }
  }
  EXPECT_LT(compiled, 2 * kProgramCount) << "no board routes every program";
  EXPECT_EQ(launch::FindEntry(-1, Dtype::kBf16), nullptr);
  EXPECT_EQ(launch::FindEntry(kProgramCount, Dtype::kBf16), nullptr);
}

TEST(Production, ADeviceThatIsNotThereIsRefusedByName) {
  Device device;
  const Status status = Device::Open(99, {}, &device);
  EXPECT_EQ(status.code, StatusCode::kCudaError) << ToString(status);
  EXPECT_STREQ(status.argument, "ordinal");
}

TEST(Production, AHandleThatIsNotOpenRefusesCalls) {
  const Device device;
  std::int64_t bytes = -1;
  const Shape shape{.tokens = 1, .width = 512};
  EXPECT_EQ(device.BackwardWorkspaceBytes(shape, &bytes).code, StatusCode::kNoWindows);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(device.BackwardWorkspaceBytesUpTo(shape, &bytes).code, StatusCode::kNoWindows);
  Choice choice;
  EXPECT_EQ(device.Choose(Pass::kForward, shape, false, &choice).code, StatusCode::kNoWindows);
  EXPECT_EQ(device.Forward({}, nullptr).code, StatusCode::kNoWindows);
  EXPECT_EQ(device.Backward({}, nullptr, 0, nullptr).code, StatusCode::kNoWindows);
}

TEST(Production, ShapesOutOfRangeAreRefusedBeforeAnythingIsLookedUp) {
  for (const Shape& bad :
       {Shape{.tokens = -1, .width = 512},
        Shape{.tokens = std::int64_t{1} << 62, .heads = 24, .width = 256},
        Shape{.tokens = 1, .heads = 0, .width = 256}, Shape{.tokens = 1, .width = 513},
        Shape{.tokens = 1, .width = 512, .weight = static_cast<Dtype>(9)},
        Shape{.tokens = 1, .width = 512, .determinism = static_cast<Determinism>(77)}}) {
    EXPECT_FALSE(CheckShape(bad).ok());
  }
  EXPECT_TRUE(CheckShape({.tokens = kMaxRows, .width = 512}).ok());
}

}  // namespace
}  // namespace fenestra
