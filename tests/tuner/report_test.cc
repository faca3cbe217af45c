// What a report shows and what it calls uncertain, from hand-made evidence.
#include "tuner/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/evidence_builder.h"
#include "tuner/choose.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kFma;
using test::kPlain;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Plain is the faster, and within the margin of 0.25 up to 128 rows.
EvidenceBuilder Built() {
  EvidenceBuilder built;
  built.Flat(kComparator, {64, 128, 256}, 0.9).Flat(kFma, {64, 128, 256}, 0.001);
  built.Error(kPlain, {{64, 0.1}, {128, 0.22}, {256, 0.4}});
  built.Time(kPlain, {{64, 100}, {128, 200}, {256, 400}});
  built.Time(kFma, {{64, 120}, {128, 230}, {256, 480}});
  built.Time("stream", {{64, 80}, {128, 160}, {256, 300}});
  return built;
}

struct Shown {
  explicit Shown(const Evidence& evidence)
      : accuracy(evidence, kBoard, kBackward.width),
        errors(ReportErrorsOf(accuracy, kBackward.width)),
        route(ReportRouteOf(evidence, kBoard, kBackward, errors)) {
    board.name = kBoard;
    board.margin = 0.25;
    ChooseOptions options;
    options.board = kBoard;
    options.routes = ToString(kBackward);
    route.plan = Choose(evidence, options).routes.at(0);
    doubts = DoubtsOf(evidence, board, route, accuracy);
  }

  std::vector<ReportDoubt> Of(DoubtKind kind) const {
    std::vector<ReportDoubt> found;
    for (const ReportDoubt& doubt : doubts) {
      if (doubt.kind == kind) found.push_back(doubt);
    }
    return found;
  }

  AccuracyTable accuracy;
  ReportErrors errors;
  ReportRoute route;
  ReportBoard board;
  std::vector<ReportDoubt> doubts;
};

TEST(ReportRouteTest, HoldsOnePointPerProgramAndRowCount) {
  EvidenceBuilder built = Built();
  built.Time(kFma, {{64, 240}}, 1).Time("stream", {{64, 160}}, 1);  // the same over the stream
  const Shown shown(built.evidence);
  ASSERT_THAT(shown.route.times, SizeIs(1));
  const ReportTimes& times = shown.route.times[0];
  EXPECT_THAT(times.rows, ElementsAre(64, 128, 256));
  EXPECT_THAT(times.stream_ns, ElementsAre(120, 160, 300));  // median of 80 and 160
  for (std::size_t p = 0; p < shown.route.programs.size(); ++p) {
    const ReportProgram& program = shown.route.programs[p];
    EXPECT_THAT(program.measured_as, testing::AnyOf(kFma, kPlain)) << "only those with evidence";
    if (program.name == kFma) {
      EXPECT_THAT(times.program_ns[p], ElementsAre(180, 230, 480));  // 1.5 x 120
    } else if (program.name == kPlain) {
      EXPECT_THAT(times.program_ns[p], ElementsAre(150, 200, 400));  // against its own stream
    } else {
      EXPECT_THAT(times.program_ns[p], ElementsAre(0, 0, 0)) << "its dw is known, its time is not";
    }
  }
  EXPECT_EQ(shown.route.timed_on, kBoard);
}

TEST(ReportRouteTest, ErrorsAreTheWorstOfAllFamilies) {
  EvidenceBuilder built = Built();
  built.One(kFma, 128, Family::kCancel, 0.002, 0.001, 200);
  const Shown shown(built.evidence);
  EXPECT_EQ(shown.errors.width, 4096);
  ASSERT_THAT(shown.errors.curves, SizeIs(3));
  EXPECT_EQ(shown.errors.curves.back().program, kComparator);
  for (const ReportErrorCurve& curve : shown.errors.curves) {
    ASSERT_THAT(curve.points, SizeIs(3)) << curve.program;
    if (curve.program != kFma) continue;
    EXPECT_EQ(curve.points[1].rows, 128);
    EXPECT_EQ(curve.points[1].worst, 0.002);
    EXPECT_EQ(curve.points[1].family, Family::kCancel);
    EXPECT_EQ(curve.points[1].seed, 12);
    EXPECT_EQ(curve.points[1].column, 7);
    EXPECT_EQ(curve.points[1].inputs, 200);
  }
}

