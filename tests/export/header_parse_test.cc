#include "export/header_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/error.h"
#include "export/header.h"
#include "tests/export/plan_fixture.h"

namespace fenestra {
namespace {

using test::FixtureEnvironment;
using test::FixturePlan;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Text() {
  const Environment environment = FixtureEnvironment();
  return HeaderText(FixturePlan(), std::span(&environment, 1));
}

std::string Replace(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::vector<Window> Plain(const std::vector<PlannedWindow>& planned) {
  std::vector<Window> windows;
  for (const PlannedWindow& one : planned) windows.push_back(one.window);
  return windows;
}

std::vector<Window> Plain(const std::vector<ParsedWindow>& parsed) {
  std::vector<Window> windows;
  for (const ParsedWindow& one : parsed) windows.push_back(one.window);
  return windows;
}

TEST(ParseHeaderTest, GivesBackThePlan) {
  const Plan plan = FixturePlan();
  const ParsedHeader header = ParseHeader(Text(), "gb300_152.h");
  EXPECT_EQ(header.banner_board, "gb300_152");
  EXPECT_EQ(header.constant_board, "gb300_152");
  EXPECT_EQ(header.code_board, "gb300_152");
  EXPECT_EQ(header.banner_evidence, plan.evidence);
  EXPECT_EQ(header.code_evidence, plan.evidence);
  EXPECT_EQ(header.banner_margin, 0.25);
  EXPECT_EQ(header.code_margin, 0.25);
  EXPECT_EQ(header.code_protocol, kProtocolVersion);
  Waiver waiver = plan.waivers.at(0);
  waiver.reason = "few inputs near the edge";  // a comment has no line breaks of its own
  EXPECT_THAT(header.banner_waivers, ElementsAre(waiver));
  EXPECT_THAT(header.environments, ElementsAre("00000000000000e1"));
  ASSERT_EQ(header.routes.size(), plan.routes.size());
  for (std::size_t i = 0; i < plan.routes.size(); ++i) {
    EXPECT_EQ(header.routes[i].route, plan.routes[i].route);
    EXPECT_EQ(Plain(header.routes[i].windows), Plain(plan.routes[i].windows));
    EXPECT_EQ(Plain(header.routes[i].in_place), Plain(plan.routes[i].in_place));
  }
  EXPECT_EQ(header.routes[0].windows[0].program, test::kWide256);
}

struct Tampering {
  const char* from;
  const char* to;
  const char* message;
};

TEST(ParseHeaderTest, RefusesAnyOtherLine) {
  const Tampering cases[] = {
      {"namespace fenestra::windows {", "namespace fenestra {", "expected 'namespace"},
      {"#include \"kernels", "#include \"other/kernels", "expected '#include"},
      {" rows to 0.4:", " rows to half:", "expected waivers as"},
      {"kSpeed, ", "kQuick, ", "expected a window"},
      {"kStoodIn}", "kGuessed}", "expected a window"},
      {".dx = kSame", ".dz = kSame", "expected a window"},
      {"IsTotal(kGb300_152_fwd", "IsTotal(kGb300_152_bwd", "expected 'static_assert"},
      {"{{Pass::kForward, false", "{{Pass::kForward, true", "expected a row of the table"},
      {"static_assert(AreSound", "// static_assert(AreSound", "expected 'static_assert"},
      {"    .routes = kGb300_152_routes,\n", "", "expected '    .routes"},
      {"// evidence ", "// provence ", "expected 'evidence' in the banner"},
      {"}  // namespace fenestra::windows\n", "}  // namespace fenestra::windows\nint x;\n",
       "expected nothing after the end"},
  };
  for (const Tampering& tampering : cases) {
    try {
      ParseHeader(Replace(Text(), tampering.from, tampering.to), "gb300_152.h");
      ADD_FAILURE() << "accepted " << tampering.to;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(tampering.message)) << tampering.to;
      EXPECT_THAT(error.what(), testing::MatchesRegex("gb300_152.h:[0-9]+: .*fenestra export.*"));
    }
  }
}

TEST(ParseHeaderTest, RefusesEveryTruncation) {
  const std::string text = Text();
  for (std::size_t size = 0; size + 1 < text.size(); size += 97) {
    EXPECT_THROW(ParseHeader(text.substr(0, size), "x.h"), Error) << size;
  }
}

TEST(ParseHeaderTest, UnknownProgramIsKeptByName) {
  const ParsedHeader header = ParseHeader(
      Replace(Text(), "ProgramIndex(\"fwd_direct_h256", "ProgramIndex(\"fwd_h256"), "x");
  EXPECT_EQ(header.routes[0].windows[0].window.program, -1);
  EXPECT_THAT(header.routes[0].windows[0].program, testing::StartsWith("fwd_h256_t"));
}

}  // namespace
}  // namespace fenestra
