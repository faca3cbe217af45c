#include "tuner/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "accuracy/error.h"
#include "export/header.h"
#include "kernels/program_list.h"
#include "tests/tuner/evidence_builder.h"
#include "tuner/choose_times.h"
#include "tuner/readings.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kDual;
using test::kFma;
using test::kFold;
using test::kPlain;
using test::kTwo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::initializer_list<std::int64_t> kRows{64, 128, 256, 512};

ChooseOptions Options() {
  ChooseOptions options;
  options.board = kBoard;
  options.routes = "bwd_w16_h4096";
  return options;
}

RoutePlan Only(const Evidence& evidence, const ChooseOptions& options = Options()) {
  const Plan plan = Choose(evidence, options);
  EXPECT_THAT(plan.routes, SizeIs(1));
  return plan.routes.at(0);
}

// "lo-hi program", the last window's hi as "max".
std::vector<std::string> Shape(const std::vector<PlannedWindow>& windows) {
  std::vector<std::string> shape;
  for (const PlannedWindow& planned : windows) {
    const std::string hi =
        planned.window.hi == kMaxRows ? "max" : std::to_string(planned.window.hi);
    shape.push_back(std::to_string(planned.window.lo) + "-" + hi + " " + planned.program);
    EXPECT_EQ(FindProgram(planned.program), planned.window.program);
  }
  return shape;
}

std::string Span(std::string_view span, std::string_view program) {
  return std::string(span) + " " + std::string(program);
}

// Exact sums everywhere, and a comparator that anything within the margin is no worse than.
EvidenceBuilder Accurate(std::initializer_list<std::string_view> programs) {
  EvidenceBuilder built;
  built.Flat(kComparator, kRows, 0.9);
  for (std::string_view program : programs) built.Flat(program, kRows, 0.001);
  return built;
}

TEST(ChooseTest, ProgramsThatCrossMeetAtTheCrossing) {
  EvidenceBuilder built = Accurate({kFma, kPlain});
  built.Time(kPlain, {{64, 100}, {128, 200}, {256, 500}, {512, 1000}});
  built.Time(kFma, {{64, 200}, {128, 250}, {256, 400}, {512, 700}});
  built.Time(kStream, {{64, 50}, {128, 100}, {256, 200}, {512, 350}});
  const RoutePlan plan = Only(built.evidence);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-128", kPlain), Span("128-512", kFma), Span("512-max", kFma)));
  EXPECT_EQ(plan.qualified_rows, 512);
  EXPECT_EQ(plan.windows[0].window.edge, EdgeKind::kStart);
  EXPECT_EQ(plan.windows[1].window.edge, EdgeKind::kSpeed);
  EXPECT_EQ(plan.windows[2].window.edge, EdgeKind::kTop);
  EXPECT_EQ(plan.windows[0].reason, "100.0 % faster than " + std::string(kFma) + " at 64 rows");
  EXPECT_EQ(plan.windows[1].reason, "42.9 % faster than " + std::string(kPlain) + " at 512 rows");
  EXPECT_DOUBLE_EQ(plan.windows[0].over_stream, 2);  // 100/50 and 200/100
  EXPECT_DOUBLE_EQ(plan.windows[1].over_stream, 2);
  EXPECT_DOUBLE_EQ(plan.windows[1].over_best, 0);
  EXPECT_EQ(plan.windows[1].window.time, Basis::kMeasured);
  EXPECT_EQ(plan.windows[1].window.accuracy, Basis::kMeasured);
  EXPECT_EQ(plan.windows[2].window.time, Basis::kNone);
  EXPECT_THAT(Shape(plan.in_place), testing::ElementsAreArray(Shape(plan.windows)));
}

TEST(ChooseTest, WindowOnAnEdgeNoWiderThanTheNoiseDoesNotExist) {
  EvidenceBuilder built = Accurate({kFma, kPlain});
  built.Time(kPlain, {{64, 1000}, {128, 1000}, {256, 1010}, {512, 1010}});
  built.Time(kFma, {{64, 2000}, {128, 1200}, {256, 1000}, {512, 1000}});
  EXPECT_THAT(Shape(Only(built.evidence).windows),
              ElementsAre(Span("0-512", kPlain), Span("512-max", kPlain)));
  ChooseOptions options = Options();
  options.noise = 0.005;
  EXPECT_THAT(Shape(Only(built.evidence, options).windows), SizeIs(3));
}

