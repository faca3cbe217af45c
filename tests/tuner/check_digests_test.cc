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
  EXPECT_THAT(CheckDigests(OnH200(), PlanOf(kProgram), "h200_132.h", 2), IsEmpty());
}

TEST(CheckDigestsTest, ChangedArithmeticIsNamed) {
  Evidence evidence = OnH200();
  evidence.digests[1].dw = "74302ba518a5dbec";
  const auto findings = CheckDigests(evidence, PlanOf(kProgram), "h200_132.h", 2);
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
  EXPECT_THAT(CheckDigests(evidence, PlanOf("bwd_res_dual_h512_t256_w2_slab16_fma64"), "h", 2),
              SizeIs(1));
}

TEST(CheckDigestsTest, ProgramsThatNoWindowNamesAreNotRun) {
  Evidence evidence = OnH200();
  evidence.digests[0].dw = "0000000000000000";
  EXPECT_THAT(CheckDigests(evidence, PlanOf("bwd_gone"), "h200_132.h", 2), IsEmpty());
}

TEST(CheckDigestsTest, WithoutDigestsThereIsAWarning) {
  const auto findings = CheckDigests({}, PlanOf(kProgram), "h200_132.h", 2);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
}

}  // namespace
}  // namespace fenestra
