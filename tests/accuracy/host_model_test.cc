// The host model against the FP64 reference, which shares no code with it: what the programs
// compute is RMSNorm, and what each scheme loses is what its arithmetic says.
#include "accuracy/host_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "accuracy/budget.h"
#include "accuracy/error.h"
#include "accuracy/inputs.h"
#include "accuracy/reference.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr int kSmCount = 132;
constexpr int kThreads = 2;
constexpr std::int64_t kRows = 777;  // no multiple of any tile

// The inputs of a program, and room for its outputs. Of a program without residual, `residual`,
// `residual_gradient` and `residual_out` are empty.
struct Case {
  explicit Case(const Program& program, std::int64_t row_count = kRows,
                Family family = Family::kNormal)
      : Case(program.width, row_count, family) {
    if (!program.residual) return;
    residual.resize(h.size());
    residual_gradient.resize(h.size());
    residual_out.resize(h.size());
    FillInputs({family, 4, rows, program.width}, residual, residual_gradient);
  }
  explicit Case(int width, std::int64_t row_count = kRows, Family family = Family::kNormal)
      : rows(row_count),
        h(static_cast<std::size_t>(rows * width)),
        dy(h.size()),
        out(h.size()),
        w(static_cast<std::size_t>(width)),
        w16(w.size()),
        rstd(static_cast<std::size_t>(rows)),
        dw(w.size()) {
    FillInputs({family, 3, rows, width}, h, dy);
    FillWeight(3, width, w, w16);
    std::vector<double> exact(rstd.size());
    ReferenceRstd(rows, width, h, kEps, exact);
    for (std::size_t i = 0; i < exact.size(); ++i) rstd[i] = static_cast<float>(exact[i]);
  }

  HostForward Forward(std::span<float> own_rstd) {
    return {rows, h, w, kEps, out, own_rstd, residual, residual_out};
  }
  HostBackward Backward() { return {rows, dy, h, w, rstd, out, dw, false, residual_gradient}; }

  std::int64_t rows;
  std::vector<std::uint16_t> h, dy, out, residual, residual_gradient, residual_out;
  std::vector<float> w;
  std::vector<std::uint16_t> w16;
  std::vector<float> rstd, dw;
};

// Half a unit in the last place of BF16, and what FP32 steps add.
bool IsRoundedFrom(std::uint16_t bits, double exact, double scale) {
  return std::fabs(arith::FromBf16(bits) - exact) <= std::fabs(exact) * 0x1p-8 + scale * 1e-6;
}

class EveryProgram : public ::testing::TestWithParam<int> {};
class EveryBackward : public ::testing::TestWithParam<int> {};
class EveryCompensated : public ::testing::TestWithParam<int> {
};  // rings of every scheme but plain
class EveryTwin : public ::testing::TestWithParam<int> {};

std::vector<int> BackwardPrograms() {
  std::vector<int> programs;
  for (int i = 0; i < kProgramCount; ++i) {
    if (ProgramAt(i).pass == Pass::kBackward) programs.push_back(i);
  }
  return programs;
}

std::vector<int> Compensated() {
  std::vector<int> programs;
  for (int i : BackwardPrograms()) {
    const Program& program = ProgramAt(i);
    if (program.structure == Structure::kRing && program.scheme != Scheme::kPlain) {
      programs.push_back(i);
    }
  }
  return programs;
}

std::vector<int> Twins() {
  std::vector<int> programs;
  for (int i : BackwardPrograms()) {
    if (DwTwinOf(i) != i) programs.push_back(i);
  }
  return programs;
}

std::string ParameterName(const ::testing::TestParamInfo<int>& info) {
  return std::string(ProgramName(ProgramAt(info.param)).view());
}

TEST_P(EveryProgram, ComputesRmsNorm) {
  const Program& program = ProgramAt(GetParam());
  Case test(program);
  std::vector<double> exact(test.h.size());
  if (program.pass == Pass::kForward) {
    std::vector<double> rstd(test.rstd.size());
    std::vector<std::uint16_t> h = test.h;
    if (program.residual) ReferenceResidual(test.h, test.residual, h);
    ReferenceRstd(test.rows, program.width, h, kEps, rstd);
    ReferenceY(test.rows, program.width, h, test.w, rstd, exact);
    std::vector<float> own(test.rstd.size());
    RunOnHost(GetParam(), kSmCount, kThreads, test.Forward(own));
    if (program.residual) {
      EXPECT_EQ(test.residual_out, h);
    }
    for (std::size_t r = 0; r < own.size(); ++r) {
      ASSERT_NEAR(own[r], rstd[r], 4 * 0x1p-24 * rstd[r]) << "row " << r;
    }
  } else {
    ReferenceDx(test.rows, program.width, test.h, test.dy, test.w, test.rstd,
                test.residual_gradient, exact);
    RunOnHost(GetParam(), kSmCount, kThreads, test.Backward());
  }
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_TRUE(IsRoundedFrom(test.out[i], exact[i], 8))
        << "element " << i << ": " << arith::FromBf16(test.out[i]) << " for " << exact[i];
  }
}