// The plain program is fastest and passes the margin above 128 rows.
EvidenceBuilder PlainFails() {
  EvidenceBuilder built = Accurate({kFma});
  built.Error(kPlain, {{64, 0.1}, {128, 0.2}, {256, 0.31}, {512, 0.2}});
  built.Time(kPlain, {{64, 100}, {128, 100}, {256, 100}, {512, 100}});
  built.Time(kFma, {{64, 110}, {128, 110}, {256, 110}, {512, 90}});
  return built;
}

TEST(ChooseTest, AccuracyEdgeLiesAtTheLastRowCountThatPasses) {
  const RoutePlan plan = Only(PlainFails().evidence);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-128", kPlain), Span("128-512", kFma), Span("512-max", kFma)));
  EXPECT_EQ(plan.windows[1].window.edge, EdgeKind::kAccuracy);
  EXPECT_THAT(plan.windows[1].reason,
              HasSubstr(std::string(kPlain) +
                        " reaches 0.31 of the budget (limit 0.25) at 256 rows, family normal, "
                        "seed 12"));
  EXPECT_EQ(plan.windows[0].worst, 0.2);
  EXPECT_EQ(plan.windows[0].worst_rows, 128);
}

TEST(ChooseTest, AProgramRunsNowhereAboveItsLowestAccuracyEdge) {
  // Plain is the fastest, and within the margin again from 512 rows on.
  EvidenceBuilder built = PlainFails();
  built.Time(kFma, {{1024, 200}}).Time(kPlain, {{1024, 100}});
  built.Error(kPlain, {{1024, 0.2}}).Flat(kFma, {1024}, 0.001).Flat(kComparator, {1024}, 0.9);
  const RoutePlan plan = Only(built.evidence);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-128", kPlain), Span("128-1024", kFma), Span("1024-max", kFma)));
  // A waiver for the row count beyond the margin takes the edge away.
  ChooseOptions options = Options();
  options.waivers = {{kBackward, 256, std::string(kPlain), 0.4, "known inputs are smaller"}};
  EXPECT_THAT(Shape(Only(built.evidence, options).windows),
              ElementsAre(Span("0-256", kPlain), Span("256-512", kFma), Span("512-1024", kPlain),
                          Span("1024-max", kFma)));
}

TEST(ChooseTest, WindowsDoNotEndWhereAnInexactProgramAloneWasMeasured) {
  // Fold is the faster up to about 360 rows. Plain was searched there for its edge, which lies at
  // 128 rows: nothing at 300 and 400 rows says how accurate the others are.
  EvidenceBuilder built = Accurate({kFma, kFold});
  built.Error(kPlain, {{64, 0.1}, {128, 0.2}, {256, 0.31}, {300, 0.31}, {400, 0.31}, {512, 0.31}});
  built.Time(kFold, {{64, 100}, {128, 100}, {256, 100}, {512, 120}});
  built.Time(kFma, {{64, 120}, {128, 120}, {256, 120}, {512, 100}});
  built.Time(kPlain, {{64, 300}, {128, 300}, {256, 300}, {512, 300}});
  EXPECT_THAT(Shape(Only(built.evidence).windows),
              ElementsAre(Span("0-256", kFold), Span("256-512", kFma), Span("512-max", kFma)));
}

