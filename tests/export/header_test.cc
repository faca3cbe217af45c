#include "export/header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/error.h"
#include "export/header_format.h"
#include "tests/export/plan_fixture.h"

namespace fenestra {
namespace {

using test::FixtureEnvironment;
using test::FixturePlan;
using testing::HasSubstr;
using testing::Not;

std::string Text(const Plan& plan) {
  const Environment environment = FixtureEnvironment();
  return HeaderText(plan, std::span(&environment, 1));
}

TEST(HeaderTest, TableOfWindows) {
  EXPECT_THAT(
      Text(FixturePlan()),
      HasSubstr(fmt::format(
          "// Qualified up to 65537 rows.\n"
          "inline constexpr Window kGb300_152_bwd_w32_h5120[] = {{\n"
          "    // not timed; smallest error\n"
          "    {{      0,    65537, ProgramIndex(\"{0}\"),{1} kStart,    {{}},{2} kNone,     "
          "kStoodIn}},\n"
          "    // unqualified\n"
          "    {{  65537, kMaxRows, ProgramIndex(\"{0}\"),{1} kTop,      {{}},{2} kNone,     "
          "kNone}},\n"
          "}};\n"
          "static_assert(IsTotal(kGb300_152_bwd_w32_h5120));\n",
          test::kTwo5120, std::string(test::kFold.size() - test::kTwo5120.size(), ' '),
          std::string(27, ' '))));
}

TEST(HeaderTest, TableOfRoutesSharesEqualTables) {
  EXPECT_THAT(Text(FixturePlan()),
              HasSubstr("Dtype::kFp32, 256, Determinism::kDeterministic}, kGb300_152_fwd_w32_h256, "
                        "kGb300_152_fwd_w32_h256},\n"));
  EXPECT_THAT(Text(FixturePlan()), HasSubstr("kGb300_152_bwd_w16_h4096, "
                                             "kGb300_152_bwd_w16_h4096_in_place},\n"));
  Plan plan = FixturePlan();
  plan.routes[0].in_place.clear();
  EXPECT_THAT(Text(plan), HasSubstr("kGb300_152_fwd_w32_h256, {}},\n"));
}

TEST(HeaderTest, BannerSaysWhatItRestsOn) {
  const std::string text = Text(FixturePlan());
  EXPECT_THAT(text, HasSubstr("// board        gb300_152 (NVIDIA GB300, 152 SMs, sm_103a)\n"));
  EXPECT_THAT(text, HasSubstr("// margin       0.25 of the budget\n"));
  EXPECT_THAT(text, HasSubstr("// evidence     0123456789abcdef\n"));
  EXPECT_THAT(text, HasSubstr("driver 580.159.04; toolkit 13.0"));
  EXPECT_THAT(text, HasSubstr("// time         not timed: bwd_w32_h5120\n"));
  EXPECT_THAT(text, HasSubstr("run elsewhere): every backward route\n"));
  EXPECT_THAT(text, HasSubstr("to 0.4:\n//              few inputs near the edge\n"));
}

TEST(HeaderTest, OnlyRowsOfTablesAreLongerThanAHundredColumns) {
  const std::string text = Text(FixturePlan());
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const bool long_row =
        line.find("ProgramIndex") != std::string_view::npos || line.starts_with("    {{Pass");
    EXPECT_TRUE(long_row || line.size() <= 100) << line;
  }
}

TEST(HeaderTest, RefusesWhatCannotCompile) {
  Plan gap = FixturePlan();
  gap.routes[0].windows[1].window.lo = 129;
  EXPECT_THROW(Text(gap), Error);
  Plan board = FixturePlan();
  board.board = "gb300_153";
  EXPECT_THROW(Text(board), Error);
  Plan environment = FixturePlan();
  environment.environments = {"00000000000000e2"};
  EXPECT_THROW(Text(environment), Error);
  Plan empty = FixturePlan();
  empty.routes.clear();
  EXPECT_THROW(Text(empty), Error);
}

TEST(HeaderTest, ReasonsCannotEscapeTheirComment) {
  Plan plan = FixturePlan();
  plan.routes[0].windows[0].reason = "a\n#error b \\";
  const std::string text = Text(plan);
  EXPECT_THAT(text, HasSubstr("    // a #error b\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n#error")));
}

TEST(HeaderFormatTest, NamesRoundTrip) {
  EXPECT_EQ(header::EnumeratorOf("stood_in"), "kStoodIn");
  EXPECT_EQ(header::NameOfEnumerator("kStoodIn"), "stood_in");
  EXPECT_EQ(header::BoardConstant("h200_132"), "kH200_132");
  EXPECT_EQ(header::BoardOfConstant("kH200_132"), "h200_132");
}

TEST(HeaderFormatTest, ContentDigestLeavesOutItsOwnLineOnly) {
  EXPECT_EQ(header::ContentDigest("a\n// content 1\nb\n"), header::ContentDigest("a\nb\n"));
  EXPECT_NE(header::ContentDigest("a\nb\n"), header::ContentDigest("a\nb"));
  // Published FNV-1a 64 of "a".
  EXPECT_EQ(header::ContentDigest("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace fenestra
