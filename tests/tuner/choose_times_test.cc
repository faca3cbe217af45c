#include "tuner/choose_times.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accuracy/error.h"
#include "tests/tuner/evidence_builder.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kFma;
using test::kPlain;

const std::vector<std::string> kNames{std::string(kFma), std::string(kPlain)};

TimeTable TableOf(const EvidenceBuilder& built, const Route& route = kBackward) {
  return {built.evidence, kBoard, route, kNames};
}

// Time of kFma over the fastest at `rows`, or 0 when it is no candidate.
double Ratio(const TimeTable& table, std::int64_t rows, std::size_t program = 0) {
  const auto times = table.At(rows);
  return times[program] ? std::exp(times[program]->log_over_best) : 0;
}

TEST(TimeTableTest, DriftBetweenProcessesCancels) {
  // The second process runs at half the clock, and only the plain program was timed there.
  EvidenceBuilder built;
  built.Time(kStream, {{64, 100}}, 0).Time(kFma, {{64, 120}}, 0);
  built.Time(kStream, {{64, 200}}, 1).Time(kPlain, {{64, 220}}, 1);
  const TimeTable table = TableOf(built);
  EXPECT_NEAR(Ratio(table, 64, 0), 1.2 / 1.1, 1e-12);
  EXPECT_NEAR(Ratio(table, 64, 1), 1, 1e-12);
  EXPECT_NEAR(std::exp(*table.At(64)[0]->log_over_stream), 1.2, 1e-12);
}

TEST(TimeTableTest, MedianOverProcessesWithoutStream) {
  EvidenceBuilder built;
  built.Time(kFma, {{64, 120}}, 0).Time(kFma, {{64, 110}}, 1).Time(kFma, {{64, 900}}, 2);
  built.Time(kPlain, {{64, 100}}, 0);
  const TimeTable table = TableOf(built);
  EXPECT_NEAR(Ratio(table, 64), 1.2, 1e-12);
  EXPECT_FALSE(table.At(64)[0]->log_over_stream.has_value());
}

TEST(TimeTableTest, InterpolatesLogLogBetweenTimedNeighbours) {
  // Slopes 1 and 0 in log-log: at the geometric mean of 16 and 256 rows, 4 x and 1 x.
  EvidenceBuilder built;
  built.Time(kFma, {{16, 100}, {256, 1600}}).Time(kPlain, {{16, 100}, {256, 100}});
  EXPECT_NEAR(Ratio(TableOf(built), 64), 4, 1e-12);
}

TEST(TimeTableTest, ProgramNeverTimedAtARowCountIsNoCandidateThere) {
  EvidenceBuilder built;
  built.Time(kFma, {{64, 100}, {256, 400}}).Time(kPlain, {{64, 90}, {128, 190}, {256, 390}});
  const TimeTable table = TableOf(built);
  EXPECT_EQ(Ratio(table, 128), 0);
  EXPECT_EQ(Ratio(table, 512), 0);
  EXPECT_GT(Ratio(table, 256), 0);
}

TEST(TimeTableTest, EdgeSearchPointsOfOtherProgramsAreBridged) {
  EvidenceBuilder built;
  built.Time(kFma, {{64, 100}, {96, 100}}).Time(kPlain, {{64, 50}, {80, 50}, {96, 50}});
  EXPECT_NEAR(Ratio(TableOf(built), 80), 2, 1e-12);
}

TEST(TimeTableTest, FailureExcludesUnlessTimedThere) {
  EvidenceBuilder built;
  built.Time(kFma, {{64, 100}, {96, 100}}).Time(kPlain, {{64, 50}, {80, 50}, {96, 50}});
  FailureRecord failure{std::string(kBoard), kBackward, View::kRows, 80,
                        std::string(kFma),   "faulted", ""};
  built.evidence.failures = {failure};
  EXPECT_EQ(Ratio(TableOf(built), 80), 0);
  built.Time(kFma, {{80, 100}});
  EXPECT_NEAR(Ratio(TableOf(built), 80), 2, 1e-12);
}

TEST(TimeTableTest, ViewsAreAveragedAndAllAreNeeded) {
  const Route route{.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 256};
  EvidenceBuilder built(route);
  built.Time(kFma, {{64, 200}}, 0, View::kRows).Time(kPlain, {{64, 100}}, 0, View::kRows);
  built.Time(kFma, {{64, 100}}, 0, View::kKey).Time(kPlain, {{64, 800}}, 0, View::kKey);
  built.Time(kFma, {{4, 100}}, 0, View::kKey);
  const TimeTable table = TableOf(built, route);
  EXPECT_NEAR(Ratio(table, 64, 0), std::sqrt(2.0 * 1.0), 1e-12);
  EXPECT_NEAR(Ratio(table, 64, 1), std::sqrt(1.0 * 8.0), 1e-12);
  EXPECT_EQ(Ratio(table, 4, 1), 0) << "not timed in the one view that is";
}

TEST(TimeTableTest, RefusesATimeOfZero) {
  EvidenceBuilder built;
  built.Time(kFma, {{64, 0}});
  EXPECT_THROW(TableOf(built), Error);
}

}  // namespace
}  // namespace fenestra
