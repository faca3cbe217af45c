#include "accuracy/budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "accuracy/digest.h"
#include "accuracy/error.h"

namespace fenestra {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(FractionOfBudget, HandMade) {
  EXPECT_DOUBLE_EQ(FractionOfBudget(0.0F, 1e-4), 1e-4 / (1e-4 + 1e-8));
  EXPECT_DOUBLE_EQ(FractionOfBudget(3.0F, 3.0), 0);
  EXPECT_DOUBLE_EQ(FractionOfBudget(-3.0F, -2.0), 1 / 3e-4);  // budget 1e-4 (1 + 2)
  EXPECT_DOUBLE_EQ(FractionOfBudget(1.0F, 0.0), 1e4);
}

TEST(FractionOfBudget, NonFinite) {
  EXPECT_EQ(FractionOfBudget(kNan, 1.0), kInfinity);
  EXPECT_EQ(FractionOfBudget(kInfinity, 1.0), kInfinity);
  EXPECT_EQ(FractionOfBudget(1.0F, kInfinity), kInfinity);
  EXPECT_EQ(FractionOfBudget(kNan, kInfinity), 0);
  EXPECT_EQ(FractionOfBudget(-kInfinity, kNan), 0);
}

TEST(WorstOf, PicksTheWorstAndTheSmallerColumnAmongEquals) {
  const WorstError worst =
      WorstOf(std::vector<float>{0, 2, 1, 2, 0}, std::vector<double>{0, 1, 1, 1, 0});
  EXPECT_EQ(worst.column, 1);
  EXPECT_DOUBLE_EQ(worst.fraction, 1 / 2e-4);
  const WorstError exact = WorstOf(std::vector<float>{1, 2}, std::vector<double>{1, 2});
  EXPECT_EQ(exact.column, 0);
  EXPECT_EQ(exact.fraction, 0);
  const WorstError broken =
      WorstOf(std::vector<float>{9, kNan, kInfinity}, std::vector<double>{0, 0, 0});
  EXPECT_EQ(broken.column, 1);
  EXPECT_EQ(broken.fraction, kInfinity);
  EXPECT_THROW((void)WorstOf(std::vector<float>{1}, std::vector<double>{1, 2}), Error);
}

TEST(FamilyResult, WorstWithItsSeedAndMedian) {
  FamilyResult result;
  EXPECT_EQ(result.median(), 0);
  result.Add(4, {0.3, 10});
  EXPECT_EQ(result.median(), 0.3);
  result.Add(2, {0.5, 20});
  EXPECT_DOUBLE_EQ(result.median(), 0.4);
  result.Add(1, {0.5, 30});
  result.Add(7, {0.5, 5});
  result.Add(0, {0.1, 0});
  EXPECT_EQ(result.inputs(), 5);
  EXPECT_EQ(result.worst(), 0.5);
  EXPECT_EQ(result.worst_seed(), 1);
  EXPECT_EQ(result.worst_column(), 30);
  EXPECT_EQ(result.median(), 0.5);
}

TEST(FamilyResult, AllExactStillNamesTheSmallestSeed) {
  FamilyResult result;
  result.Add(3, {0, 0});
  result.Add(1, {0, 0});
  EXPECT_EQ(result.worst_seed(), 1);
}

// The first outputs of SplitMix64 seeded with 0 and with 1, as published with it.
TEST(Digest, TermIsSplitMix64OfIndexAndBits) {
  EXPECT_EQ(DigestTerm(0, 0.0F), 0xe220a8397b1dcdafU);
  EXPECT_EQ(DigestTerm(0, std::numeric_limits<float>::denorm_min()), 0x910a2dec89025cc1U);
}

TEST(Digest, SumsTerms) {
  EXPECT_EQ(DigestOf({}), 0U);
  const std::vector<float> values{1.0F, -2.5F, 1.0F};
  EXPECT_EQ(DigestOf(values), DigestTerm(2, 1.0F) + DigestTerm(0, 1.0F) + DigestTerm(1, -2.5F));
}

TEST(Digest, SeesPlaceSignAndOneBit) {
  EXPECT_NE(DigestOf(std::vector<float>{1, 2}), DigestOf(std::vector<float>{2, 1}));
  EXPECT_NE(DigestOf(std::vector<float>{0.0F}), DigestOf(std::vector<float>{-0.0F}));
  EXPECT_NE(DigestOf(std::vector<float>{1.0F}),
            DigestOf(std::vector<float>{std::nextafter(1.0F, 2.0F)}));
  EXPECT_NE(DigestOf(std::vector<float>{1}), DigestOf(std::vector<float>{1, 0}));
}

TEST(Digest, NansAreOneValue) {
  EXPECT_EQ(DigestOf(std::vector<float>{kNan}), DigestOf(std::vector<float>{-kNan}));
}

TEST(Digest, TextHasSixteenDigits) {
  EXPECT_EQ(DigestText(255), "00000000000000ff");
  EXPECT_EQ(DigestText(0xfedcba9876543210U), "fedcba9876543210");
}

}  // namespace
}  // namespace fenestra