TEST(ChooseTest, WhatWasMeasuredBetweenSampledRowCountsCounts) {
  // Plain is fastest, within the margin at every sampled row count, and has an edge far above. At
  // 200 rows it alone was measured.
  const auto built_with = [](double at_200) {
    EvidenceBuilder built = Accurate({kFma});
    built.Error(kPlain, {{64, 0.01}, {128, 0.02}, {200, at_200}, {256, 0.02}, {512, 0.02}});
    built.Error(kPlain, {{1024, 0.31}}).Flat(kComparator, {200, 1024}, 0.1);
    built.Flat(kFma, {1024}, 0.001);
    built.Time(kPlain, {{64, 100}, {128, 100}, {256, 100}, {512, 100}, {1024, 100}});
    built.Time(kFma, {{64, 110}, {128, 110}, {256, 110}, {512, 110}, {1024, 110}});
    return built.evidence;
  };
  ChooseOptions options = Options();
  const RoutePlan within = Only(built_with(0.05), options);
  EXPECT_EQ(Shape(within.windows)[0], Span("0-512", kPlain));
  EXPECT_EQ(within.windows[0].worst, 0.05);
  EXPECT_EQ(within.windows[0].worst_rows, 200);
  // Half of 0.15 is its median there, which is worse than the comparator's.
  EXPECT_EQ(Shape(Only(built_with(0.15), options).windows)[0], Span("0-128", kPlain));
}

TEST(ChooseTest, WaiverMovesTheEdgeAndIsNamed) {
  ChooseOptions options = Options();
  options.waivers = {{kBackward, 256, std::string(kPlain), 0.4, "known inputs are smaller"}};
  const RoutePlan plan = Only(PlainFails().evidence, options);
  EXPECT_EQ(Shape(plan.windows)[0], Span("0-256", kPlain));
  EXPECT_THAT(plan.windows[0].reason, HasSubstr("waived to 0.4 up to 256 rows: known inputs"));
  EXPECT_EQ(plan.windows[1].window.edge, EdgeKind::kSpeed);
  options.waivers[0].fraction = 0.81;
  EXPECT_THROW(Choose(PlainFails().evidence, options), Error);
  options.waivers[0].fraction = 0.4;
  options.waivers[0].reason = "";
  EXPECT_THROW(Choose(PlainFails().evidence, options), Error);
}

TEST(ChooseTest, WiderMarginKeepsTheFasterProgram) {
  ChooseOptions options = Options();
  options.margin = 0.8;
  EXPECT_EQ(Shape(Only(PlainFails().evidence, options).windows)[0], Span("0-256", kPlain));
}

// Half a percent would be no reason for an edge: that the program below fails further up is.
TEST(ChooseTest, AnEdgeThatNoiseWouldNotMakeIsOneOfAccuracy) {
  EvidenceBuilder built = Accurate({kFma});
  built.Error(kPlain, {{64, 0.1}, {128, 0.2}, {256, 0.2}, {512, 0.31}});
  built.Time(kPlain, {{64, 1000}, {128, 1000}, {256, 1000}, {512, 1000}});
  built.Time(kFma, {{64, 1100}, {128, 1100}, {256, 995}, {512, 995}});
  const RoutePlan plan = Only(built.evidence);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-128", kPlain), Span("128-512", kFma), Span("512-max", kFma)));
  EXPECT_EQ(plan.windows[1].window.edge, EdgeKind::kAccuracy);
  EXPECT_THAT(plan.windows[1].reason, testing::HasSubstr("512"));
  EXPECT_THAT(plan.windows[1].reason, testing::Not(testing::HasSubstr("faster")));
}

TEST(ChooseTest, TiesGoToTheSmallerErrorThenToListOrder) {
  EvidenceBuilder built = Accurate({kFma, kTwo});
  built.Flat(kPlain, kRows, 0.0005);
  for (std::string_view program : {kTwo, kFma, kPlain}) {
    built.Time(program, {{64, 100}, {128, 100}, {256, 100}, {512, 100}});
  }
  EXPECT_EQ(Shape(Only(built.evidence).windows)[0], Span("0-512", kPlain));
  std::erase_if(built.evidence.times,
                [](const TimeRecord& record) { return record.key.program == kPlain; });
  EXPECT_EQ(Shape(Only(built.evidence).windows)[0], Span("0-512", kFma));
}

TEST(ChooseTest, ProgramWithoutAccuracyEvidenceIsNotAdmissible) {
  EvidenceBuilder built = Accurate({kFma});
  built.Error(kPlain, {{64, 0.001}, {128, 0.001}});
  built.Time(kPlain, {{64, 100}, {128, 100}, {256, 100}, {512, 100}});
  built.Time(kFma, {{64, 200}, {128, 200}, {256, 200}, {512, 200}});
  const RoutePlan plan = Only(built.evidence);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-128", kPlain), Span("128-512", kFma), Span("512-max", kFma)));
  EXPECT_EQ(plan.windows[1].window.edge, EdgeKind::kAccuracy);
  EXPECT_THAT(plan.windows[1].reason, HasSubstr("has no accuracy evidence"));
}

