#include "tuner/lender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/tuner/evidence_builder.h"
#include "tuner/choose.h"
#include "tuner/choose_times.h"
#include "tuner/readings.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kFma;
using test::kPlain;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kB200 = "b200_148";
constexpr std::string_view kGb300 = "gb300_152";

// Both programs exact; the FP64 one 1 % faster on the H200, where all times are of. Accuracy is of
// `board`.
Evidence TimedOnH200(std::string_view board) {
  EvidenceBuilder built;
  built.Time(kFma, {{1024, 20000}, {4096, 99000}}).Time(kPlain, {{1024, 20200}, {4096, 100000}});
  built.Flat(kFma, {1024, 4096}, 0.0006).Flat(kPlain, {1024, 4096}, 0.0006);
  built.Flat(kComparator, {1024, 4096}, 0.9);
  for (AccuracyRecord& record : built.evidence.accuracy) record.key.board = board;
  return built.evidence;
}

PlannedWindow FirstWindow(const Evidence& evidence, std::string_view board) {
  ChooseOptions options;
  options.board = board;
  options.noise = 0.001;  // below the 1 % between the two
  options.routes = ToString(kBackward);
  return Choose(evidence, options).routes.at(0).windows.at(0);
}

TEST(LenderTest, BoardWithoutTimesTakesTheOrderOfOneThatHasThem) {
  const Evidence evidence = TimedOnH200(kB200);
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), kBoard);
  const PlannedWindow window = FirstWindow(evidence, kB200);
  EXPECT_EQ(window.program, kFma);
  EXPECT_EQ(window.window.time, Basis::kBorrowed);
  EXPECT_THAT(window.reason, HasSubstr("1.0 % faster"));
  EXPECT_THAT(window.reason, HasSubstr("by times of h200_132"));
}

TEST(LenderTest, OwnTimesEndTheLoan) {
  Evidence evidence = TimedOnH200(kB200);
  TimeRecord own = evidence.times.front();
  own.key.board = kB200;
  own.key.program = kPlain;
  evidence.times.push_back(own);
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), kB200);
  const PlannedWindow window = FirstWindow(evidence, kB200);
  EXPECT_EQ(window.program, kPlain);
  EXPECT_EQ(window.window.time, Basis::kMeasured);
  EXPECT_THAT(window.reason, Not(HasSubstr("h200_132")));
}

TEST(LenderTest, NobodyHasTimes) {
  Evidence evidence = TimedOnH200(kB200);
  evidence.times.clear();
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), kB200);
  EXPECT_EQ(FirstWindow(evidence, kB200).window.time, Basis::kNone);
}

TEST(LenderTest, FailuresOfTheLenderExclude) {
  EvidenceBuilder built;
  built.Time(kFma, {{1000, 99}, {5000, 99}}).Time(kPlain, {{1000, 99}, {3000, 99}, {5000, 99}});
  const std::vector<std::string> names{std::string(kFma)};
  EXPECT_TRUE(TimeTable(built.evidence, kB200, kBackward, names).At(3000)[0].has_value());
  FailureRecord failure;
  failure.board = kBoard;
  failure.route = kBackward;
  failure.rows = 3000;
  failure.program = kFma;
  built.evidence.failures.push_back(failure);
  EXPECT_FALSE(TimeTable(built.evidence, kB200, kBackward, names).At(3000)[0].has_value());
}

TEST(LenderTest, SlowFp64IsAddedWhereTheArchIsSlow) {
  EXPECT_EQ(FirstWindow(TimedOnH200(kGb300), kGb300).program, kPlain);
  const std::vector<std::string> names{std::string(kFma), std::string(kPlain)};
  const TimeTable table(TimedOnH200(kGb300), kGb300, kBackward, names);
  const auto at = table.At(4096);
  EXPECT_EQ(at[1]->log_over_best, 0);
  // 4096 rows of 4096 columns on 152 SMs of 4.57 results a nanosecond: one result each and less
  // than half of one for rstd are 24 us and more beside the 99 measured; with conversions it
  // were 48.
  EXPECT_GT(at[0]->log_over_best, 0.2);
  EXPECT_LT(at[0]->log_over_best, 0.3);
}

TEST(LenderTest, WhatSpillsOnTheBoardIsTakenForSlower) {
  Evidence evidence = TimedOnH200(kB200);
  KernelRecord kernel;
  kernel.key = {std::string(kB200), std::string(kFma), kBackward.weight, "e"};
  kernel.spill_bytes = 16;
  evidence.kernels.push_back(kernel);
  EXPECT_EQ(FirstWindow(evidence, kB200).program, kPlain);
  EXPECT_NEAR(std::exp(TimeTable(evidence, kB200, kBackward,
                                 std::vector{std::string(kFma), std::string(kPlain)})
                           .At(4096)[0]
                           ->log_over_best),
              0.99 * kSpillFactor, 1e-9);
  kernel.key.environment = "later";
  kernel.spill_bytes = 0;
  evidence.kernels.push_back(kernel);
  EXPECT_EQ(FirstWindow(evidence, kB200).program, kFma) << "a compiler that does not spill it";
  evidence.kernels.pop_back();
  evidence.kernels.back().key.weight = Dtype::kFp32;
  EXPECT_EQ(FirstWindow(evidence, kB200).program, kFma) << "the other weight's kernel spills";
}

