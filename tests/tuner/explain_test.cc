#include "tuner/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "accuracy/error.h"
#include "db/text.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tests/tuner/evidence_builder.h"
#include "tuner/sweep/element.h"
#include "tuner/sweep/meter.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kDual;
using test::kFma;
using test::kPlain;
using testing::ElementsAre;
using testing::HasSubstr;

ChooseOptions Options() {
  ChooseOptions options;
  options.board = kBoard;
  return options;
}

// Plain is fastest, and beyond the margin at 512 rows.
EvidenceBuilder Built() {
  EvidenceBuilder built;
  built.Flat(kComparator, {64, 512}, 0.9).Flat(kFma, {64, 512}, 0.001);
  built.Error(kPlain, {{64, 0.1}, {512, 0.3}});
  built.Time(kPlain, {{64, 100}, {512, 800}}).Time(kFma, {{64, 150}, {512, 1000}});
  built.Time(kStream, {{64, 50}, {512, 500}});
  return built;
}

const Candidate& Of(const Explanation& explanation, std::string_view program) {
  return *std::find_if(
      explanation.candidates.begin(), explanation.candidates.end(),
      [&](const Candidate& candidate) { return NameAt(candidate.program) == program; });
}

TEST(Explain, NamesTheReadingThatKeepsTheFastestOut) {
  const Explanation explanation = Explain(Built().evidence, Options(), kBackward, 512);
  EXPECT_THAT(Of(explanation, kPlain).accuracy.places, ElementsAre(512));
  ASSERT_TRUE(explanation.window);
  EXPECT_EQ(explanation.window->program, kFma);
  EXPECT_EQ(NameAt(explanation.candidates[0].program), kPlain) << "the fastest comes first";
  EXPECT_EQ(NameAt(explanation.candidates[1].program), kFma);
  const Candidate& plain = Of(explanation, kPlain);
  EXPECT_FALSE(plain.routed);
  ASSERT_TRUE(plain.accuracy.failure);
  EXPECT_EQ(plain.accuracy.failure->rule, Rule::kMargin);
  EXPECT_DOUBLE_EQ(std::exp(*plain.time->log_over_stream), 1.6);
  const Candidate& fma = Of(explanation, kFma);
  EXPECT_TRUE(fma.routed);
  EXPECT_FALSE(fma.accuracy.failure);
  EXPECT_DOUBLE_EQ(std::exp(fma.time->log_over_best), 1.25);
  EXPECT_FALSE(Of(explanation, kDual).time);
}

TEST(Explain, BetweenMeasuredRowCountsBothHold) {
  const Explanation explanation = Explain(Built().evidence, Options(), kBackward, 100);
  const Candidate& plain = Of(explanation, kPlain);
  EXPECT_THAT(plain.accuracy.places, ElementsAre(64, 512));
  ASSERT_TRUE(plain.accuracy.failure);
  EXPECT_EQ(plain.accuracy.failure->rows, 512);
  ASSERT_TRUE(plain.accuracy.worst);
  EXPECT_EQ(plain.accuracy.worst->key.rows, 512);
}

TEST(Explain, AboveTheSampledRowCountsTheLastOneSpeaks) {
  const Explanation explanation = Explain(Built().evidence, Options(), kBackward, 100000);
  ASSERT_TRUE(explanation.window);
  EXPECT_EQ(explanation.window->window.edge, EdgeKind::kTop);
  EXPECT_EQ(explanation.rows, 512);
  const Candidate& routed = Of(explanation, explanation.window->program);
  EXPECT_TRUE(routed.routed);
  EXPECT_FALSE(routed.accuracy.failure);
  EXPECT_TRUE(routed.time);
}

// The dual grid refuses dx over dy.
TEST(Explain, TellsWhatRunsInPlace) {
  EvidenceBuilder built = Built();
  built.Flat(kDual, {64, 512}, 0.0005).Time(kDual, {{64, 60}, {512, 400}});
  const Explanation explanation = Explain(built.evidence, Options(), kBackward, 512);
  ASSERT_TRUE(explanation.window);
  EXPECT_EQ(explanation.window->program, kDual);
  ASSERT_TRUE(explanation.in_place);
  EXPECT_EQ(explanation.in_place->program, kFma);
}

TEST(Explain, SaysWhereNoProgramMayRun) {
  EvidenceBuilder built;
  built.Flat(kComparator, {64}, 0.9).Error(kPlain, {{64, 0.3}});
  built.Time(kPlain, {{64, 100}});
  const Explanation explanation = Explain(built.evidence, Options(), kBackward, 64);
  EXPECT_FALSE(explanation.window);
  EXPECT_THAT(explanation.no_window, HasSubstr("no program of bwd_w16_h4096"));
  ChooseOptions unknown = Options();
  unknown.board = "h100";
  EXPECT_THROW(Explain(built.evidence, unknown, kBackward, 64), Error);
}

TEST(Element, IsTheOneTheSurveyRecorded) {
  constexpr int kWidth = 256;
  constexpr std::int64_t kRows = 96;
  const int plain = test::IndexOf(Pass::kBackward, kWidth, Structure::kRing, Scheme::kPlain);
  MeterContext context;
  context.board = FindBoard(kBoard);
  const Group group =
      MeasureOnHost(context, AccuracyTask{kWidth, kRows, Family::kOutlier, 3, {plain}});
  const auto record = std::find_if(
      group.evidence.accuracy.begin(), group.evidence.accuracy.end(), [](const auto& one) {
        return one.key.program != kComparator && one.key.reference == Reference::kOwnRstd;
      });
  ASSERT_NE(record, group.evidence.accuracy.end());
  const InputSpec input{Family::kOutlier, record->worst_seed, kRows, kWidth};
  const DwElement worst = MeasureElement(plain, input, context.board->sm_count, 2, {});
  EXPECT_EQ(worst.column, record->worst_column);
  EXPECT_EQ(RoundFraction(worst.fraction), record->worst);
  EXPECT_GT(worst.error, 0);
  EXPECT_DOUBLE_EQ(worst.error, std::fabs(static_cast<double>(worst.value) - worst.reference));
  EXPECT_DOUBLE_EQ(worst.fraction, worst.error / worst.budget);
  EXPECT_EQ(MeasureElement(plain, input, context.board->sm_count, 1, 7).column, 7);
  EXPECT_THROW(MeasureElement(plain, input, context.board->sm_count, 1, kWidth), Error);
  EXPECT_THROW(MeasureElement(plain, {Family::kNormal, 0, kRows, 512}, 132, 1, {}), Error);
}

}  // namespace
}  // namespace fenestra
