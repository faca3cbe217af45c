#include "tuner/readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/tuner/evidence_builder.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kPlain;
using testing::HasSubstr;

constexpr Route kBackward32{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 4096};

std::vector<Reading> Failures(const EvidenceBuilder& built, const Route& route = kBackward,
                              double margin = 0.25) {
  const AccuracyTable table(built.evidence, kBoard, route.width);
  std::vector<Reading> failures;
  for (const Reading& reading : ReadingsAt(table, route, kPlain, 64, margin)) {
    if (!reading.passes) failures.push_back(reading);
  }
  return failures;
}

// Everything passes: the program is better than the comparator, which is within the margin.
EvidenceBuilder Good() {
  EvidenceBuilder built;
  built.Error(kPlain, {{64, 0.1}}).Error(kComparator, {{64, 0.2}});
  return built;
}

TEST(ReadingsTest, AllPass) {
  EXPECT_TRUE(Failures(Good()).empty());
  EXPECT_TRUE(Failures(Good(), kBackward32).empty());
}

TEST(ReadingsTest, WorstBeyondTheMarginNamesRuleSeedValueAndLimit) {
  EvidenceBuilder built = Good();
  built.One(kPlain, 64, Family::kCancel, 0.31, 0.01, 200);
  const std::vector<Reading> failures = Failures(built);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].rule, Rule::kMargin);
  EXPECT_EQ(Describe(failures[0]),
            "reaches 0.31 of the budget (limit 0.25) at 64 rows, family cancel, seed 12, column 7");
  EXPECT_TRUE(Failures(built, kBackward, 0.31).empty()) << "the limit itself is within";
}

TEST(ReadingsTest, EagerRstdAllowsEightTenthsWhereRecorded) {
  EvidenceBuilder built = Good();
  built.One(kPlain, 64, Family::kNormal, 0.8, 0.3, 60, Reference::kEagerRstd);
  EXPECT_TRUE(Failures(built).empty());
  // A more accurate program shows that rstd's rounding is not to blame.
  built.One(test::kFma, 64, Family::kNormal, 0.0006, 0.0003, 200);
  built.One(test::kFma, 64, Family::kNormal, 0.7, 0.3, 200, Reference::kEagerRstd);
  built.One(kPlain, 64, Family::kNormal, 0.1, 0.05, 200);
  built.One(kPlain, 64, Family::kNormal, 0.81, 0.3, 200, Reference::kEagerRstd);
  const std::vector<Reading> failures = Failures(built);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].rule, Rule::kEagerRstd);
  EXPECT_EQ(failures[0].limit, kEagerMargin);
}

TEST(ReadingsTest, EagerRstdLaysTheRoundingOfRstdAtNoProgramsDoor) {
  EvidenceBuilder built = Good();
  // Even an exact sum reaches 1.05 there: a program may, and 1 % more, but not beyond.
  built.One(test::kFma, 64, Family::kNormal, 0.0006, 0.0003);
  built.One(test::kFma, 64, Family::kNormal, 1.05, 0.5, 60, Reference::kEagerRstd);
  built.One(kPlain, 64, Family::kNormal, 1.06, 0.5, 60, Reference::kEagerRstd);
  EXPECT_TRUE(Failures(built).empty());
  EvidenceBuilder beyond = Good();
  beyond.One(test::kFma, 64, Family::kNormal, 0.0006, 0.0003);
  beyond.One(test::kFma, 64, Family::kNormal, 1.05, 0.5, 60, Reference::kEagerRstd);
  beyond.One(kPlain, 64, Family::kNormal, 1.07, 0.5, 60, Reference::kEagerRstd);
  ASSERT_EQ(Failures(beyond).size(), 1U);
  EXPECT_EQ(Failures(beyond)[0].rule, Rule::kEagerRstd);
}

