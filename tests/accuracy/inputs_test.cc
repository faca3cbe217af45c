#include "accuracy/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "accuracy/error.h"
#include "tests/accuracy/quantile.h"

namespace fenestra {
namespace {

using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::ThrowsMessage;

struct Input {
  std::vector<std::uint16_t> h;
  std::vector<std::uint16_t> dy;
};

Input Fill(const InputSpec& spec) {
  const std::size_t size = spec.rows * spec.width;
  Input input{std::vector<std::uint16_t>(size), std::vector<std::uint16_t>(size)};
  FillInputs(spec, input.h, input.dy);
  return input;
}

double Value(std::uint16_t bits) { return arith::FromBf16(bits); }

std::vector<std::uint16_t> Row(const std::vector<std::uint16_t>& tensor, int width,
                               std::int64_t row) {
  return {tensor.begin() + row * width, tensor.begin() + (row + 1) * width};
}

double RootMeanSquare(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// The counter layout as docs/protocol.md states it, with the exact quantile.
TEST(Inputs, ElementsFollowTheWrittenProtocol) {
  const InputSpec spec{Family::kNormal, (std::int64_t{7} << 32) + 3, 5, 64};
  const Input input = Fill(spec);
  for (std::uint32_t row = 0; row < 5; ++row) {
    for (std::uint32_t column = 0; column < 64; ++column) {
      for (std::uint32_t stream : {0U, 1U}) {
        const PhiloxCounter words =
            Philox4x32({{column % 16, row, stream, (1U << 8) | 0U}}, {{3, 7}});
        const auto exact = static_cast<double>(NormalByDefinition(words.words[column / 16]));
        const double drawn = Value((stream == 0 ? input.h : input.dy)[row * 64 + column]);
        EXPECT_NEAR(drawn, exact, std::abs(exact) * (0x1p-8 + 1e-5)) << row << " " << column;
      }
    }
  }
}

class EveryFamily : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, EveryFamily,
                         ::testing::Values(Family::kNormal, Family::kOutlier, Family::kCancel),
                         [](const auto& family) { return std::string(ToString(family.param)); });

// Whole tensors come from vectorized loops, single elements from scalar code.
TEST_P(EveryFamily, FillsAreMadeOfTheElements) {
  for (const auto& [rows, width] : {std::pair{1, 8}, {2, 24}, {7, 256}, {12, 512}, {3, 1536}}) {
    const InputSpec spec{GetParam(), 11, rows, width};
    const Input input = Fill(spec);
    const InputDraw draw = MakeDraw(spec);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < width; ++column) {
        ASSERT_EQ(input.h[row * width + column], DrawElementH(draw, row, column));
        ASSERT_EQ(input.dy[row * width + column], DrawElementDy(draw, row, column));
      }
    }
  }
}

TEST_P(EveryFamily, PartsMakeTheWhole) {
  const InputSpec spec{GetParam(), 3, 11, 256};
  const Input whole = Fill(spec);
  Input part{std::vector<std::uint16_t>(4 * 256), std::vector<std::uint16_t>(4 * 256)};
  FillInputRows(spec, 6, 4, part.h, part.dy);
  EXPECT_TRUE(std::equal(part.h.begin(), part.h.end(), whole.h.begin() + 6 * 256));
  EXPECT_TRUE(std::equal(part.dy.begin(), part.dy.end(), whole.dy.begin() + 6 * 256));
}

TEST_P(EveryFamily, SeedsAreUnrelated) {
  const Input one = Fill({GetParam(), 1, 64, 256});
  const Input two = Fill({GetParam(), 2, 64, 256});
  double product = 0;
  for (std::size_t i = 0; i < one.dy.size(); ++i) product += Value(one.dy[i]) * Value(two.dy[i]);
  EXPECT_LT(std::abs(product) / std::sqrt(64.0 * 256), 6);
}

