#include "db/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::OneOfEach;
using hand_made::Same;
using testing::HasSubstr;

TEST(Merge, IsTheUnionInEitherOrder) {
  Evidence a = OneOfEach();
  Evidence b = OneOfEach();
  b.times = {hand_made::Time(1, 0)};
  b.failures.clear();
  const Evidence merged = Merge(a, b);
  EXPECT_TRUE(Same(merged, Merge(b, a)));
  ASSERT_EQ(merged.times.size(), 2U);
  EXPECT_EQ(merged.times[0], hand_made::Time(1, 0));
  EXPECT_EQ(merged.times[1], a.times[0]);
  EXPECT_EQ(merged.accuracy, a.accuracy);
  EXPECT_EQ(merged.failures, a.failures);
}

TEST(Merge, ReportsBothValuesOfAConflictAndCountsTheRest) {
  Evidence a = OneOfEach();
  Evidence b = OneOfEach();
  b.accuracy[0].worst = 0.5;
  b.digests[0].dw = "0000000000000000";
  const std::string error = ErrorOf([&] { Merge(a, b); });
  EXPECT_THAT(error, HasSubstr("the first set and the second set disagree on accuracy"));
  EXPECT_THAT(error, HasSubstr("worst=0.41234"));
  EXPECT_THAT(error, HasSubstr("worst=0.5"));
  EXPECT_THAT(error, HasSubstr("1 more"));
}

TEST(Merge, AnEqualValueKeepsTheBoardsOwnMeasurement) {
  // The stood-in record has the lesser environment, and yet gives way.
  Evidence own = OneOfEach();
  Evidence stood_in = OneOfEach();
  stood_in.accuracy[0].stood_in = true;
  stood_in.accuracy[0].environment = "0000000000000001";
  EXPECT_EQ(Merge(own, stood_in).accuracy, own.accuracy);
  EXPECT_EQ(Merge(stood_in, own).accuracy, own.accuracy);
}

TEST(Merge, KeepsTimesOfTwoEnvironmentsApart) {
  Evidence a;
  Evidence b;
  a.times = {hand_made::Time(1, 0)};
  b.times = a.times;
  b.times[0].key.environment = "0000000000000001";
  b.times[0].median_ns = 1;
  EXPECT_EQ(Merge(a, b).times.size(), 2U);
}

}  // namespace
}  // namespace fenestra