TEST(ReadingsTest, TheRoundingOfRstdIsReadFromExactSumsAlone) {
  // Over 200 inputs only the program itself was measured: its own error is no excuse for it.
  EvidenceBuilder alone = Good();
  alone.One(kPlain, 64, Family::kNormal, 0.2, 0.05, 200);
  alone.One(kPlain, 64, Family::kNormal, 1.06, 0.5, 200, Reference::kEagerRstd);
  alone.Error(kComparator, {{64, 0.2}}, 200);
  ASSERT_EQ(Failures(alone).size(), 1U);
  EXPECT_EQ(Failures(alone)[0].rule, Rule::kEagerRstd);
  EXPECT_EQ(Failures(alone)[0].limit, kEagerMargin);
  // An exact sum over fewer inputs reached as much.
  alone.One(test::kFma, 64, Family::kNormal, 0.0006, 0.0003, 60);
  alone.One(test::kFma, 64, Family::kNormal, 1.05, 0.5, 60, Reference::kEagerRstd);
  EXPECT_TRUE(Failures(alone).empty());
}

TEST(ReadingsTest, MedianMayExceedTheComparatorByTheAllowanceOnly) {
  // Of 0.1, 1 % is 0.001; of 0.002, the absolute 0.0005 is more.
  EXPECT_DOUBLE_EQ(AllowedBeside(0.1), 0.101);
  EXPECT_DOUBLE_EQ(AllowedBeside(0.002), 0.0025);
  for (double median : {0.1009, 0.1011}) {
    EvidenceBuilder built;
    built.Error(kComparator, {{64, 0.2}}).Error(kPlain, {{64, 0.1}});
    built.One(kPlain, 64, Family::kOutlier, 0.2, median, 200);
    const std::vector<Reading> failures = Failures(built);
    ASSERT_EQ(failures.size(), median > 0.101 ? 1U : 0U);
    if (failures.empty()) continue;
    EXPECT_EQ(failures[0].rule, Rule::kMedian);
    EXPECT_EQ(failures[0].family, Family::kOutlier);
  }
}

TEST(ReadingsTest, WorstIsComparedOnFp32WeightAndH5120AndH256Only) {
  EvidenceBuilder built;
  built.Error(kComparator, {{64, 0.1}});
  for (Family family : {Family::kNormal, Family::kOutlier, Family::kCancel}) {
    built.One(kPlain, 64, family, family == Family::kNormal ? 0.11 : 0.1, 0.01);
  }
  EXPECT_TRUE(Failures(built).empty());
  const std::vector<Reading> failures = Failures(built, kBackward32);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].rule, Rule::kWorstComparator);
  EXPECT_TRUE(ComparesWorst({.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 5120}));
  EXPECT_TRUE(ComparesWorst({.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 256}));
  EXPECT_FALSE(ComparesWorst({.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 6144}));
}

TEST(ReadingsTest, MostInputsCountAndTheComparatorIsReadOverAsMany) {
  EvidenceBuilder built = Good();
  built.Error(kPlain, {{64, 0.3}}, 4);  // fewer inputs do not count
  EXPECT_TRUE(Failures(built).empty());
  built.Error(kComparator, {{64, 0.02}}, 4);  // nor do the comparator's when it has 60 too
  built.Error(kComparator, {{64, 0.02}}, 200);
  EXPECT_TRUE(Failures(built).empty());
}

TEST(ReadingsTest, MissingEvidenceFails) {
  EvidenceBuilder no_family;
  no_family.Error(kComparator, {{64, 0.2}}).One(kPlain, 64, Family::kNormal, 0.1, 0.05);
  EXPECT_EQ(Failures(no_family).size(), 2U);  // outlier, cancel
  EvidenceBuilder no_comparator;
  no_comparator.Error(kPlain, {{64, 0.1}});
  const std::vector<Reading> failures = Failures(no_comparator);
  ASSERT_EQ(failures.size(), 3U);
  EXPECT_EQ(failures[0].rule, Rule::kMeasured);
  EXPECT_THAT(Describe(failures[0]), HasSubstr("no accuracy evidence of eager at 64 rows"));
}

TEST(ReadingsTest, OtherProtocolsAndBoardsDoNotCount) {
  EvidenceBuilder built = Good();
  for (AccuracyRecord& record : built.evidence.accuracy) record.key.protocol = 99;
  EXPECT_EQ(Failures(built).size(), 3U);
  built = Good();
  for (AccuracyRecord& record : built.evidence.accuracy) record.key.board = "b200_148";
  EXPECT_EQ(Failures(built).size(), 3U);
}

