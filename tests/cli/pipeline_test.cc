// Text evidence to windows and back through the built command: import, plan, export, check, dump.
#include "tests/cli/pipeline.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fenestra::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Pipeline, ImportCountsRecords) {
  const auto counts = Import();
  EXPECT_EQ(counts.at("environments"), 1);
  EXPECT_EQ(counts.at("times"), 12);            // 3 programs at 4 row counts
  EXPECT_EQ(counts.at("accuracy"), 3 * 4 * 3);  // in 3 families
  EXPECT_TRUE(std::filesystem::exists(File("fenestra.db")));
}

TEST_F(Pipeline, PlanFindsTheHandMadeWindows) {
  Import();
  const auto plan = Json({"plan", "--board", "h200_132"});
  EXPECT_EQ(plan.at("stored"), true);
  const auto& routes = plan.at("routes");
  const auto route = std::find_if(routes.begin(), routes.end(), [](const auto& one) {
    return one.at("route") == "bwd_w16_h4096";
  });
  ASSERT_NE(route, routes.end());
  const auto& windows = route->at("windows");
  ASSERT_GE(windows.size(), 2);
  EXPECT_EQ(windows[0].at("program"), test::kDual);
  EXPECT_GE(windows[0].at("hi"), 64);
  EXPECT_LT(windows[0].at("hi"), 128);
  EXPECT_EQ(windows[1].at("program"), test::kFma);
  EXPECT_EQ(windows[1].at("edge"), "speed");
  for (const auto& window : route->at("in_place")) EXPECT_EQ(window.at("program"), test::kFma);
}

TEST_F(Pipeline, PlanOfSomeRoutesIsNotStored) {
  Import();
  const auto plan = Json({"plan", "--board", "h200_132", "--routes", "bwd_w16_h4096"});
  EXPECT_EQ(plan.at("stored"), false);
  ExpectRefused({"export", "--board", "h200_132", "--out", "windows"}, "no plan of h200_132");
}

TEST_F(Pipeline, AutoIsTheOnlyBoardInTheDatabaseWhereThereIsNoGpu) {
  Import();
  for (const auto& check : Json({"doctor"}).at("checks")) {
    if (check.at("what") == "GPU" && check.at("ok")) GTEST_SKIP() << "a GPU is here";
  }
  EXPECT_EQ(Json({"plan"}).at("board"), "h200_132");
}

TEST_F(Pipeline, ExportedHeaderPassesTheCheck) {
  MakePlan();
  const auto exported = Json({"export", "--board", "h200_132", "--out", "windows"});
  EXPECT_EQ(exported.at("header"), "windows/h200_132.h");
  EXPECT_THAT(ReadText(File("windows/h200_132.h")),
              AllOf(HasSubstr(std::string(test::kDual)), Not(HasSubstr(folder_.path()))));
  const auto checked = Json({"check", "--board", "h200_132", "--out", "windows"});
  EXPECT_EQ(checked.at("ok"), true);
}

TEST_F(Pipeline, CheckExitsOneOnAHandEditedHeader) {
  MakePlan();
  Json({"export", "--board", "h200_132", "--out", "windows"});
  std::ofstream(File("windows/h200_132.h"), std::ios::app) << "// mine\n";
  const ProcessResult result = Fenestra({"check", "--board", "h200_132", "--out", "windows"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("edited by hand"), HasSubstr("do not belong together")));
}

TEST_F(Pipeline, CheckOfSomeRoutesSaysNothingOfTheOthers) {
  MakePlan();
  Json({"export", "--board", "h200_132", "--out", "windows"});
  for (const std::string routes : {"bwd_w16_h4096", "bwd_w32_h4096", "*"}) {
    const auto checked =
        Json({"check", "--board", "h200_132", "--out", "windows", "--routes", routes});
    EXPECT_EQ(checked.at("ok"), true) << routes << checked.dump(2);
  }
}