// Exact sums lose the final rounding alone: half a unit of 24 bits, against a budget of 1e-4 of the
// value and more, is 0.0006. A plain chain of n FP32 additions stays within n roundings of the
// largest partial sum; here ample room is left.
TEST_P(EveryBackward, LosesInDwWhatItsSchemeSays) {
  const Program& program = ProgramAt(GetParam());
  for (Family family : {Family::kNormal, Family::kOutlier, Family::kCancel}) {
    Case test(program.width, kRows, family);
    std::vector<double> reference(test.w.size());
    ReferenceDw(test.rows, program.width, test.h, test.dy, test.rstd, reference);
    HostBackward call = test.Backward();
    call.dx = {};
    RunOnHost(GetParam(), kSmCount, kThreads, call);
    const double worst = WorstOf(test.dw, reference).fraction;
    const bool exact = program.scheme == Scheme::kFma64 || program.scheme == Scheme::kTwoProd;
    EXPECT_LT(worst, exact ? 0.0006 : 0.5) << ToString(family);
  }
}

// On long chains (one SM's worth of CTAs) each compensated or folded scheme loses far less than the
// plain one of its width: what is left of Kahan's and TwoSum's is the rounding of the terms, of the
// folds the length of a chain.
TEST_P(EveryCompensated, LosesLessThanThePlainScheme) {
  const Program& program = ProgramAt(GetParam());
  Case test(program.width, 6000, Family::kOutlier);
  std::vector<double> reference(test.w.size());
  ReferenceDw(test.rows, program.width, test.h, test.dy, test.rstd, reference);
  HostBackward call = test.Backward();
  call.dx = {};
  const auto worst_of = [&](int index) {
    RunOnHost(index, 1, kThreads, call);
    return WorstOf(test.dw, reference).fraction;
  };
  int plain_index = 0;
  while (ProgramAt(plain_index).scheme != Scheme::kPlain ||
         ProgramAt(plain_index).width != program.width) {
    ++plain_index;
  }
  EXPECT_LT(worst_of(GetParam()), 0.5 * worst_of(plain_index));
}

TEST_P(EveryBackward, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Program& program = ProgramAt(GetParam());
  Case test(program);
  RunOnHost(GetParam(), kSmCount, 1, test.Backward());
  const std::vector<float> alone = test.dw;
  RunOnHost(GetParam(), kSmCount, 5, test.Backward());
  EXPECT_EQ(test.dw, alone);
}

TEST_P(EveryTwin, SharesItsDwWithTheFirst) {
  const int twin = DwTwinOf(GetParam());
  ASSERT_NE(twin, GetParam());
  Case test(ProgramAt(GetParam()).width, 1300, Family::kOutlier);
  HostBackward call = test.Backward();
  call.dx = {};
  RunOnHost(GetParam(), kSmCount, kThreads, call);
  const std::vector<float> own = test.dw;
  RunOnHost(twin, kSmCount, kThreads, call);
  EXPECT_EQ(test.dw, own);
}

TEST_P(EveryBackward, KeepsNonFiniteInputWhereItIs) {
  const Program& program = ProgramAt(GetParam());
  Case test(program, 40);
  constexpr std::uint16_t kInfinity = 0x7f80;
  constexpr std::int64_t kRow = 33;
  constexpr int kColumn = 19;
  test.dy[static_cast<std::size_t>(kRow * program.width + kColumn)] = kInfinity;
  RunOnHost(GetParam(), kSmCount, kThreads, test.Backward());
  // As the FP32 formula has it: every dx of the row, and dw of the column alone.
  for (int c = 0; c < program.width; ++c) {
    EXPECT_EQ(std::isfinite(test.dw[static_cast<std::size_t>(c)]), c != kColumn) << c;
    const auto element = static_cast<std::size_t>(kRow * program.width + c);
    EXPECT_FALSE(std::isfinite(arith::FromBf16(test.out[element]))) << c;
    EXPECT_TRUE(std::isfinite(arith::FromBf16(test.out[element - test.w.size()]))) << c;
  }
  EXPECT_TRUE(std::isinf(test.dw[kColumn])) << "an infinity must not turn into a NaN";
}

