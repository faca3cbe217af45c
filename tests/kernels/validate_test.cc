#include "kernels/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace fenestra {
namespace {

// Validation looks at addresses alone: none of these is dereferenced.
void* At(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

constexpr std::uintptr_t kKiB = 1 << 10;
constexpr std::uintptr_t kMiB = 1 << 20;

ForwardArguments GoodForward() {
  return {.shape = {.tokens = 64, .width = 512, .weight = Dtype::kFp32},
          .x = {At(16 * kMiB), 512, 0},
          .w = At(32 * kMiB),
          .y = {At(48 * kMiB), 512, 0},
          .rstd = static_cast<float*>(At(64 * kMiB)),
          .eps = 1e-6F};
}

BackwardArguments GoodBackward() {
  return {.shape = {.tokens = 64, .width = 512, .weight = Dtype::kFp32},
          .dy = {At(16 * kMiB), 512, 0},
          .h = {At(32 * kMiB), 512, 0},
          .w = At(48 * kMiB),
          .rstd = static_cast<const float*>(At(64 * kMiB)),
          .dx = {At(80 * kMiB), 512, 0},
          .dw = static_cast<float*>(At(96 * kMiB))};
}

ForwardArguments GoodResidualForward() {
  ForwardArguments arguments = GoodForward();
  arguments.shape.residual = true;
  arguments.residual = {At(112 * kMiB), 512, 0};
  arguments.residual_out = {At(128 * kMiB), 512, 0};
  return arguments;
}

BackwardArguments GoodResidualBackward() {
  BackwardArguments arguments = GoodBackward();
  arguments.shape.residual = true;
  arguments.residual_gradient = {At(112 * kMiB), 512, 0};
  return arguments;
}

template <typename Arguments>
struct BadCall {
  std::string what;
  std::function<void(Arguments*)> spoil;
  StatusCode code;
  std::string argument;
};

template <typename Call, typename Arguments>
void ExpectRefused(const Arguments& good, const std::vector<BadCall<Arguments>>& bad_calls) {
  Call call;
  bool in_place = false;
  EXPECT_TRUE(Validate(good, &call, &in_place).ok());
  EXPECT_FALSE(in_place);
  for (const auto& bad : bad_calls) {
    Arguments arguments = good;
    bad.spoil(&arguments);
    const Status status = Validate(arguments, &call, &in_place);
    EXPECT_EQ(status.code, bad.code) << bad.what << ": " << ToString(status);
    EXPECT_EQ(status.argument, bad.argument) << bad.what << ": " << ToString(status);
    EXPECT_STRNE(status.reason, "") << bad.what;
  }
}

TEST(Validate, RefusesBadForwardCalls) {
  using Bad = BadCall<ForwardArguments>;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Bad> bad_calls{
      {"null x", [](auto* a) { a->x.data = nullptr; }, StatusCode::kNullPointer, "x"},
      {"null w", [](auto* a) { a->w = nullptr; }, StatusCode::kNullPointer, "w"},
      {"null y", [](auto* a) { a->y.data = nullptr; }, StatusCode::kNullPointer, "y"},
      {"null rstd", [](auto* a) { a->rstd = nullptr; }, StatusCode::kNullPointer, "rstd"},
      {"x at 2 bytes", [](auto* a) { a->x.data = At(16 * kMiB + 2); }, StatusCode::kMisaligned,
       "x"},
      {"w at 8 bytes", [](auto* a) { a->w = At(32 * kMiB + 8); }, StatusCode::kMisaligned, "w"},
      {"rstd at 2 bytes", [](auto* a) { a->rstd = static_cast<float*>(At(64 * kMiB + 2)); },
       StatusCode::kMisaligned, "rstd"},
      {"pitch of 516", [](auto* a) { a->y.token_pitch = 516; }, StatusCode::kMisaligned, "y"},
      {"head pitch of 4",
       [](auto* a) {
         a->shape.heads = 2;
         a->x.token_pitch = a->y.token_pitch = 1024;
         a->x.head_pitch = 516;
         a->y.head_pitch = 512;
       },
       StatusCode::kMisaligned, "x"},
      {"width 513", [](auto* a) { a->shape.width = 513; }, StatusCode::kNoRoute, "shape.width"},
      {"dtype 7", [](auto* a) { a->shape.weight = static_cast<Dtype>(7); }, StatusCode::kNoRoute,
       "shape.weight"},
      {"negative tokens", [](auto* a) { a->shape.tokens = -1; }, StatusCode::kBadValue,
       "shape.tokens"},
      {"2^31 rows", [](auto* a) { a->shape.tokens = std::int64_t{1} << 31; }, StatusCode::kBadValue,
       "shape.tokens"},
      {"no heads", [](auto* a) { a->shape.heads = 0; }, StatusCode::kBadValue, "shape.heads"},
      {"negative eps", [](auto* a) { a->eps = -1e-6F; }, StatusCode::kBadValue, "eps"},
      {"NaN eps", [nan](auto* a) { a->eps = nan; }, StatusCode::kBadValue, "eps"},
      {"infinite eps", [](auto* a) { a->eps = HUGE_VALF; }, StatusCode::kBadValue, "eps"},
      {"y one row into x", [](auto* a) { a->y.data = At(16 * kMiB + 1024); }, StatusCode::kOverlap,
       "y"},
      {"y over x with another pitch",
       [](auto* a) {
         a->y.data = a->x.data;
         a->y.token_pitch = 1024;
       },
       StatusCode::kOverlap, "y"},
      {"rstd in x", [](auto* a) { a->rstd = static_cast<float*>(At(16 * kMiB + 64)); },
       StatusCode::kOverlap, "rstd"},
      {"rows of y share elements", [](auto* a) { a->y.token_pitch = 256; }, StatusCode::kOverlap,
       "y"},
  };
  ExpectRefused<launch::ForwardCall>(GoodForward(), bad_calls);
}

TEST(Validate, RefusesBadBackwardCalls) {
  using Bad = BadCall<BackwardArguments>;
  const std::vector<Bad> bad_calls{
      {"null dy", [](auto* a) { a->dy.data = nullptr; }, StatusCode::kNullPointer, "dy"},
      {"null h", [](auto* a) { a->h.data = nullptr; }, StatusCode::kNullPointer, "h"},
      {"null w", [](auto* a) { a->w = nullptr; }, StatusCode::kNullPointer, "w"},
      {"null rstd", [](auto* a) { a->rstd = nullptr; }, StatusCode::kNullPointer, "rstd"},
      {"null dx", [](auto* a) { a->dx.data = nullptr; }, StatusCode::kNullPointer, "dx"},
      {"null dw", [](auto* a) { a->dw = nullptr; }, StatusCode::kNullPointer, "dw"},
      {"dw at 2 bytes", [](auto* a) { a->dw = static_cast<float*>(At(96 * kMiB + 2)); },
       StatusCode::kMisaligned, "dw"},
      {"pitch of h", [](auto* a) { a->h.token_pitch = 513; }, StatusCode::kMisaligned, "h"},
      {"dx over h", [](auto* a) { a->dx.data = a->h.data; }, StatusCode::kOverlap, "dx"},
      {"dx over the end of dy", [](auto* a) { a->dx.data = At(16 * kMiB + 63 * kKiB); },
       StatusCode::kOverlap, "dx"},
      {"dw in dy", [](auto* a) { a->dw = static_cast<float*>(At(16 * kMiB)); },
       StatusCode::kOverlap, "dw"},
      {"dw in dx", [](auto* a) { a->dw = static_cast<float*>(At(80 * kMiB)); },
       StatusCode::kOverlap, "dx"},
  };
  ExpectRefused<launch::BackwardCall>(GoodBackward(), bad_calls);
}

TEST(Validate, RefusesBadResidualForms) {
  using BadForward = BadCall<ForwardArguments>;
  ExpectRefused<launch::ForwardCall>(
      GoodResidualForward(),
      std::vector<BadForward>{
          {"null residual", [](auto* a) { a->residual.data = nullptr; }, StatusCode::kNullPointer,
           "residual"},
          {"null residual_out", [](auto* a) { a->residual_out.data = nullptr; },
           StatusCode::kNullPointer, "residual_out"},
          {"pitch of residual", [](auto* a) { a->residual.token_pitch = 516; },
           StatusCode::kMisaligned, "residual"},
          {"residual_out over x", [](auto* a) { a->residual_out = a->x; }, StatusCode::kOverlap,
           "residual_out"},
          {"y over residual", [](auto* a) { a->y = a->residual; }, StatusCode::kOverlap, "y"},
          {"y over residual_out", [](auto* a) { a->y = a->residual_out; }, StatusCode::kOverlap,
           "y"},
          {"residual_out one row into residual",
           [](auto* a) { a->residual_out.data = At(112 * kMiB + 1024); }, StatusCode::kOverlap,
           "residual_out"},
          {"rows of residual_out share elements",
           [](auto* a) { a->residual_out.token_pitch = 256; }, StatusCode::kOverlap,
           "residual_out"},
          {"rstd in residual", [](auto* a) { a->rstd = static_cast<float*>(At(112 * kMiB)); },
           StatusCode::kOverlap, "rstd"},
      });
  using BadBackward = BadCall<BackwardArguments>;
  ExpectRefused<launch::BackwardCall>(
      GoodResidualBackward(),
      std::vector<BadBackward>{
          {"null gradient", [](auto* a) { a->residual_gradient.data = nullptr; },
           StatusCode::kNullPointer, "residual_gradient"},
          {"dx one row into the gradient", [](auto* a) { a->dx.data = At(112 * kMiB + 1024); },
           StatusCode::kOverlap, "dx"},
          {"dw in the gradient", [](auto* a) { a->dw = static_cast<float*>(At(112 * kMiB)); },
           StatusCode::kOverlap, "dw"},
      });
}

template <typename Arguments>
struct Place {
  std::string name;
  std::function<void(Arguments*, void*)> put;
};

std::vector<Place<ForwardArguments>> PlacesOf(const ForwardArguments&) {
  return {{"y", [](auto* a, void* at) { a->y.data = at; }},
          {"residual_out", [](auto* a, void* at) { a->residual_out.data = at; }},
          {"rstd", [](auto* a, void* at) { a->rstd = static_cast<float*>(at); }},
          {"x", [](auto* a, void* at) { a->x.data = at; }},
          {"residual", [](auto* a, void* at) { a->residual.data = at; }},
          {"w", [](auto* a, void* at) { a->w = at; }}};
}

std::vector<Place<BackwardArguments>> PlacesOf(const BackwardArguments&) {
  return {{"dx", [](auto* a, void* at) { a->dx.data = at; }},
          {"dw", [](auto* a, void* at) { a->dw = static_cast<float*>(at); }},
          {"dy", [](auto* a, void* at) { a->dy.data = at; }},
          {"h", [](auto* a, void* at) { a->h.data = at; }},
          {"residual_gradient", [](auto* a, void* at) { a->residual_gradient.data = at; }},
          {"w", [](auto* a, void* at) { a->w = at; }},
          {"rstd", [](auto* a, void* at) { a->rstd = static_cast<float*>(at); }}};
}

// Every pair of an output, which come first, and another argument at one address. Of two outputs
// the first is named.
template <typename Call, typename Arguments>
void ExpectApart(const Arguments& good, std::size_t outputs, const std::set<std::string>& allowed) {
  const auto places = PlacesOf(good);
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t other = output + 1; other < places.size(); ++other) {
      Arguments arguments = good;
      places[output].put(&arguments, At(kMiB));
      places[other].put(&arguments, At(kMiB));
      Call call;
      bool in_place = false;
      const Status status = Validate(arguments, &call, &in_place);
      const std::string pair = places[output].name + " over " + places[other].name;
      if (allowed.contains(pair)) {
        EXPECT_TRUE(status.ok()) << pair << ": " << ToString(status);
      } else {
        EXPECT_EQ(status.code, StatusCode::kOverlap) << pair;
        EXPECT_EQ(status.argument, places[output].name) << pair;
      }
    }
  }
}

