#include "tuner/check_digests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fenestra {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kProgram = "bwd_dual_h512_t256_w2_slab16_fma64";

Plan PlanOf(std::string_view program) {
  Plan plan;
  plan.board = "h200_132";
  RoutePlan route;
  route.route = {.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 512};
  route.windows.emplace_back().program = program;
  plan.routes.push_back(route);
  return plan;
}

DigestRecord Record(std::int64_t rows, std::string_view dw) {
  DigestRecord record;
  record.key.board = "h200_132";
  record.key.width = 512;
  record.key.rows = rows;
  record.key.program = kProgram;
  record.dw = dw;
  return record;
}

// The digests that an H200 gave, from evidence/h200_132.tsv.
Evidence OnH200() {
  Evidence evidence;
  evidence.digests = {Record(1, "4452a6ebbd1315af"), Record(256, "74302ba518a5dbeb")};
  return evidence;
}

TEST(CheckDigestsTest, HostModelGivesTheDigestsOfTheGpu) {
  const DigestCheck check = CheckDigests(OnH200(), PlanOf(kProgram), "h200_132.h", 2);
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_EQ(check.repeated, 2);
  EXPECT_EQ(check.left, 0);
}

TEST(CheckDigestsTest, ChangedArithmeticIsNamed) {
  Evidence evidence = OnH200();
  evidence.digests[1].dw = "74302ba518a5dbec";
  const auto findings = CheckDigests(evidence, PlanOf(kProgram), "h200_132.h", 2).findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_THAT(ToString(findings[0]),
              HasSubstr("h200_132.h: error: accuracy is stale: dw of " + std::string(kProgram) +
                        " at 256 rows has digest 74302ba518a5dbeb, 74302ba518a5dbec in the "
                        "evidence: sweep again"));
}

TEST(CheckDigestsTest, ResidualTwinsAreHeldToTheDigestTheyShare) {
  Evidence evidence = OnH200();
  evidence.digests[0].dw = "0000000000000000";
  EXPECT_THAT(
      CheckDigests(evidence, PlanOf("bwd_res_dual_h512_t256_w2_slab16_fma64"), "h", 2).findings,
      SizeIs(1));
}

TEST(CheckDigestsTest, ProgramsThatNoWindowNamesAreNotRun) {
  Evidence evidence = OnH200();
  evidence.digests[0].dw = "0000000000000000";
  EXPECT_THAT(CheckDigests(evidence, PlanOf("bwd_gone"), "h200_132.h", 2).findings, IsEmpty());
}

TEST(CheckDigestsTest, WithoutDigestsThereIsAWarning) {
  const auto findings = CheckDigests(Evidence(), PlanOf(kProgram), "h200_132.h", 2).findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
}

TEST(CheckDigestsTest, EveryRowCountIsRepeatedUpToTheSizeAskedFor) {
  Evidence evidence = OnH200();
  evidence.digests.push_back(Record(128, "0000000000000000"));
  evidence.digests.push_back(Record(65536, "0000000000000000"));
  const DigestCheck few = CheckDigests(evidence, PlanOf(kProgram), "h200_132.h", 2);
  ASSERT_THAT(few.findings, SizeIs(1));
  EXPECT_THAT(few.findings[0].message, HasSubstr("at 128 rows"));
  EXPECT_EQ(few.repeated, 3);
  EXPECT_EQ(few.left, 1);
  const DigestCheck none = CheckDigests(evidence, PlanOf(kProgram), "h200_132.h", 2, 511);
  EXPECT_EQ(none.repeated, 0);
  EXPECT_EQ(none.left, 4);
}

ManifestBoard ReleasedOf(std::string_view program, std::string_view dw) {
  ManifestBoard board;
  board.board = "h200_132";
  board.protocol = kProtocolVersion;
  board.dw_digests[std::string(program)][256] = dw;
  return board;
}

TEST(CheckDigestsTest, AReleaseIsHeldToTheBitsItWasMadeWith) {
  const DigestCheck same =
      CheckDigests(ReleasedOf(kProgram, "74302ba518a5dbeb"), PlanOf(kProgram), "m.json", 2);
  EXPECT_THAT(same.findings, IsEmpty());
  EXPECT_EQ(same.repeated, 1);
  const DigestCheck other =
      CheckDigests(ReleasedOf(kProgram, "74302ba518a5dbec"), PlanOf(kProgram), "m.json", 2);
  ASSERT_THAT(other.findings, SizeIs(1));
  EXPECT_THAT(ToString(other.findings[0]), HasSubstr("74302ba518a5dbec in the release: bring"));
}

TEST(CheckDigestsTest, WhatThisBuildCannotRepeatOfAReleaseIsAWarning) {
  ManifestBoard board = ReleasedOf("bwd_gone", "74302ba518a5dbeb");
  auto findings = CheckDigests(board, PlanOf("bwd_gone"), "m.json", 2).findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_THAT(findings[0].message, HasSubstr("bwd_gone, which h200_132 was released with"));
  board.protocol = 0;
  findings = CheckDigests(board, PlanOf("bwd_gone"), "m.json", 2).findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_THAT(findings[0].message, HasSubstr("no dw digests of h200_132 by protocol"));
}

TEST(CheckDigestsTest, ARoutedProgramWithoutADigestInTheReleaseIsAWarning) {
  ManifestBoard board = ReleasedOf(kProgram, "74302ba518a5dbeb");
  board.dw_digests.clear();
  const auto findings = CheckDigests(board, PlanOf(kProgram), "m.json", 2).findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].message,
              HasSubstr("h200_132 has no dw digest of " + std::string(kProgram)));
}

}  // namespace
}  // namespace fenestra
