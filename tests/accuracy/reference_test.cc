#include "accuracy/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "accuracy/error.h"
#include "accuracy/inputs.h"

namespace fenestra {
namespace {

constexpr std::uint16_t kOne = 0x3f80;

// A power of two as BF16 bits.
std::uint16_t PowerOfTwo(int exponent) { return static_cast<std::uint16_t>((exponent + 127) << 7); }

double Value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// In quadruple precision the sums below are exact to 113 bits.
__extension__ using Quad = __float128;

TEST(ReferenceDw, AgreesWithQuadruplePrecision) {
  for (Family family : {Family::kNormal, Family::kCancel}) {
    for (const auto& [rows, width] : {std::pair<std::int64_t, int>{1, 8}, {65, 264}, {5000, 40}}) {
      std::vector<std::uint16_t> h(rows * width);
      std::vector<std::uint16_t> dy(rows * width);
      FillInputs({family, 3, rows, width}, h, dy);
      std::vector<float> rstd(rows);
      for (std::int64_t row = 0; row < rows; ++row) rstd[row] = 0.7F + 1e-5F * row;
      std::vector<double> dw(width);
      ReferenceDw(rows, width, h, dy, rstd, dw);
      for (int column = 0; column < width; ++column) {
        Quad sum = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t at = row * width + column;
          sum += Quad{Value(h[at])} * Value(dy[at]) * rstd[row];
        }
        ASSERT_EQ(dw[column], static_cast<double>(sum)) << rows << " " << column;
      }
    }
  }
}

// 2^80 + 1 - 2^80: the 1 survives in double-double only, wherever the three rows are.
TEST(ReferenceDw, KeepsWhatDoubleWouldLose) {
  for (const std::vector<std::int64_t>& places :
       {std::vector<std::int64_t>{0, 64, 128}, {0, 1, 2}, {5, 37, 69}, {199, 10, 3}}) {
    std::vector<std::uint16_t> h(200 * 8, kOne);
    std::vector<std::uint16_t> dy(200 * 8, 0);
    const std::vector<float> rstd(200, 1.0F);
    h[places[0] * 8] = PowerOfTwo(40);
    dy[places[0] * 8] = PowerOfTwo(40);
    dy[places[1] * 8] = kOne;
    h[places[2] * 8] = PowerOfTwo(40);
    dy[places[2] * 8] = PowerOfTwo(40) | 0x8000;
    std::vector<double> dw(8);
    ReferenceDw(200, 8, h, dy, rstd, dw);
    EXPECT_EQ(dw[0], 1.0);
    EXPECT_EQ(dw[1], 0.0);
  }
}

TEST(ReferenceDw, NoRowsGiveZerosAndNonFiniteStaysSo) {
  std::vector<double> dw(8, 5.0);
  ReferenceDw(0, 8, {}, {}, {}, dw);
  EXPECT_THAT(dw, ::testing::Each(0.0));
  std::vector<std::uint16_t> h(2 * 8, kOne);
  const std::vector<std::uint16_t> dy(2 * 8, kOne);
  h[3] = 0x7f80;  // infinity
  const std::vector<float> rstd(2, 1.0F);
  ReferenceDw(2, 8, h, dy, rstd, dw);
  EXPECT_FALSE(std::isfinite(dw[3]));
  EXPECT_EQ(dw[4], 2.0);
}

TEST(ReferenceResidual, RoundsToNearestEven) {
  const std::vector<std::uint16_t> x{kOne, kOne, kOne, 0x3f81, 0x7f80, kOne};
  const std::vector<std::uint16_t> residual{kOne,           PowerOfTwo(-8), PowerOfTwo(-7),
                                            PowerOfTwo(-8), 0xff80,         0xbf80};
  std::vector<std::uint16_t> h(6);
  ReferenceResidual(x, residual, h);
  EXPECT_EQ(h[0], 0x4000);  // 2
  EXPECT_EQ(h[1], kOne);    // a tie, to even
  EXPECT_EQ(h[2], 0x3f81);
  EXPECT_EQ(h[3], 0x3f82);               // a tie, to even
  EXPECT_TRUE(std::isnan(Value(h[4])));  // infinity less infinity
  EXPECT_EQ(h[5], 0x0000);
}

TEST(ReferenceRstd, HandMade) {
  // Squares 1, 4, 9, 16 twice: mean 7.5.
  const std::vector<std::uint16_t> h{0x3f80, 0x4000, 0x4040, 0x4080,
                                     0xbf80, 0xc000, 0xc040, 0xc080};
  std::vector<double> rstd(1);
  ReferenceRstd(1, 8, h, 0.5, rstd);
  EXPECT_DOUBLE_EQ(rstd[0], 1 / std::sqrt(8.0));
}

// y of a row of reals, for finite differences.
std::vector<double> Forward(const std::vector<double>& h, const std::vector<float>& w, double eps) {
  double squares = 0;
  for (double value : h) squares += value * value;
  const double rstd = 1 / std::sqrt(squares / static_cast<double>(h.size()) + eps);
  std::vector<double> y;
  for (std::size_t i = 0; i < h.size(); ++i) y.push_back(h[i] * rstd * w[i]);
  return y;
}

class OneRow : public ::testing::Test {
 protected:
  static constexpr int kWidth = 16;
  static constexpr double kEpsilon = 0.25;  // large, so that its place in the formula shows