TEST(Inputs, NormalAndOutlierRowsDoNotDependOnTheRowCount) {
  for (Family family : {Family::kNormal, Family::kOutlier}) {
    const Input few = Fill({family, 5, 300, 256});
    const Input many = Fill({family, 5, 1000, 256});
    EXPECT_TRUE(std::equal(few.h.begin(), few.h.end(), many.h.begin()));
    EXPECT_TRUE(std::equal(few.dy.begin(), few.dy.end(), many.dy.begin()));
  }
}

TEST(Outlier, OneColumnIn128AndAtLeastTwo) {
  for (const auto& [width, expected] : {std::pair{64, 2}, {256, 2}, {512, 4}, {6144, 48}}) {
    const std::int64_t rows = 200;
    const Input input = Fill({Family::kOutlier, 9, rows, width});
    int scaled = 0;
    for (int column = 0; column < width; ++column) {
      std::vector<double> magnitudes;
      for (std::int64_t row = 0; row < rows; ++row) {
        magnitudes.push_back(std::abs(Value(input.h[row * width + column])));
      }
      std::ranges::nth_element(magnitudes, magnitudes.begin() + rows / 2);
      const double median = magnitudes[rows / 2];  // 0.6745 for a unit normal
      const bool large = median > 8;
      scaled += large;
      EXPECT_NEAR(median, large ? 32 * 0.6745 : 0.6745, large ? 32 * 0.25 : 0.25);
    }
    EXPECT_EQ(scaled, expected) << width;
  }
}

TEST(Outlier, OneRowIn256) {
  constexpr std::int64_t kRows = 1024;
  constexpr int kWidth = 512;
  const Input input = Fill({Family::kOutlier, 2, kRows, kWidth});
  std::vector<int> scaled(kRows / 256);
  for (std::int64_t row = 0; row < kRows; ++row) {
    std::vector<double> magnitudes;
    std::vector<double> gradients;
    for (int column = 0; column < kWidth; ++column) {
      magnitudes.push_back(std::abs(Value(input.h[row * kWidth + column])));
      gradients.push_back(Value(input.dy[row * kWidth + column]));
    }
    std::ranges::nth_element(magnitudes, magnitudes.begin() + kWidth / 2);
    const double median = magnitudes[kWidth / 2];
    const bool large = median > 2.5;
    scaled[row / 256] += large;
    EXPECT_NEAR(median, large ? 8 * 0.6745 : 0.6745, large ? 1.6 : 0.2);
    EXPECT_NEAR(RootMeanSquare(gradients), 1, 0.2);  // dy is never scaled
  }
  EXPECT_THAT(scaled, ::testing::Each(1));
}

TEST(Cancel, MirroredRowsAreAPermutation) {
  for (std::int64_t rows : {2, 3, 4, 5, 6, 7, 8, 9, 17, 63, 64, 65, 1000, 4097}) {
    const InputDraw draw = MakeDraw({Family::kCancel, 21, rows, 8});
    std::set<std::uint32_t> sources;
    for (std::int64_t row = 0; row < rows; ++row) {
      const RowDraw place = DrawRow(draw, row);
      EXPECT_EQ(place.mirror, row >= rows - rows / 2);
      if (place.mirror) {
        EXPECT_LT(place.source, rows / 2);
        sources.insert(place.source);
      } else {
        EXPECT_EQ(place.source, row);
      }
    }
    EXPECT_EQ(sources.size(), rows / 2) << rows;
  }
}

// Neither the identity nor anything close to it: few rows keep their place or their neighbour.
TEST(Cancel, PermutationScatters) {
  constexpr std::int64_t kRows = 20000;
  const InputDraw draw = MakeDraw({Family::kCancel, 4, kRows, 8});
  int near = 0;
  int neighbours = 0;
  for (std::uint32_t i = 0; i + 1 < kRows / 2; ++i) {
    const std::int64_t here = MirroredRow(draw, i);
    near += std::abs(here - static_cast<std::int64_t>(i)) < 10;
    neighbours += std::abs(here - static_cast<std::int64_t>(MirroredRow(draw, i + 1))) < 10;
  }
  EXPECT_LT(near, 60);  // 19 expected of a random permutation
  EXPECT_LT(neighbours, 60);
}