TEST_F(Pipeline, CheckNamesAHeaderThatCannotBeReadOnce) {
  MakePlan();
  Json({"plan", "--board", "h200_132", "--margin", "0.2"});
  Json({"export", "--board", "h200_132", "--out", "windows"});
  std::string text = ReadText(File("windows/h200_132.h"));
  text.replace(text.find("kStart"), 6, "kBegin");
  std::ofstream(File("windows/h200_132.h"), std::ios::binary) << text;
  Import("evidence", "other.db");  // no plan, whose margin would be at hand
  const ProcessResult result =
      Fenestra({"check", "--board", "h200_132", "--out", "windows", "--db", "other.db"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, ::testing::ContainsRegex("windows/h200_132.h:[0-9]+: error: expected"));
  EXPECT_THAT(result.out, Not(HasSubstr("--margin")));
}

TEST_F(Pipeline, ImportNamesTheFileThatDisagreesWithWhatIsStored) {
  Import();
  const std::string db = ReadText(File("fenestra.db"));
  Evidence other = TwoWindowEvidence();
  other.environments[0].driver = "590.1";
  other = Complete(std::move(other));
  other.accuracy[0].worst = 0.2;
  Dump(other, File("other"));
  std::vector<std::string> words{"import"};
  for (const std::string& file : TextFiles(File("other"))) words.push_back(file);
  ExpectRefused(words, "/other/h200_132.tsv:", 1);
  ExpectRefused(words, " in environment " + other.environments[0].id, 1);
  ExpectRefused(words, " in environment " + TwoWindowEvidence().environments[0].id, 1);
  EXPECT_EQ(ReadText(File("fenestra.db")), db);
}

TEST_F(Pipeline, CheckExitsOneOnOtherEvidence) {
  MakePlan();
  Json({"export", "--board", "h200_132", "--out", "windows"});
  Evidence other = TwoWindowEvidence();
  other.times[0].median_ns += 1;
  Dump(other, File("other"));
  Import("other", "other.db");
  const ProcessResult result =
      Fenestra({"check", "--board", "h200_132", "--out", "windows", "--db", "other.db"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("evidence"));
}

TEST_F(Pipeline, WaiverPassesTheMarginAndTheHeaderTellsOfIt) {
  Evidence evidence = TwoWindowEvidence();
  std::vector<AccuracyRecord> of_other_routes;  // which are not timed, and waive nothing
  for (AccuracyRecord& record : evidence.accuracy) {
    if (record.key.program == test::kFma) record.worst = 0.3;
    if (record.key.program == "eager") record.worst = 0.9;
    if (record.key.program != test::kDual) continue;
    of_other_routes.push_back(record);
    of_other_routes.back().key.program = test::kTwo;
  }
  evidence.accuracy.insert(evidence.accuracy.end(), of_other_routes.begin(), of_other_routes.end());
  Dump(evidence, File("evidence"));
  Import();
  ExpectRefused({"plan", "--board", "h200_132", "--waive", "bwd_w16_h4096 to 0.4"}, "--waive");
  const std::string waiver =
      "bwd_w16_h4096 " + std::string(test::kFma) + " up to 4096 rows to 0.4: asked for";
  Json({"plan", "--board", "h200_132", "--waive", waiver});
  Json({"export", "--board", "h200_132", "--out", "windows"});
  EXPECT_THAT(ReadText(File("windows/h200_132.h")), HasSubstr("waived to 0.4 up to 4096 rows"));
  // Elsewhere, from the text evidence and the header alone.
  Import("evidence", "other.db");
  const auto checked =
      Json({"check", "--board", "h200_132", "--out", "windows", "--db", "other.db"});
  EXPECT_EQ(checked.at("ok"), true) << checked.dump(2);
}

TEST_F(Pipeline, ExplainSaysWhatRunsAndWhy) {
  MakePlan();
  const auto all =
      Json({"explain", "--board", "h200_132", "--route", "bwd_w16_h4096", "--rows", "64"});
  EXPECT_EQ(all.at("window").at("program"), test::kDual);
  EXPECT_EQ(all.at("margin"), 0.25);
  EXPECT_TRUE(all.at("plan_stored"));
  EXPECT_GT(all.at("programs").size(), 2);
  EXPECT_EQ(all.at("element").at("program"), test::kDual);
  const auto one = Json({"explain", "--board", "h200_132", "--route", "bwd_w16_h4096", "--rows",
                         "64", "--program", std::string(test::kFma)});
  ASSERT_EQ(one.at("programs").size(), 1);
  EXPECT_EQ(one.at("programs")[0].at("routed"), false);
  EXPECT_FALSE(one.at("programs")[0].at("readings").empty());
  ExpectRefused({"explain", "--board", "h200_132", "--route", "bwd_w16_h4095", "--rows", "64"},
                "bwd_w16_h4095");
  ExpectRefused({"explain", "--board", "h200_132", "--route", "bwd_w16_h4096", "--rows", "0"},
                "--rows");
  ExpectRefused({"explain", "--board", "h200_132", "--route", "bwd_w16_h4096", "--rows", "64",
                 "--program", "bwd_dual"},
                "bwd_dual");
}

TEST_F(Pipeline, DumpGivesBackTheImportedBytes) {
  Import();
  Json({"dump", "--out", "again"});
  const std::vector<std::string> files = TextFiles(File("again"));
  ASSERT_EQ(files.size(), TextFiles(File("evidence")).size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(ReadText(files[i]), ReadText(TextFiles(File("evidence"))[i]));
  }
}

TEST_F(Pipeline, HistoryNeedsNoDatabaseAndFiltersByArch) {
  const auto all = Json({"history"}).at("entries");
  const auto some = Json({"history", "--arch", "sm_100a"}).at("entries");
  ExpectRefused({"history", "--only", "edges"}, "did you mean 'edge'?");
  ExpectRefused({"history", "--routes", "nothing"}, "--routes: no route matches 'nothing'");
  EXPECT_FALSE(Json({"history", "--routes", "bwd_w32_h5120_nd"}).at("entries").empty());
  ExpectRefused({"history", "--to", "8.2"}, "--to '8.2': no such source");
  ExpectRefused({"history", "--from", "plan 1"}, "--from 'plan 1': no such source");
  EXPECT_GT(all.size(), some.size());
  ASSERT_FALSE(some.empty());
  for (const auto& entry : some) EXPECT_EQ(entry.at("arch"), "sm_100a");
  // The edge that #8293 moved on B200.
  EXPECT_EQ(some[0].at("before"), 52736);
  EXPECT_EQ(some[0].at("after"), 44032);
}

TEST_F(Pipeline, ADumpReplacesNoFileThatHoldsWhatTheDatabaseLacks) {
  Import();
  Json({"dump", "--out", "evidence"});
  const std::string name = "evidence/h200_132_bwd.tsv";
  std::string text = ReadText(File(name));
  ASSERT_TRUE(std::filesystem::exists(File("evidence/h200_132.tsv")));
  Dump(Complete(test::EvidenceBuilder().Time(test::kFma, {{1, 4000}}).evidence), File("less"));
  Json({"import", "less/h200_132_bwd.tsv", "--db", "less.db"});
  ExpectRefused({"dump", "--out", "evidence", "--db", "less.db"}, "of its records are not in");
  EXPECT_EQ(ReadText(File(name)), text);
}

TEST_F(Pipeline, ReadingCommandsMakeNoDatabase) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"plan"},
                                             {"export", "--out", "windows"},
                                             {"check"},
                                             {"dump", "--out", "x"},
                                             {"history", "--db", "none.db"}}) {
    ExpectRefused(words, "no such file");
  }
  EXPECT_FALSE(std::filesystem::exists(File("fenestra.db")));
  EXPECT_FALSE(std::filesystem::exists(File("none.db")));
}