TEST(Validate, AllowsNoOtherSharingThanTheDocumentedOnes) {
  ExpectApart<launch::ForwardCall>(GoodResidualForward(), 3,
                                   {"y over x", "residual_out over residual"});
  ExpectApart<launch::BackwardCall>(GoodResidualBackward(), 2,
                                    {"dx over dy", "dx over residual_gradient"});
}

TEST(Validate, KeepsTheWorkspaceApartFromEveryTensor) {
  const BackwardArguments good = GoodResidualBackward();
  EXPECT_TRUE(ValidateWorkspace(good, At(kMiB), 4096).ok());
  EXPECT_EQ(ValidateWorkspace(good, nullptr, 4096).code, StatusCode::kNullPointer);
  EXPECT_EQ(ValidateWorkspace(good, At(kMiB + 4), 4096).code, StatusCode::kMisaligned);
  for (const auto& place : PlacesOf(good)) {
    BackwardArguments arguments = good;
    place.put(&arguments, At(kMiB + 4080));
    const Status status = ValidateWorkspace(arguments, At(kMiB), 4096);
    EXPECT_EQ(status.code, StatusCode::kOverlap) << place.name;
    EXPECT_EQ(status.argument, std::string("workspace")) << place.name;
    EXPECT_TRUE(ValidateWorkspace(arguments, At(kMiB), 4080).ok()) << place.name;
  }
  BackwardArguments plain = GoodBackward();
  plain.residual_gradient.data = At(kMiB);
  EXPECT_TRUE(ValidateWorkspace(plain, At(kMiB), 4096).ok());
}

