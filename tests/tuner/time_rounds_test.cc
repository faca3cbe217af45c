#include "tuner/sweep/time_rounds.h"

#include <gtest/gtest.h>

#include <map>

#include "accuracy/error.h"

namespace fenestra {
namespace {

TEST(TimeOf, CountsOverlappedKernelsOnce) {
  // A main kernel, and a reduce launched while it ran.
  const CallTime time = TimeOf({{100, 400}, {350, 450}});
  EXPECT_EQ(time.union_ns, 350);
  EXPECT_EQ(time.span_ns, 350);
}

TEST(TimeOf, LeavesGapsToTheSpan) {
  const CallTime time = TimeOf({{900, 1000}, {100, 400}});  // in any order
  EXPECT_EQ(time.union_ns, 400);
  EXPECT_EQ(time.span_ns, 900);
}

TEST(TimeOf, CountsAKernelInsideAnotherOnce) {
  const CallTime time = TimeOf({{100, 1000}, {200, 300}, {400, 500}});
  EXPECT_EQ(time.union_ns, 900);
  EXPECT_EQ(time.span_ns, 900);
}

TEST(TimeOf, TakesAnUntimedKernelForAnError) {
  EXPECT_THROW(TimeOf({}), Error);
  EXPECT_THROW(TimeOf({{0, 0}}), Error);
  EXPECT_THROW(TimeOf({{100, 200}, {0, 0}}), Error);
}

TEST(SubjectAt, PutsEachSubjectEquallyOftenInEachPlaceToWithinOne) {
  for (int subjects : {2, 3, 7, 12}) {
    std::map<std::pair<int, int>, int> times;  // (subject, place)
    const int turns = kRounds * kCallsPerRound;
    for (int turn = 0; turn < turns; ++turn) {
      std::vector<bool> ran(static_cast<std::size_t>(subjects), false);
      for (int place = 0; place < subjects; ++place) {
        const int subject = SubjectAt(turn, place, subjects);
        ASSERT_TRUE(subject >= 0 && subject < subjects);
        EXPECT_FALSE(ran[static_cast<std::size_t>(subject)]) << "twice in one turn";
        ran[static_cast<std::size_t>(subject)] = true;
        ++times[{subject, place}];
      }
    }
    for (const auto& [where, count] : times) {
      EXPECT_GE(count, turns / subjects);
      EXPECT_LE(count, turns / subjects + 1);
    }
    EXPECT_EQ(times.size(), static_cast<std::size_t>(subjects * subjects));
  }
}

TEST(Summarize, GivesMeasuredQuantiles) {
  std::vector<Sample> samples;
  for (int call = 0; call < 10; ++call) {
    samples.push_back({0, call, 100 + 10 * ((call * 7) % 10), 1000 + call, 1980, 3201});
  }
  TimeKey key;
  key.program = "stream";
  const TimeRecord record = Summarize(key, samples, 1);
  EXPECT_EQ(record.key, key);
  EXPECT_EQ(record.min_ns, 100);
  EXPECT_EQ(record.median_ns, 140);  // of 100, 110, ... 190: the lower middle one
  EXPECT_EQ(record.p90_ns, 180);
  EXPECT_EQ(record.span_median_ns, 1004);
  EXPECT_EQ(record.calls, 10);
  EXPECT_EQ(record.rounds_discarded, 1);
  EXPECT_EQ(record.sm_clock_mhz, 1980);
  EXPECT_EQ(record.samples_digest, DigestOfSamples(samples));
}

}  // namespace
}  // namespace fenestra