TEST(Cancel, SecondHalfRepeatsWithTheOppositeSignAndOnePercentNoise) {
  constexpr std::int64_t kRows = 201;  // odd: row 100 has no partner
  constexpr int kWidth = 256;
  const InputSpec spec{Family::kCancel, 13, kRows, kWidth};
  const Input input = Fill(spec);
  const InputDraw draw = MakeDraw(spec);
  std::vector<double> noise;
  for (std::int64_t row = 101; row < kRows; ++row) {
    const std::int64_t source = DrawRow(draw, row).source;
    EXPECT_EQ(Row(input.h, kWidth, row), Row(input.h, kWidth, source));
    for (int column = 0; column < kWidth; ++column) {
      const double partner = Value(input.dy[source * kWidth + column]);
      noise.push_back(-Value(input.dy[row * kWidth + column]) / partner - 1);
    }
  }
  double mean = 0;
  for (double value : noise) mean += value / static_cast<double>(noise.size());
  EXPECT_NEAR(mean, 0, 5 * 0.01 / std::sqrt(noise.size()));
  // 1 % and what rounding to BF16 adds, about 0.16 %.
  EXPECT_NEAR(RootMeanSquare(noise), 0.0101, 0.0003);
}

TEST(Cancel, WeightGradientNearlyCancels) {
  constexpr std::int64_t kRows = 4096;
  constexpr int kWidth = 64;
  const auto sums = [&](Family family) {
    const Input input = Fill({family, 6, kRows, kWidth});
    std::vector<double> columns(kWidth);
    for (std::int64_t i = 0; i < kRows * kWidth; ++i) {
      columns[i % kWidth] += Value(input.h[i]) * Value(input.dy[i]);
    }
    return RootMeanSquare(columns);
  };
  EXPECT_NEAR(sums(Family::kNormal), 64, 25);                       // sqrt(rows)
  EXPECT_NEAR(sums(Family::kCancel), 0.01 * std::sqrt(2048), 0.2);  // noise alone
}

TEST(Cancel, OneRowIsItsOwn) {
  const Input input = Fill({Family::kCancel, 1, 1, 256});
  std::vector<double> values;
  for (std::uint16_t bits : input.dy) values.push_back(Value(bits));
  EXPECT_NEAR(RootMeanSquare(values), 1, 0.25);
}

TEST(Weight, OnePlusATenthOfANormal) {
  constexpr int kWidth = 6144;
  std::vector<float> w32(kWidth);
  std::vector<std::uint16_t> w16(kWidth);
  FillWeight(8, kWidth, w32, w16);
  std::vector<double> spread;
  for (int i = 0; i < kWidth; ++i) {
    spread.push_back(w32[i] - 1.0);
    EXPECT_NEAR(Value(w16[i]), w32[i], std::abs(w32[i]) * 0x1p-8);
  }
  EXPECT_NEAR(RootMeanSquare(spread), 0.1, 0.005);
}

TEST(Inputs, RefusesWhatItCannotFill) {
  std::vector<std::uint16_t> h(16);
  std::vector<std::uint16_t> dy(16);
  const auto fill = [&](InputSpec spec) { return [&, spec] { FillInputs(spec, h, dy); }; };
  EXPECT_THAT(fill({Family::kNormal, 0, 2, 12}), ThrowsMessage<Error>(HasSubstr("multiple of 8")));
  EXPECT_THAT(fill({Family::kNormal, 0, -1, 8}), ThrowsMessage<Error>(HasSubstr("-1 rows")));
  EXPECT_THAT(fill({Family::kNormal, 0, 3, 8}), ThrowsMessage<Error>(HasSubstr("give 3 x 8")));
  EXPECT_THAT(fill({Family::kOutlier, 0, 1, 264}),
              ThrowsMessage<Error>(HasSubstr("multiple of 128")));
  EXPECT_THAT(
      [&] {
        FillInputRows({Family::kNormal, 0, 2, 8}, 1, 2, h, dy);
      },
      ThrowsMessage<Error>(HasSubstr("rows of the input")));
}

}  // namespace
}  // namespace fenestra