TEST(Validate, LooksAtResidualTensorsInTheResidualFormAlone) {
  launch::ForwardCall forward;
  launch::BackwardCall backward;
  bool in_place = false;
  ForwardArguments plain = GoodResidualForward();
  plain.shape.residual = false;
  plain.residual.data = At(3);
  plain.residual_out = plain.x;
  EXPECT_TRUE(Validate(plain, &forward, &in_place).ok());
  EXPECT_EQ(forward.inputs[1].data, nullptr);
  BackwardArguments plain_backward = GoodBackward();
  plain_backward.residual_gradient.data = At(3);
  EXPECT_TRUE(Validate(plain_backward, &backward, &in_place).ok());
  EXPECT_EQ(backward.inputs[2].data, nullptr);
}

TEST(Validate, AllowsTheResidualStreamToBeOverlaid) {
  launch::ForwardCall forward;
  launch::BackwardCall backward;
  bool in_place = true;
  ForwardArguments over = GoodResidualForward();
  over.residual_out = over.residual;
  EXPECT_TRUE(Validate(over, &forward, &in_place).ok());
  EXPECT_FALSE(in_place);
  over.y = over.x;
  EXPECT_TRUE(Validate(over, &forward, &in_place).ok());
  EXPECT_TRUE(in_place);
  BackwardArguments dx_over = GoodResidualBackward();
  dx_over.dx = dx_over.residual_gradient;
  EXPECT_TRUE(Validate(dx_over, &backward, &in_place).ok());
  EXPECT_FALSE(in_place) << "every program allows it";
  // A gradient with gaps between its rows keeps bulk copies of several rows away.
  BackwardArguments spread = GoodResidualBackward();
  EXPECT_TRUE(Validate(spread, &backward, &in_place).ok());
  EXPECT_TRUE(backward.packed);
  spread.residual_gradient.token_pitch = 1024;
  EXPECT_TRUE(Validate(spread, &backward, &in_place).ok());
  EXPECT_FALSE(backward.packed);
}