TEST(ReadingsTest, NanFails) {
  EvidenceBuilder built = Good();
  built.One(kPlain, 64, Family::kNormal, NAN, NAN, 200);
  EXPECT_EQ(Failures(built).size(), 2U);  // margin and median
}

TEST(ReadingsTest, WorstFailureIsTheFurthestBeyondItsLimit) {
  std::vector<Reading> readings(3);
  readings[0] = {Rule::kMargin, "", 64, Family::kNormal, 0, 0, 0.1, 0.25, true};
  readings[1] = {Rule::kMargin, "", 64, Family::kNormal, 0, 0, 0.3, 0.25, false};
  readings[2] = {Rule::kMedian, "", 64, Family::kNormal, 0, 0, 0.02, 0.01, false};
  EXPECT_EQ(WorstFailure(readings), &readings[2]);
  EXPECT_EQ(WorstFailure(std::span(readings).first(1)), nullptr);
}

TEST(ReadingsTest, RuleNamesRoundTrip) {
  for (Rule rule :
       {Rule::kMeasured, Rule::kMargin, Rule::kEagerRstd, Rule::kMedian, Rule::kWorstComparator}) {
    EXPECT_EQ(ParseRule(ToString(rule)), rule);
  }
}

TEST(AccuracyTableTest, AFailureIsNotBridged) {
  EvidenceBuilder built;
  built.Flat(kPlain, {64, 1024}, 0.1);
  built.evidence.failures.push_back({.board = std::string(kBoard),
                                     .route = kBackward32,
                                     .view = View::kRows,
                                     .rows = 300,
                                     .program = std::string(kPlain),
                                     .reason = "hung",
                                     .environment = EvidenceBuilder::kEnvironment});
  const AccuracyTable table(built.evidence, kBoard, kBackward.width);
  EXPECT_THAT(table.PlacesFor(kPlain, 300), testing::ElementsAre(300));
  EXPECT_THAT(table.PlacesFor(kPlain, 301), testing::ElementsAre(64, 1024));
  const auto readings = ReadingsAt(table, kBackward, kPlain, 300, 0.25);
  EXPECT_EQ(readings.at(0).rule, Rule::kMeasured) << "so it may not run there, on any route";
}

TEST(ReadingsTest, AnInfiniteComparatorLetsNothingPass) {
  EvidenceBuilder built;
  built.Error(kPlain, {{64, 0.1}})
      .Error(kComparator, {{64, std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(Failures(built).size(), 3U) << "one a family: no comparator to be measured by";
}

TEST(AccuracyTableTest, EachProgramIsBridgedBetweenItsOwnRowCounts) {
  EvidenceBuilder built;
  built.Flat(kPlain, {64, 256, 300, 1024}, 0.1);  // 300 is an edge's, no survey's
  built.Flat(test::kFma, {64, 256, 1024}, 0.001).Flat(test::kTwo, {64, 1024}, 0.001);
  built.One(test::kFold, 64, Family::kNormal, 0.1, 0.1);  // one family of three
  const AccuracyTable table(built.evidence, kBoard, kBackward.width);
  using testing::ElementsAre;
  EXPECT_THAT(table.PlacesFor(kPlain, 300), ElementsAre(300));
  EXPECT_THAT(table.PlacesFor(test::kFma, 300), ElementsAre(256, 1024));
  EXPECT_THAT(table.PlacesFor(test::kFma, 70), ElementsAre(64, 256));
  EXPECT_THAT(table.PlacesFor(test::kTwo, 256), ElementsAre(64, 1024));
  EXPECT_THAT(table.PlacesFor(test::kTwo, 300), ElementsAre(64, 1024));
  EXPECT_THAT(table.PlacesFor(kPlain, 2000), ElementsAre(2000)) << "above the last";
  EXPECT_THAT(table.PlacesFor(kPlain, 1), ElementsAre(64));
  EXPECT_TRUE(table.RowsOf(test::kFold).empty());
  EXPECT_THAT(table.RowsOf(test::kFma), ElementsAre(64, 256, 1024));
}

}  // namespace
}  // namespace fenestra
