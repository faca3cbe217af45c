#include "export/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "export/report_html.h"
#include "tests/export/plan_fixture.h"

namespace fenestra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr const char* kHostile = "</script><script>alert(1)</script><!-- & \" ' \xe2\x80\xa8 \xff";

Report FixtureReport() {
  ReportBoard board;
  board.name = "gb300_152";
  board.margin = 0.25;
  board.plan_name = "plan 3";
  board.evidence = "0123456789abcdef";
  board.environments = {test::FixtureEnvironment()};
  board.environments[0].gpu = kHostile;
  for (RoutePlan& plan : test::FixturePlan().routes) {
    ReportRoute& route = board.routes.emplace_back();
    route.route = plan.route;
    route.timed_on = board.name;
    for (const PlannedWindow& planned : plan.windows) {
      route.programs.push_back({planned.program, ""});
    }
    route.plan = plan;
  }
  board.routes[0].plan->windows[0].reason = kHostile;
  board.routes[1].times = {
      {View::kRows, {1, 512}, {900, 1000}, {{0, 1000}, {0, 0}, {0, 0}, {0, 0}}}};
  board.errors = {{4096,
                   {{std::string(test::kFma), {{65536, 0.00061, Family::kCancel, 12, 7, 60}}},
                    {"eager", {{65536, 1.0 / 0.0, Family::kNormal, 1, 2, 60}}}}}};
  board.doubts = {{DoubtKind::kFailure, "512", kHostile, kHostile, "", {test::kBackward4096}}};
  Report report;
  report.boards = {board};
  HistoryEntry entry;
  entry.source = kHostile;
  entry.arch = Arch::kSm103a;
  entry.routes = {test::kBackward4096};
  entry.after = 49152;
  report.history = {entry};
  return report;
}

TEST(ReportTest, DataIsWhatTheBoardHolds) {
  const Json data = Json::parse(ReportJson(FixtureReport()));
  const Json& board = data.at("boards").at(0);
  EXPECT_EQ(board.at("product"), "NVIDIA GB300");
  EXPECT_EQ(board.at("sm_count"), 152);
  const Json& route = board.at("routes").at(1);
  EXPECT_EQ(route.at("name"), "bwd_w16_h4096");
  EXPECT_EQ(route.at("qualified_rows"), 65537);
  EXPECT_EQ(route.at("windows").size(), 4);
  EXPECT_EQ(route.at("windows")[2].at("lo"), 49152);
  EXPECT_EQ(route.at("windows")[2].at("accuracy"), "stood_in");
  EXPECT_EQ(route.at("in_place").size(), 3);
  EXPECT_TRUE(board.at("routes")[2].at("in_place").is_null()) << "the same windows, one copy";
  EXPECT_EQ(route.at("times")[0].at("program_ns")[0], Json({0, 1000}));
  const Json& errors = board.at("errors").at("4096");
  EXPECT_EQ(errors[0].at("worst"), Json({0.00061}));
  EXPECT_EQ(data.at("families")[errors[0].at("family")[0].get<int>()], "cancel");
  EXPECT_EQ(errors[1].at("worst"), Json({"inf"}));
  EXPECT_EQ(board.at("doubts")[0].at("kind"), "failed measurement");
  EXPECT_EQ(data.at("history")[0].at("after"), 49152);
}

TEST(ReportTest, WhatADatabaseHoldsCannotLeaveItsPlaceInThePage) {
  if (!HasReportPage()) GTEST_SKIP() << "built without Chart.js";
  const std::string page = ReportHtml(FixtureReport());
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
  EXPECT_THAT(page, HasSubstr("\\u2028"));
  EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xa8")));
  // The page's own: style, data, library, script.
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 3U);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(page, HasSubstr("<title>Fenestra report: gb300_152</title>"));
  EXPECT_THAT(page, HasSubstr(std::string(ReportLibrary())));
}

TEST(ReportTest, SameReportSameBytes) {
  if (!HasReportPage()) GTEST_SKIP() << "built without Chart.js";
  EXPECT_EQ(ReportHtml(FixtureReport()), ReportHtml(FixtureReport()));
}

TEST(ReportTest, HtmlTextIsEscaped) {
  EXPECT_EQ(EscapeHtml("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
  EXPECT_EQ(EscapeJsonForScript("{\"a\":\"<!--&-->\"}"), "{\"a\":\"\\u003c!--\\u0026--\\u003e\"}");
}

TEST(ReportTest, DoubtsThatDifferInRoutesAloneAreOne) {
  const ReportDoubt top{DoubtKind::kUnqualified, "(64, max]", "", "nothing is sampled", "", {}};
  ReportDoubt first = top;
  first.routes = {test::kForward256};
  ReportDoubt second = top;
  second.routes = {test::kBackward4096};
  ReportDoubt other = top;
  other.rows = "(65, max]";
  const ReportDoubt graver{DoubtKind::kFailure, "", "", "", "", {}};
  std::vector<ReportDoubt> doubts{second, other, first, graver, second};
  MergeDoubts(&doubts);
  ASSERT_EQ(doubts.size(), 3U);
  EXPECT_EQ(doubts[0].kind, DoubtKind::kFailure);
  EXPECT_THAT(doubts[1].routes, ElementsAre(test::kForward256, test::kBackward4096));
  EXPECT_EQ(doubts[2].rows, "(65, max]");
}

TEST(ReportTest, KindsOfDoubtsReadBack) {
  for (int kind = 0; kind <= static_cast<int>(DoubtKind::kUnqualified); ++kind) {
    const std::string_view text = ToString(static_cast<DoubtKind>(kind));
    EXPECT_NE(text, "unknown");
    EXPECT_EQ(ParseDoubtKind(text), static_cast<DoubtKind>(kind));
  }
}

}  // namespace
}  // namespace fenestra
