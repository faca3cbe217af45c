#include "accuracy/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "accuracy/philox_groups.h"
#include "tests/accuracy/quantile.h"

namespace fenestra {
namespace {

using ::testing::ElementsAre;

// Known answers for philox4x32 with 10 rounds, published with Random123.
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(Philox4x32({{0, 0, 0, 0}}, {{0, 0}}).words,
              ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
  constexpr std::uint32_t kOnes = 0xffffffffU;
  EXPECT_THAT(Philox4x32({{kOnes, kOnes, kOnes, kOnes}}, {{kOnes, kOnes}}).words,
              ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
  EXPECT_THAT(Philox4x32({{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}},
                         {{0xa4093822U, 0x299f31d0U}})
                  .words,
              ElementsAre(0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U));
}

TEST(Philox, ManyAtOnceAreTheSameBlocks) {
  PhiloxGroups groups;
  for (int count : {1, 7, 8, 250, kPhiloxGroups}) {
    DrawPhiloxGroups({{0xfffffffcU, 1, 0x80000001U, 3}}, {{0xffffffffU, 5}}, count, &groups);
    for (int i = 0; i < count; ++i) {
      const std::uint32_t first = 0xfffffffcU + static_cast<std::uint32_t>(i);
      const PhiloxCounter block = Philox4x32({{first, 1, 0x80000001U, 3}}, {{0xffffffffU, 5}});
      for (int k = 0; k < 4; ++k)
        ASSERT_EQ(groups.words[k][i], block.words[k]) << count << " " << i;
    }
  }
}

TEST(ScaleWord, CoversTheRange) {
  EXPECT_EQ(ScaleWord(0, 10), 0U);
  EXPECT_EQ(ScaleWord(0xffffffffU, 10), 9U);
  EXPECT_EQ(ScaleWord(0x80000000U, 10), 5U);
  EXPECT_EQ(ScaleWord(0xffffffffU, 1), 0U);
}

TEST(Quantile, PublishedValues) {
  EXPECT_NEAR(UpperQuantile(0.025L), 1.959963984540054, 1e-14);
  EXPECT_NEAR(UpperQuantile(0.5L), 0, 1e-15);
  EXPECT_NEAR(UpperQuantile(2.866515718791939e-7L), 5.0, 1e-12);
}

double RelativeError(std::uint32_t word) {
  const long double exact = NormalByDefinition(word);
  return static_cast<double>(std::abs((NormalOf(word) - exact) / exact));
}

TEST(NormalOf, FollowsTheQuantileFunction) {
  double worst = 0;
  for (std::uint32_t word = 0; word < 2000; ++word) {  // the tail
    worst = std::max(worst, RelativeError(word));
  }
  for (std::uint32_t word = 0x7fffffffU; word > 0x7fffffffU - 2000; --word) {  // the centre
    worst = std::max(worst, RelativeError(word));
  }
  for (double word = 2000; word < 2147483647.0; word *= 1.0005) {  // all scales
    worst = std::max(worst, RelativeError(static_cast<std::uint32_t>(word)));
  }
  for (std::uint32_t i = 0; i < 20000; ++i) {  // all of the range
    worst = std::max(worst, RelativeError(i * 107374U));
  }
  EXPECT_LT(worst, 3e-6);
}

TEST(NormalOf, SignIsTheTopBit) {
  EXPECT_GT(NormalOf(5), 5.9F);
  EXPECT_EQ(NormalOf(5 | 0x80000000U), -NormalOf(5));
  EXPECT_GT(NormalOf(0), 6.3F);
  EXPECT_LT(NormalOf(0), 6.4F);
  EXPECT_GT(NormalOf(0x7fffffffU), 0.0F);
  EXPECT_LT(NormalOf(0x7fffffffU), 1e-9F);
}

// Moments and tails of 2^24 draws, each within 5 standard errors of the unit normal's.
TEST(NormalOf, MomentsAndTails) {
  constexpr std::uint32_t kBlocks = 1U << 22;
  constexpr double kDraws = 4.0 * kBlocks;
  std::array<double, 5> moments{};
  std::array<double, 6> beyond{};  // draws of magnitude above the index
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    const PhiloxCounter words = Philox4x32({{block, 1, 2, 3}}, {{4, 5}});
    for (std::uint32_t word : words.words) {
      const double z = NormalOf(word);
      moments[1] += z;
      moments[2] += z * z;
      moments[3] += z * z * z;
      moments[4] += z * z * z * z;
      const int whole = std::min(5, static_cast<int>(std::abs(z)));
      ++beyond[whole];
    }
  }
  for (int sigma = 4; sigma > 0; --sigma) beyond[sigma] += beyond[sigma + 1];
  const double root = std::sqrt(kDraws);
  EXPECT_NEAR(moments[1] / kDraws, 0, 5 * 1 / root);
  EXPECT_NEAR(moments[2] / kDraws, 1, 5 * std::sqrt(2) / root);
  EXPECT_NEAR(moments[3] / kDraws, 0, 5 * std::sqrt(15) / root);
  EXPECT_NEAR(moments[4] / kDraws, 3, 5 * std::sqrt(96) / root);
  for (int sigma = 1; sigma <= 5; ++sigma) {
    const double expected = kDraws * std::erfc(sigma / std::sqrt(2.0));
    EXPECT_NEAR(beyond[sigma], expected, 5 * std::sqrt(expected)) << sigma;
  }
  EXPECT_GT(beyond[5], 0);
}

}  // namespace
}  // namespace fenestra