TEST(ChooseTest, NothingAdmissibleNamesTheClosestProgramAndItsReading) {
  EvidenceBuilder built = Accurate({});
  built.Flat(kPlain, kRows, 0.5).Flat(kFold, kRows, 0.3);
  built.Time(kPlain, {{64, 100}, {512, 100}}).Time(kFold, {{64, 100}, {512, 100}});
  try {
    Choose(built.evidence, Options());
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kCheckFailed);
    EXPECT_THAT(error.what(), HasSubstr("no program of bwd_w16_h4096 on h200_132 is admissible at "
                                        "64 rows; closest: " +
                                        std::string(kFold) + " reaches 0.3 of the budget"));
  }
}

TEST(ChooseTest, AccuracyDenserThanTimeUsesInterpolatedTimes) {
  // Timed at 64 and 512 only; the plain program fails at 256, so the edge lies at 128.
  EvidenceBuilder built = Accurate({kFma});
  built.Error(kPlain, {{64, 0.1}, {128, 0.1}, {256, 0.3}, {512, 0.3}});
  built.Time(kPlain, {{64, 100}, {512, 800}}).Time(kFma, {{64, 110}, {512, 880}});
  const RoutePlan plan = Only(built.evidence);
  EXPECT_EQ(Shape(plan.windows)[0], Span("0-128", kPlain));
  EXPECT_NEAR(plan.windows[1].over_best, 0.1, 1e-12);
}

TEST(ChooseTest, TimeDenserThanAccuracyNeedsBothNeighboursToPass) {
  // Accuracy at 64 and 512; the plain program fails at 512, so it may not run at 128 or 256.
  EvidenceBuilder built;
  built.Flat(kComparator, {64, 512}, 0.9).Flat(kFma, {64, 512}, 0.001);
  built.Error(kPlain, {{64, 0.1}, {512, 0.3}});
  built.Time(kPlain, {{64, 100}, {128, 100}, {256, 100}, {512, 100}});
  built.Time(kFma, {{64, 110}, {128, 110}, {256, 110}, {512, 110}});
  EXPECT_EQ(Shape(Only(built.evidence).windows)[0], Span("0-64", kPlain));
}

TEST(ChooseTest, BoardWithoutTimesIsOrderedByError) {
  EvidenceBuilder built = Accurate({});
  built.Flat(kFold, kRows, 0.02).Flat(kTwo, kRows, 0.0006).Flat(kFma, kRows, 0.0006);
  for (AccuracyRecord& record : built.evidence.accuracy) record.stood_in = true;
  ChooseOptions options = Options();
  options.routes = "fwd_w16_h4096,bwd_w16_h4096";
  const Plan plan = Choose(built.evidence, options);
  ASSERT_THAT(plan.routes, SizeIs(2));
  const RoutePlan& backward = plan.routes[1];
  EXPECT_THAT(Shape(backward.windows), ElementsAre(Span("0-512", kFma), Span("512-max", kFma)));
  EXPECT_EQ(backward.windows[0].window.time, Basis::kNone);
  EXPECT_EQ(backward.windows[0].window.accuracy, Basis::kStoodIn);
  EXPECT_THAT(backward.windows[0].reason, HasSubstr("not timed; smallest error: 0.0006"));
  EXPECT_EQ(plan.routes[0].route.pass, Pass::kForward);
  EXPECT_EQ(Shape(plan.routes[0].windows)[0], Span("0-512", test::kFwd<4096>));
}

