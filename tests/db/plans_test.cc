#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::Scratch;
using hand_made::TwoWindows;
using testing::HasSubstr;

void ExpectSamePlan(const Plan& a, const Plan& b) {
  EXPECT_EQ(a.board, b.board);
  EXPECT_EQ(a.margin, b.margin);
  EXPECT_EQ(a.noise, b.noise);
  EXPECT_EQ(a.evidence, b.evidence);
  EXPECT_EQ(a.environments, b.environments);
  EXPECT_EQ(a.waivers, b.waivers);
  ASSERT_EQ(a.routes.size(), b.routes.size());
  for (std::size_t i = 0; i < a.routes.size(); ++i) {
    EXPECT_EQ(a.routes[i].route, b.routes[i].route);
    EXPECT_EQ(a.routes[i].windows, b.routes[i].windows);
    EXPECT_EQ(a.routes[i].in_place, b.routes[i].in_place);
    EXPECT_EQ(a.routes[i].qualified_rows, b.routes[i].qualified_rows);
  }
}

class PlansTest : public testing::Test {
 protected:
  Scratch scratch_;
  Store store_ = Store::Open(scratch_ / "a.db", OpenMode::kCreate);
};

TEST_F(PlansTest, ThePlanOfABoardIsItsLatest) {
  EXPECT_FALSE(store_.LoadPlan("h200_132").has_value());
  const std::int64_t first = store_.SavePlan(TwoWindows(4096));
  const std::int64_t second = store_.SavePlan(TwoWindows(2048));
  EXPECT_GT(second, first);
  ASSERT_TRUE(store_.LoadPlan("h200_132").has_value());
  ExpectSamePlan(*store_.LoadPlan("h200_132"), TwoWindows(2048));
  EXPECT_FALSE(store_.LoadPlan("b200_148").has_value());
  EXPECT_EQ(store_.LoadPlans("h200_132").size(), 2U);
  EXPECT_EQ(store_.LoadPlans("").size(), 2U);
  EXPECT_EQ(store_.LoadPlans("", "bwd_w32_*")[0].plan.routes.size(), 1U);
  EXPECT_EQ(store_.LoadPlans("", "fwd_*")[0].plan.routes.size(), 0U);
}

TEST_F(PlansTest, TheSamePlanIsStoredOnce) {
  const std::int64_t first = store_.SavePlan(TwoWindows(4096));
  EXPECT_EQ(store_.SavePlan(TwoWindows(4096)), first);
  Plan changed = TwoWindows(4096);
  changed.routes[0].in_place.clear();
  EXPECT_NE(store_.SavePlan(changed), first);
}

TEST_F(PlansTest, ReleasesNameAStoredPlan) {
  const Release release{.name = "1.0",
                        .board = "h200_132",
                        .plan = store_.SavePlan(TwoWindows(4096)),
                        .header_digest = "00000000000000ff",
                        .commit = "abc"};
  store_.SaveRelease(release);
  store_.SaveRelease(release);
  EXPECT_THAT(store_.ListReleases(), testing::ElementsAre(release));
  Release other = release;
  other.commit = "def";
  EXPECT_THAT(ErrorOf([&] { store_.SaveRelease(other); }), HasSubstr("'1.0' of h200_132 exists"));
  other.name = "1.1";
  other.plan = 99;
  EXPECT_THAT(ErrorOf([&] { store_.SaveRelease(other); }), HasSubstr("plan 99"));
  EXPECT_THAT(store_.ListReleases(), testing::ElementsAre(release));
  // A day may be told later, and is then its day.
  Release dated = release;
  dated.date = "2026-11-30";
  store_.SaveRelease(dated);
  EXPECT_THAT(store_.ListReleases(), testing::ElementsAre(dated));
  other = dated;
  other.date = "2026-12-01";
  EXPECT_THAT(ErrorOf([&] { store_.SaveRelease(other); }), HasSubstr("exists already"));
}

TEST(WaiverTest, TextRoundTrips) {
  const Waiver waiver{{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 4096},
                      8192,
                      "bwd_x",
                      0.4,
                      "runs: measured, within 0.4"};
  EXPECT_EQ(ToString(waiver),
            "bwd_w32_h4096 bwd_x up to 8192 rows to 0.4: runs: measured, within 0.4");
  EXPECT_EQ(ParseWaiver(ToString(waiver)), waiver);
}

TEST(WaiverTest, OtherTextIsNone) {
  for (const char* text :
       {"", "bwd_w32_h4096 bwd_x up to 8192 rows to 0.4:",
        "bwd_w32_h4096 up to 8192 rows to 0.4: r", "bwd_w31_h4096 bwd_x up to 8192 rows to 0.4: r",
        "bwd_w32_h4096 bwd_x up to 99999999999999999999 rows to 0.4: r",
        "bwd_w32_h4096 bwd_x up to 8192 rows to 0.4.1: r",
        "bwd_w32_h4096 bwd_x up to -1 rows to 0.4: r", "bwd_w32_h4096 a b up to 1 rows to 0.4: r",
        "bwd_w32_h4096 bwd_x up to 1 rows to 0.4:   "}) {
    EXPECT_FALSE(ParseWaiver(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace fenestra
