#include "accuracy/eager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "accuracy/error.h"
#include "accuracy/inputs.h"
#include "accuracy/protocol.h"

namespace fenestra {
namespace {

struct Input {
  std::int64_t rows;
  int width;
  std::vector<std::uint16_t> h;
  std::vector<std::uint16_t> dy;
  std::vector<float> rstd;

  Input(std::int64_t rows_in, int width_in)
      : rows(rows_in), width(width_in), h(rows * width), dy(rows * width), rstd(rows) {
    FillInputs({Family::kNormal, 17, rows, width}, h, dy);
    EagerRstd(rows, width, h, rstd);
  }

  std::vector<float> Dw() const {
    std::vector<float> dw(width);
    EagerDw(rows, width, h, dy, rstd, dw);
    return dw;
  }
};

float Value(std::uint16_t bits) { return arith::FromBf16(bits); }

// The order of docs/protocol.md, one column at a time, rows in the order they come.
float ColumnByTheBook(const Input& input, int column) {
  const std::int64_t splits = std::max<std::int64_t>(1, (input.rows + 4095) / 4096);
  std::vector<float> sums(splits * 16 * 4, 0.0F);
  for (std::int64_t row = 0; row < input.rows; ++row) {
    const std::int64_t split = row / 16 % splits;
    const std::int64_t lane = row % 16;
    const std::int64_t turn = row / (16 * splits);
    const float normed = Value(input.h[row * input.width + column]) * input.rstd[row];
    sums[(split * 16 + lane) * 4 + turn % 4] +=
        Value(input.dy[row * input.width + column]) * normed;
  }
  const auto tree = [](std::vector<float> lanes) {
    for (std::size_t half = 8; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    return lanes[0];
  };
  std::vector<float> joined(16, 0.0F);
  for (std::int64_t split = 0; split < splits; ++split) {
    std::vector<float> lanes(16);
    for (std::int64_t lane = 0; lane < 16; ++lane) {
      const float* four = &sums[(split * 16 + lane) * 4];
      lanes[lane] = four[0] + four[1] + four[2] + four[3];
    }
    joined[split % 16] += tree(lanes);
  }
  return tree(joined);
}

TEST(EagerDw, FollowsTheWrittenOrder) {
  for (std::int64_t rows : {1, 2, 15, 16, 17, 63, 64, 65, 100, 4096, 4097, 70001}) {
    const Input input(rows, 8);
    const std::vector<float> dw = input.Dw();
    for (int column = 0; column < 8; ++column) {
      ASSERT_EQ(dw[column], ColumnByTheBook(input, column)) << rows;
    }
  }
}

// 2^24 + 1 + 1 is 2^24 when added in a chain, 2^24 + 2 when the ones meet first.
TEST(EagerDw, OrderShows) {
  constexpr std::uint16_t kOne = 0x3f80;
  constexpr std::uint16_t kLarge = 0x4b80;  // 2^24
  const auto dw = [&](std::vector<std::int64_t> ones) {
    Input input(257, 8);
    std::fill(input.rstd.begin(), input.rstd.end(), 1.0F);
    std::fill(input.h.begin(), input.h.end(), kOne);
    std::fill(input.dy.begin(), input.dy.end(), std::uint16_t{0});
    input.dy[0] = kLarge;
    for (std::int64_t row : ones) input.dy[row * 8] = kOne;
    return input.Dw()[0];
  };
  EXPECT_EQ(dw({64, 128}), 16777216.0F);  // the same accumulator of lane 0 as row 0
  EXPECT_EQ(dw({16, 80}), 16777218.0F);   // the next accumulator, together
  EXPECT_EQ(dw({16, 32}), 16777216.0F);   // joined to row 0 one after the other
  EXPECT_EQ(dw({8, 72}), 16777218.0F);    // lane 8, one after the other in one accumulator
  EXPECT_EQ(dw({4, 12}), 16777218.0F);    // lanes 4 and 12 meet before lane 0 takes them
  EXPECT_EQ(dw({8, 4}), 16777216.0F);     // lane 0 takes 8, then 4
}

TEST(EagerDw, NoRowsGiveZeros) {
  const Input input(0, 16);
  EXPECT_THAT(input.Dw(), ::testing::Each(0.0F));
}

TEST(EagerRstd, FollowsTheWrittenOrder) {
  for (int width : {8, 128, 256, 1536, 4100}) {
    std::vector<std::uint16_t> h(width);
    for (int i = 0; i < width; ++i) h[i] = static_cast<std::uint16_t>(0x3f00 + i * 37 % 0x180);
    std::vector<float> slots(128, 0.0F);
    for (int i = 0; i < width; ++i) slots[i % 128] += Value(h[i]) * Value(h[i]);
    std::vector<float> lanes(32);
    for (int lane = 0; lane < 32; ++lane) {
      const float* four = &slots[4 * lane];
      lanes[lane] = four[0] + four[1] + four[2] + four[3];
    }
    while (lanes.size() > 1) {  // neighbours meet
      for (std::size_t i = 0; i < lanes.size() / 2; ++i) lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
      lanes.resize(lanes.size() / 2);
    }
    const float mean = lanes[0] * (1.0F / static_cast<float>(width));
    const float shifted = mean + 1e-6F;
    const auto expected = static_cast<float>(1.0L / std::sqrt(static_cast<long double>(shifted)));
    std::vector<float> rstd(1);
    EagerRstd(1, width, h, rstd);
    EXPECT_EQ(rstd[0], expected) << width;
  }
}

TEST(EagerRstd, ZerosGiveTheReciprocalRootOfEps) {
  std::vector<std::uint16_t> h(256, 0);
  std::vector<float> rstd(1);
  EagerRstd(1, 256, h, rstd);
  EXPECT_NEAR(rstd[0], 1000.0F, 1e-4F);
}

TEST(Eager, RefusesOtherSizes) {
  std::vector<std::uint16_t> h(16);
  std::vector<float> rstd(2);
  EXPECT_THROW(EagerRstd(3, 8, h, rstd), Error);
  EXPECT_THROW(EagerRstd(8, 2, h, rstd), Error);
  std::vector<float> dw(7);
  EXPECT_THROW(EagerDw(2, 8, h, h, rstd, dw), Error);
}

}  // namespace
}  // namespace fenestra