TEST(Validate, TellsInPlaceFromOverlap) {
  launch::BackwardCall call;
  bool in_place = false;
  BackwardArguments arguments = GoodBackward();
  arguments.dx = arguments.dy;
  EXPECT_TRUE(Validate(arguments, &call, &in_place).ok());
  EXPECT_TRUE(in_place);
}

TEST(Validate, LetsSlicesOfOneBufferInterleave) {
  // dy and dx are the two halves of each row of one [64][1024] buffer.
  launch::BackwardCall call;
  bool in_place = true;
  BackwardArguments arguments = GoodBackward();
  arguments.dy = {At(16 * kMiB), 1024, 0};
  arguments.dx = {At(16 * kMiB + 1024), 1024, 0};
  EXPECT_TRUE(Validate(arguments, &call, &in_place).ok());
  EXPECT_FALSE(in_place);
  arguments.dx.data = At(16 * kMiB + 1024 - 16);
  EXPECT_EQ(Validate(arguments, &call, &in_place).code, StatusCode::kOverlap);
}

TEST(Validate, LooksAtNoPointerOfACallWithoutRows) {
  launch::BackwardCall call;
  bool in_place = false;
  BackwardArguments arguments{.shape = {.tokens = 0, .width = 512},
                              .dy = {},
                              .h = {},
                              .dx = {},
                              .dw = static_cast<float*>(At(96 * kMiB))};
  EXPECT_TRUE(Validate(arguments, &call, &in_place).ok());
  EXPECT_EQ(call.rows, 0);
  arguments.dw = nullptr;
  EXPECT_EQ(Validate(arguments, &call, &in_place).argument, std::string("dw"));
}

