// The production library: the programs that windows name, and no others; and a machine without a
// GPU gets a status, not a crash.
#include <gtest/gtest.h>

#include "kernels/dispatch/routed.h"
#include "kernels/fenestra.h"
#include "kernels/launch/entry.h"

namespace fenestra {
namespace {

TEST(Production, CompilesWhatIsRoutedAndNothingElse) {
  int compiled = 0;
  for (int i = 0; i < kProgramCount; ++i) {
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      const bool found = launch::FindEntry(i, weight) != nullptr;
      EXPECT_EQ(found, IsRouted(i)) << ProgramName(kPrograms[static_cast<std::size_t>(i)]).view();
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
  Choice choice;
  EXPECT_EQ(device.Choose(Pass::kForward, shape, false, &choice).code, StatusCode::kNoWindows);
}

}  // namespace
}  // namespace fenestra