INSTANTIATE_TEST_SUITE_P(List, EveryProgram, ::testing::Range(0, kProgramCount), ParameterName);
INSTANTIATE_TEST_SUITE_P(List, EveryBackward, ::testing::ValuesIn(BackwardPrograms()),
                         ParameterName);

INSTANTIATE_TEST_SUITE_P(List, EveryCompensated, ::testing::ValuesIn(Compensated()), ParameterName);
INSTANTIATE_TEST_SUITE_P(List, EveryTwin, ::testing::ValuesIn(Twins()), ParameterName);

TEST(HostModel, OfNoRowsDwIsZeroOrStays) {
  const int program = FindProgram("bwd_dual_h512_t256_w2_slab64_fma64");
  ASSERT_GE(program, 0);
  std::vector<float> dw(512, 7.0F);
  HostBackward call;
  call.dw = dw;
  call.accumulate = true;
  RunOnHost(program, kSmCount, 1, call);
  EXPECT_EQ(dw, std::vector<float>(512, 7.0F));
  call.accumulate = false;
  RunOnHost(program, kSmCount, 1, call);
  EXPECT_EQ(dw, std::vector<float>(512, 0.0F));
}

TEST(HostModel, AZeroWeightGivesAFiniteDx) {
  const int program = FindProgram("bwd_dual_h512_t256_w2_slab64_fma64");
  Case test(512, 4);
  test.w.assign(512, 0.0F);
  RunOnHost(program, kSmCount, 1, test.Backward());
  for (std::uint16_t bits : test.out) EXPECT_EQ(arith::FromBf16(bits), 0.0F);
}

TEST(HostModel, RefusesWrongSizesAndPasses) {
  Case test(512, 4);
  EXPECT_THROW(RunOnHost(0, kSmCount, 1, test.Backward()), Error) << "a forward program";
  EXPECT_THROW(RunOnHost(kProgramCount, kSmCount, 1, test.Backward()), Error);
  HostBackward call = test.Backward();
  call.rows = 5;
  EXPECT_THROW(RunOnHost(FindProgram("bwd_dual_h512_t256_w2_slab64_fma64"), kSmCount, 1, call),
               Error);
}

// What Rsqrt in kernels/arith/scalar.h rests on: rounding 1 / sqrt(x) of FP64 to FP32 is correct
// rounding. Every significand, of both exponent parities (others differ by a power of two).
TEST(Rsqrt, IsCorrectlyRounded) {
  for (std::uint32_t exponent : {127U, 128U}) {
    for (std::uint32_t fraction = 0; fraction < (1U << 23); ++fraction) {
      const float x = arith::FloatOf(exponent << 23 | fraction);
      const long double exact = 1.0L / std::sqrt(static_cast<long double>(x));
      const float rounded = arith::Rsqrt(x);
      const float below = std::nextafter(rounded, 0.0F);
      const float above = std::nextafter(rounded, 2.0F);
      const auto error = std::fabs(static_cast<long double>(rounded) - exact);
      ASSERT_LE(error, std::fabs(static_cast<long double>(below) - exact)) << x;
      ASSERT_LE(error, std::fabs(static_cast<long double>(above) - exact)) << x;
    }
  }
}

// What exact sums of wide rings rest on: every BF16 value times those of all significands and of
// the exponents at the ends, as far as the product is finite.
TEST(WidenScaled, IsExactForEveryProductOfBf16ThatIsNotSubnormal) {
  std::vector<float> factors;
  for (std::uint16_t bits = 0x3f80; bits < 0x4000; ++bits) factors.push_back(arith::FromBf16(bits));
  for (std::uint16_t bits :
       {0x0000, 0x8000, 0x0001, 0x0080, 0x00ff, 0x2055, 0x5fd5, 0x7f7f, 0xff7f}) {
    factors.push_back(arith::FromBf16(bits));
  }
  std::int64_t wrong = 0;
  std::int64_t subnormal = 0;
  for (std::uint32_t bits = 0; bits < 1U << 16; ++bits) {
    for (float factor : factors) {
      const float product = arith::Mul(arith::FromBf16(static_cast<std::uint16_t>(bits)), factor);
      if (!std::isfinite(product)) continue;
      const double widened = arith::Mul(arith::WidenScaled(product), arith::kWidenScale);
      const auto exact = static_cast<double>(product);
      if (std::fpclassify(product) == FP_SUBNORMAL) {
        ++subnormal;
        wrong += std::fabs(widened - exact) < 0x1p-146 ? 0 : 1;
      } else {
        wrong += widened == exact && std::signbit(widened) == std::signbit(exact) ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(subnormal, 0);
}

}  // namespace
}  // namespace fenestra