TEST(Validate, IgnoresThePitchOfADimensionOfOne) {
  launch::ForwardCall call;
  bool in_place = false;
  ForwardArguments arguments = GoodForward();
  arguments.shape.tokens = 1;
  arguments.x.token_pitch = 3;
  arguments.y.token_pitch = -77;
  arguments.x.head_pitch = 5;
  EXPECT_TRUE(Validate(arguments, &call, &in_place).ok());
}

TEST(Validate, FoldsAContiguousKeyViewIntoRows) {
  launch::BackwardCall call;
  bool in_place = false;
  BackwardArguments arguments = GoodBackward();
  arguments.shape = {.tokens = 10, .heads = 4, .width = 256, .weight = Dtype::kFp32};
  for (Tensor* tensor : {&arguments.dy, &arguments.h, &arguments.dx}) {
    tensor->token_pitch = 1024;
    tensor->head_pitch = 256;
  }
  ASSERT_TRUE(Validate(arguments, &call, &in_place).ok());
  EXPECT_EQ(call.rows, 40);
  EXPECT_EQ(call.heads.value, 1U);
  EXPECT_EQ(call.dx.token_pitch, 256);
  EXPECT_TRUE(call.packed);
  arguments.h.token_pitch = 2048;
  ASSERT_TRUE(Validate(arguments, &call, &in_place).ok());
  EXPECT_EQ(call.heads.value, 4U);
  EXPECT_FALSE(call.packed);
}

TEST(Divisor, DividesEveryKindOfRow) {
  for (std::uint32_t value : {1U, 2U, 3U, 4U, 7U, 24U, 25U, 1000U, 65535U, 65536U}) {
    const launch::Divisor divisor = launch::MakeDivisor(value);
    for (std::uint64_t n : {0ULL, 1ULL, 23ULL, 24ULL, 25ULL, 1572863ULL, 2147483646ULL}) {
      // What RowOf in kernels/device/rows.cuh computes.
      const std::uint64_t high = (std::uint64_t{divisor.multiplier} * n) >> 32;
      EXPECT_EQ((high + n) >> divisor.shift, n / value) << n << " / " << value;
    }
  }
}

}  // namespace
}  // namespace fenestra