// Counted by hand; the order of adding is that of kernels/device. 4096 columns are eight a lane.
TEST(LenderTest, Fp64ResultsOfARingAreThoseOfTheBusiestSm) {
  Program program{.pass = Pass::kBackward,
                  .structure = Structure::kRing,
                  .width = 4096,
                  .threads = 512,
                  .warps_per_row = 16,
                  .rows = 2,
                  .stages = 4,
                  .ctas_per_sm = 1,
                  .scheme = Scheme::kFma64};
  // Four rows a CTA: the multiply-add, an eighth of a rstd and of its scaling; the product is
  // widened by integer steps. A reduce CTA adds 152 partials of its 32 columns, and no SM has two
  // of the 128.
  constexpr double kReduce = 152 * 32;
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4, 152), 4 * 4096 * 1.25 + kReduce);
  // One row more: one CTA has a third tile, of two rows.
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4 + 1, 152), 6 * 4096 * 1.25 + kReduce);
  program.reduce_form = ReduceForm::kSlab;  // 128 columns a reduce CTA
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4, 152), 4 * 4096 * 1.25 + 152 * 128);
  // Conversions: of each product, and an eighth of a rstd. 16 reduce CTAs.
  Program narrow = program;
  narrow.width = 512;
  narrow.threads = 64;
  narrow.warps_per_row = 2;
  narrow.reduce_form = ReduceForm::kSplit;
  EXPECT_EQ(Fp64ResultsOfAnSm(narrow, 152 * 4, 152), 4 * 512 * 2.125 + kReduce);
  program.reduce_form = ReduceForm::kSplit;
  program.scheme = Scheme::kFold64;
  program.fold_rows = 8;
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4, 152), 4 * 4096 * 2 / 8 + 3 * 4096 + kReduce);
  program.scheme = Scheme::kTwoProd;
  program.fold_rows = 0;
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4, 152), 3 * 4096 + kReduce);
  program.warps_per_row = 8;  // two groups, whose sums a CTA adds up; four rows a tile
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4, 152), 2 * 3 * 4096 + 4096 + kReduce);
  program.reduce_sum = ReduceSum::kTwoSum;
  EXPECT_EQ(Fp64ResultsOfAnSm(program, 152 * 4, 152), 0);
  EXPECT_EQ(Fp64ResultsOfAnSm(Program{.pass = Pass::kForward, .width = 4096}, 100, 152), 0);
}

TEST(LenderTest, Fp64ResultsOfADualGridAreThoseOfAColumnCta) {
  Program dual{.pass = Pass::kBackward,
               .structure = Structure::kDual,
               .width = 4096,
               .threads = 512,
               .warps_per_row = 16,
               .slab = 64,
               .scheme = Scheme::kFma64};
  // Nine additions a thread bring its warp's eight columns together.
  EXPECT_EQ(Fp64ResultsOfAnSm(dual, 100, 152), 100 * 64 * 2.125 + 512 * 9);
  dual.scheme = Scheme::kTwoProd;  // eight pairs a thread, widened and added up
  EXPECT_EQ(Fp64ResultsOfAnSm(dual, 100, 152), 512 * (8 * 3 + 9));
}

TEST(LenderTest, ABoardSlowAtFp64LendsToItsOwnArchAlone) {
  Evidence evidence = TimedOnH200(kB200);
  for (TimeRecord& record : evidence.times) record.key.board = kGb300;
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), kB200);
  for (TimeRecord& record : evidence.times) record.key.board = "r200_212";
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), "r200_212");
  TimeRecord h200 = evidence.times.front();
  h200.key.board = kBoard;
  evidence.times.push_back(h200);
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), kBoard);
  EXPECT_EQ(LenderOf(evidence, "r200_216", kBackward), "r200_212") << "of its own arch";
}

TEST(LenderTest, TimesOfOneRouteEndTheLoanOfThatOneAlone) {
  Evidence evidence = TimedOnH200(kB200);
  TimeRecord own = evidence.times.front();
  own.key.board = kB200;
  own.key.route.weight = Dtype::kFp32;
  evidence.times.push_back(own);
  EXPECT_EQ(LenderOf(evidence, kB200, own.key.route), kB200);
  EXPECT_EQ(LenderOf(evidence, kB200, kBackward), kBoard);
}

class WithLenderTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) / "fenestra_lender_test.db";
};

TEST_F(WithLenderTest, JoinsTimesAndTheirEnvironmentOnce) {
  Store store = Store::Open(path_, OpenMode::kCreate);
  Evidence all = TimedOnH200(kB200);
  Environment& environment = all.environments.front();
  environment = WithId(environment);
  for (TimeRecord& record : all.times) {
    record.key.environment = environment.id;
    record.samples_digest = "0123456789abcdef";
  }
  for (AccuracyRecord& record : all.accuracy) record.environment = environment.id;
  store.Append(all);
  const Evidence own = store.Load(kB200);
  EXPECT_THAT(own.times, SizeIs(0));
  const Evidence joined = WithLender(store, kB200, own);
  EXPECT_EQ(joined.times, store.Load(kBoard).times);
  EXPECT_EQ(joined.accuracy, own.accuracy);
  EXPECT_THAT(joined.environments, SizeIs(1));
  EXPECT_EQ(DigestOf(WithLender(store, kBoard, store.Load(kBoard))), DigestOf(store.Load(kBoard)))
      << "nobody lends to the only board with times";
  EXPECT_EQ(store.EvidenceDigest(kB200, LenderOf(store, kB200)), DigestOf(joined));
  EXPECT_NE(DigestOf(joined), DigestOf(own)) << "a plan rests on what it borrows";
}

}  // namespace
}  // namespace fenestra