TEST_F(Pipeline, BadValuesAreNamed) {
  Import();
  ExpectRefused({"plan", "--board", "h200_123"}, "did you mean 'h200_132'?");
  ExpectRefused({"plan", "--board", "b200_148"}, "no evidence of b200_148");
  ExpectRefused({"plan", "--board", "h200_132", "--margin", "two"}, "--margin");
  ExpectRefused({"plan", "--board", "h200_132", "--routes", "bwd_w32_h4096,bwd_w32_h4095"},
                "no route matches 'bwd_w32_h4095'");
  ExpectRefused({"export", "--board", "h200_132", "--out", "w", "--routes", "bwd_*"}, "--routes");
  std::filesystem::create_directory(File("folder.db"));
  ExpectRefused({"plan", "--board", "h200_132", "--db", "folder.db"}, "it is no plain file");
  ExpectRefused({"sweep", "--board", "h200_132", "--only", "edges", "--routes", "bwd_w32_h256",
                 "--at", std::string(test::kFma) + "@64"},
                "--routes leaves its width out");
  ExpectRefused({"sweep", "--board", "h200_132", "--only", "edges", "--max-rows", "4", "--at",
                 std::string(test::kFma) + "@64"},
                "--max-rows leaves it out");
  ExpectRefused({"plan", "--board", "h200_132", "--margin", "7"},
                "'7' is not a fraction of the budget");
  for (const char* margin : {"5", "-3", "0", "nan"}) {
    ExpectRefused({"sweep", "--board", "h200_132", "--margin", margin},
                  "not a fraction of the bud");
    ExpectRefused(
        {"edges", "--board", "h200_132", "--margin", margin == std::string("5") ? "1e9" : margin},
        "not a fraction of the budget");
  }
  ExpectRefused({"sweep", "--board", "h200_132", "--noise", "1"}, "from 0 to below 1");
  ExpectRefused({"sweep", "--board", "h200_132", "--budget", "-1s"}, "the time must be above 0");
  ExpectRefused({"sweep", "--board", "h200_132", "--max-rows", "x"}, "'x' is not a whole number");
  ExpectRefused({"explain", "--board", "h200_132", "--route", "bwd_w16_h512", "--rows", "0"},
                "'0' is not a whole number from 1");
  ExpectRefused({"edges", "--board", "h200_132", "--routes", "fwd_*"}, "have no dw");
  EXPECT_THAT(Fenestra({"plan", "--board", "h200_132", "--margin", "0.2"}).out,
              ::testing::HasSubstr("not classed: 'fenestra sweep --board h200_132 --only accuracy "
                                   "--margin 0.2 --noise 0.014'"));
  ExpectRefused({"history", "--arch", "sm_90"}, "did you mean 'sm_90a'?");
  ExpectRefused({"import"}, "FILE is required");
  ExpectRefused({"export", "--board", "h200_132"}, "--out is required");
}

TEST_F(Pipeline, UnwritableAndDamagedDatabasesAreRefused) {
  ExpectRefused({"import", TextFiles(File("evidence")).at(0), "--db", "/nonexistent/fenestra.db"},
                "/nonexistent/fenestra.db");
  const std::string damaged = folder_.Write("damaged.db", "SQLite format 3 but not quite");
  ExpectRefused({"import", TextFiles(File("evidence")).at(0), "--db", damaged}, "damaged.db");
  EXPECT_EQ(ReadText(damaged), "SQLite format 3 but not quite");
}

}  // namespace
}  // namespace fenestra::testing
