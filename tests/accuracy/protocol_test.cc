#include "accuracy/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fenestra {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

TEST(Protocol, NamesGoBothWays) {
  for (Family family : {Family::kNormal, Family::kOutlier, Family::kCancel}) {
    EXPECT_EQ(ParseFamily(ToString(family)), family);
  }
  for (Reference reference : {Reference::kOwnRstd, Reference::kEagerRstd}) {
    EXPECT_EQ(ParseReference(ToString(reference)), reference);
  }
  for (Profile profile : {Profile::kQuick, Profile::kFull, Profile::kRelease}) {
    EXPECT_EQ(ParseProfile(ToString(profile)), profile);
  }
  EXPECT_EQ(ToString(Family::kCancel), "cancel");
  EXPECT_EQ(ToString(Reference::kOwnRstd), "own_rstd");
  EXPECT_EQ(ToString(Profile::kFull), "full");
  EXPECT_EQ(ParseFamily("nonsense"), std::nullopt);
  EXPECT_EQ(ParseProfile(""), std::nullopt);
}

TEST(Protocol, InputsOfProfiles) {
  EXPECT_EQ(InputsOf(Profile::kQuick), 4);
  EXPECT_EQ(InputsOf(Profile::kFull), 60);
  EXPECT_EQ(InputsOf(Profile::kRelease), 60);
}

TEST(TokenCounts, Quick) {
  EXPECT_THAT(TokenCounts(Profile::kQuick),
              ElementsAre(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 65537));
  EXPECT_EQ(TimedTokenCounts(Profile::kQuick), TokenCounts(Profile::kQuick));
}

TEST(TokenCounts, FullHasWhatTheDesignLists) {
  const std::vector<std::int64_t> counts = TokenCounts(Profile::kFull);
  EXPECT_EQ(TokenCounts(Profile::kRelease), counts);
  EXPECT_TRUE(std::ranges::is_sorted(counts));
  EXPECT_EQ(std::ranges::adjacent_find(counts), counts.end());
  for (std::int64_t tokens = 1; tokens <= 64; ++tokens)
    EXPECT_THAT(counts, ::testing::Contains(tokens));
  EXPECT_THAT(counts, IsSupersetOf({96,   127,   128,   129,   192,   255,   256,   384,
                                    512,  768,   1024,  1536,  2048,  3072,  4096,  6144,
                                    8192, 12288, 16384, 24576, 32768, 49152, 65536, 65537}));
  // 1 to 64, the seven small ones, 16 powers and halves above 256 with 65536, 65537, 16 seeded.
  EXPECT_EQ(counts.size(), 64 + 7 + 16 + 1 + 16);
}

TEST(TokenCounts, OneSeededCountInEachGapAbove256) {
  const std::vector<std::int64_t> counts = TokenCounts(Profile::kFull);
  for (std::int64_t power = 256; power < 65536; power *= 2) {
    for (const std::int64_t low : {power, power * 3 / 2}) {
      const std::int64_t high = low == power ? power * 3 / 2 : power * 2;
      EXPECT_EQ(std::ranges::count_if(counts, [&](auto t) { return t > low && t < high; }), 1)
          << low;
    }
  }
}

TEST(TokenCounts, TimedOnesAreSampled) {
  const std::vector<std::int64_t> counts = TokenCounts(Profile::kFull);
  const std::vector<std::int64_t> timed = TimedTokenCounts(Profile::kFull);
  EXPECT_TRUE(std::ranges::includes(counts, timed));
  EXPECT_EQ(timed.size(), 17 + 6 + 1);  // 2^0 to 2^16, 3 * 2^9 to 3 * 2^14, 65537
}

TEST(TokenCounts, TimedRowsAreTimedTokensTimesHeads) {
  EXPECT_TRUE(IsTimed(View::kRows, 1024));
  EXPECT_FALSE(IsTimed(View::kRows, 1000));
  EXPECT_TRUE(IsTimed(View::kQuery, std::int64_t{24} * 65537));
  EXPECT_FALSE(IsTimed(View::kQuery, 1024)) << "no whole number of tokens";
  EXPECT_TRUE(IsTimed(View::kKey, 4));
}

TEST(SearchRowCounts, OneInEachSixteenthOfAnOctave) {
  const std::vector<std::int64_t>& counts = SearchRowCounts();
  ASSERT_EQ(counts.size(), (21 - 6) * 16U);
  std::size_t next = 0;
  // Philox4x32-10 of docs/protocol.md's counters and key, computed apart from this code.
  EXPECT_THAT(std::vector(counts.begin(), counts.begin() + 5), ElementsAre(66, 71, 74, 76, 81));
  bool has_odd = false;
  for (std::int64_t power = 64; power < 2097152; power *= 2) {
    for (int run = 0; run < 16; ++run, ++next) {
      EXPECT_GE(counts[next], power + run * power / 16);
      EXPECT_LT(counts[next], power + (run + 1) * power / 16);
      has_odd = has_odd || counts[next] % 2 == 1;
    }
  }
  EXPECT_TRUE(has_odd) << "row counts are to be of all kinds";
  EXPECT_GT(counts.back(), 1572888) << "the largest that is measured";
}

}  // namespace
}  // namespace fenestra