TEST(ReportDoubtsTest, FollowFromThePlan) {
  const Shown shown(Built().evidence);
  ASSERT_THAT(shown.route.plan->windows, SizeIs(3));  // plain, fma, top
  const auto near = shown.Of(DoubtKind::kNearMargin);
  ASSERT_THAT(near, SizeIs(1));
  EXPECT_EQ(near[0].program, kPlain);
  EXPECT_EQ(near[0].rows, "128");
  EXPECT_THAT(near[0].text, HasSubstr("0.22 of the budget is 88 % of the margin"));
  const auto unclassed = shown.Of(DoubtKind::kUnclassed);
  ASSERT_THAT(unclassed, SizeIs(1));
  EXPECT_EQ(unclassed[0].rows, "128");
  EXPECT_THAT(unclassed[0].text, HasSubstr("dx and dw not compared with " + std::string(kPlain)));
  EXPECT_THAT(shown.Of(DoubtKind::kUnqualified), SizeIs(1));
  EXPECT_THAT(shown.Of(DoubtKind::kFewSessions), SizeIs(2)) << "one screening session";
  EXPECT_THAT(shown.Of(DoubtKind::kNotTimed), IsEmpty());
  EXPECT_THAT(shown.Of(DoubtKind::kStoodIn), IsEmpty());
}

TEST(ReportDoubtsTest, FollowFromTheEvidence) {
  EvidenceBuilder built = Built();
  built.evidence.times[0].rounds_discarded = 3;
  for (AccuracyRecord& record : built.evidence.accuracy) {
    if (record.key.program != kFma) continue;
    record.stood_in = true;
    record.key.inputs = 4;
  }
  EdgeRecord edge;
  edge.key.board = kBoard;
  edge.key.route = kBackward;
  edge.key.rows = 128;
  edge.key.below = kPlain;
  edge.key.above = kFma;
  edge.classes = {.dx = EdgeClass::kSame, .dw = EdgeClass::kDiffers};
  built.evidence.edges.push_back(edge);
  FailureRecord failure;
  failure.board = kBoard;
  failure.route = kBackward;
  failure.rows = 512;
  failure.program = kPlain;
  failure.reason = "hung";
  built.evidence.failures.push_back(failure);
  const Shown shown(built.evidence);
  EXPECT_THAT(shown.Of(DoubtKind::kUnclassed), IsEmpty());
  ASSERT_THAT(shown.Of(DoubtKind::kDiscarded), SizeIs(1));
  EXPECT_EQ(shown.Of(DoubtKind::kDiscarded)[0].rows, "64");
  ASSERT_THAT(shown.Of(DoubtKind::kFailure), SizeIs(1));
  EXPECT_THAT(shown.Of(DoubtKind::kFailure)[0].text, HasSubstr("hung"));
  EXPECT_THAT(shown.Of(DoubtKind::kStoodIn), SizeIs(1));
  ASSERT_THAT(shown.Of(DoubtKind::kFewInputs), SizeIs(1));
  EXPECT_THAT(shown.Of(DoubtKind::kFewInputs)[0].text, HasSubstr("4, where the protocol asks"));
}

TEST(ReportDoubtsTest, OfTheBoard) {
  ReportBoard board;
  board.name = kBoard;
  board.plan_name = "plan 2";
  EXPECT_THAT(DoubtsOf(board, false), IsEmpty());
  ASSERT_THAT(DoubtsOf(board, true), SizeIs(1));
  EXPECT_EQ(DoubtsOf(board, true)[0].kind, DoubtKind::kStalePlan);
  board.plan_name.clear();
  EXPECT_EQ(DoubtsOf(board, false).at(0).kind, DoubtKind::kNotStored);
  board.plan_name = "plan 2";
  board.environments.resize(3);
  board.environments[0].gpu = board.environments[1].gpu = "NVIDIA H200";
  board.environments[0].driver = "580";
  board.environments[1].driver = "590";
  board.environments[2].gpu = "none";  // the host model
  ASSERT_THAT(DoubtsOf(board, false), SizeIs(1));
  EXPECT_THAT(DoubtsOf(board, false)[0].text, HasSubstr("in 2 environments"));
}

}  // namespace
}  // namespace fenestra