TEST(ChooseTest, TopRunsTheMostAccurateProgram) {
  EvidenceBuilder built = Accurate({});
  built.Flat(kPlain, kRows, 0.2).Flat(kFma, kRows, 0.0006).Flat(kTwo, kRows, 0.0007);
  built.Time(kPlain, {{64, 100}, {512, 100}}).Time(kTwo, {{64, 200}, {512, 110}});
  built.Time(kFma, {{64, 200}, {512, 120}});
  const RoutePlan plan = Only(built.evidence);
  // The two exact ones are equally accurate by the allowance; the faster of them runs.
  EXPECT_THAT(Shape(plan.windows), ElementsAre(Span("0-512", kPlain), Span("512-max", kTwo)));
  EXPECT_EQ(plan.windows[1].window.accuracy, Basis::kNone);
}

TEST(ChooseTest, InPlaceWindowsHoldOnlyProgramsThatAllowIt) {
  EvidenceBuilder built = Accurate({kDual, kFma});
  built.Time(kDual, {{64, 100}, {128, 200}, {256, 900}, {512, 2000}});
  built.Time(kFma, {{64, 200}, {128, 300}, {256, 500}, {512, 900}});
  const RoutePlan plan = Only(built.evidence);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-128", kDual), Span("128-512", kFma), Span("512-max", kFma)));
  EXPECT_THAT(Shape(plan.in_place), ElementsAre(Span("0-512", kFma), Span("512-max", kFma)));
}

TEST(ChooseTest, EdgeClassesComeFromTheirRecord) {
  EvidenceBuilder built = PlainFails();
  EdgeRecord edge;
  edge.key = {std::string(kBoard), kBackward, 128, std::string(kPlain), std::string(kFma)};
  edge.classes.dx = EdgeClass::kSame;
  edge.classes.dw = EdgeClass::kDiffers;
  built.evidence.edges = {edge};
  const RoutePlan plan = Only(built.evidence);
  EXPECT_EQ(plan.windows[1].window.classes, edge.classes);
  EXPECT_EQ(plan.windows[0].window.classes, EdgeClasses{});
}

TEST(ChooseTest, FastestRunsForwardWithoutAccuracyEvidence) {
  constexpr Route kForward{.pass = Pass::kForward, .weight = Dtype::kFp32, .width = 4096};
  constexpr std::string_view kWide = test::kFwd<4096>;
  constexpr std::string_view kNarrow = test::kFwd<4096, 1>;
  EvidenceBuilder built(kForward);
  built.Time(kWide, {{64, 100}, {512, 900}}).Time(kNarrow, {{64, 150}, {512, 800}});
  ChooseOptions options = Options();
  options.routes = "fwd*";
  const RoutePlan plan = Only(built.evidence, options);
  EXPECT_THAT(Shape(plan.windows),
              ElementsAre(Span("0-64", kWide), Span("64-512", kNarrow), Span("512-max", kNarrow)));
  EXPECT_EQ(plan.windows[0].window.accuracy, Basis::kNone);
}

TEST(ChooseTest, NoEvidenceNoRoutes) {
  EXPECT_THAT(Choose(Evidence{}, Options()).routes, IsEmpty());
  ChooseOptions options = Options();
  options.board = "h100_132";
  EXPECT_THROW(Choose(Evidence{}, options), Error);
}

TEST(ChooseTest, SamePlanAndHeaderInWhateverOrderTheEvidenceComes) {
  EvidenceBuilder built = PlainFails();
  built.Flat(kTwo, kRows, 0.001).Flat(kDual, kRows, 0.001);
  for (int process = 1; process < 4; ++process) {
    const double drift = 1 + 0.013 * process;
    built.Time(kStream, {{64, 50 * drift}, {256, 60 * drift}, {512, 70 * drift}}, process);
    built.Time(kFma, {{64, 110 * drift}, {256, 111}, {512, 90 * drift}}, process);
    built.Time(kTwo, {{64, 110 * drift}, {256, 111}, {512, 90 * drift}}, process);
    built.Time(kDual, {{64, 80 * drift}, {128, 300}}, process);
  }
  Evidence evidence = built.evidence;
  const std::string expected = HeaderText(Choose(evidence, Options()), evidence.environments);
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(evidence.times.begin(), evidence.times.end(), random);
    std::shuffle(evidence.accuracy.begin(), evidence.accuracy.end(), random);
    EXPECT_EQ(HeaderText(Choose(evidence, Options()), evidence.environments), expected);
  }
}

}  // namespace
}  // namespace fenestra