  OneRow() : h_(kWidth), dy_(kWidth), w_(kWidth), rstd_(1) {
    FillInputs({Family::kNormal, 2, 1, kWidth}, h_, dy_);
    std::vector<std::uint16_t> unused(kWidth);
    FillWeight(5, kWidth, w_, unused);
    for (std::uint16_t bits : h_) reals_.push_back(Value(bits));
    ReferenceRstd(1, kWidth, h_, kEpsilon, rstd_);
  }

  // Of the loss sum(dy y), at column i.
  double Slope(int i) const {
    constexpr double kStep = 1e-5;
    const auto loss = [&](double shift) {
      std::vector<double> moved = reals_;
      moved[i] += shift;
      const std::vector<double> y = Forward(moved, w_, kEpsilon);
      double sum = 0;
      for (int column = 0; column < kWidth; ++column) sum += Value(dy_[column]) * y[column];
      return sum;
    };
    return (loss(kStep) - loss(-kStep)) / (2 * kStep);
  }

  std::vector<std::uint16_t> h_;
  std::vector<std::uint16_t> dy_;
  std::vector<float> w_;
  std::vector<double> rstd_;
  std::vector<double> reals_;
};

TEST_F(OneRow, YFollowsTheFormula) {
  std::vector<double> y(kWidth);
  ReferenceY(1, kWidth, h_, w_, rstd_, y);
  const std::vector<double> expected = Forward(reals_, w_, kEpsilon);
  for (int i = 0; i < kWidth; ++i) EXPECT_DOUBLE_EQ(y[i], expected[i]);
}

TEST_F(OneRow, DxIsTheSlopeOfTheLoss) {
  const std::vector<float> rstd{static_cast<float>(rstd_[0])};
  std::vector<double> dx(kWidth);
  ReferenceDx(1, kWidth, h_, dy_, w_, rstd, {}, dx);
  for (int i = 0; i < kWidth; ++i) EXPECT_NEAR(dx[i], Slope(i), 1e-6);
}

TEST_F(OneRow, DxTakesInTheResidualGradient) {
  const std::vector<float> rstd{static_cast<float>(rstd_[0])};
  std::vector<std::uint16_t> gradient(kWidth, kOne);
  gradient[2] = PowerOfTwo(3) | 0x8000;
  std::vector<double> dx(kWidth);
  ReferenceDx(1, kWidth, h_, dy_, w_, rstd, gradient, dx);
  for (int i = 0; i < kWidth; ++i) EXPECT_NEAR(dx[i], Slope(i) + (i == 2 ? -8 : 1), 1e-6);
}

TEST_F(OneRow, ZeroWeightIsFinite) {
  w_[3] = 0;
  const std::vector<float> rstd{static_cast<float>(rstd_[0])};
  std::vector<double> dx(kWidth);
  ReferenceDx(1, kWidth, h_, dy_, w_, rstd, {}, dx);
  for (int i = 0; i < kWidth; ++i) EXPECT_NEAR(dx[i], Slope(i), 1e-6);
}

TEST(Reference, RefusesOtherSizes) {
  std::vector<std::uint16_t> h(16);
  std::vector<double> rstd(3);
  EXPECT_THROW(ReferenceRstd(2, 8, h, 0, rstd), Error);
  std::vector<std::uint16_t> shorter(15);
  EXPECT_THROW(ReferenceResidual(h, shorter, h), Error);
}

}  // namespace
}  // namespace fenestra
