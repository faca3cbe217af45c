// `fenestra report` through the built command; the page itself is looked at by tests/report/run.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/pipeline.h"

namespace fenestra::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportCommand : public Pipeline {
 protected:
  nlohmann::json Report(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"report", "--out", "r.html"});
    return Json(words);
  }

  // The data of the page.
  nlohmann::json Data() const {
    const std::string page = ReadText(File("r.html"));
    const std::string open = "id=\"data\">";
    const std::size_t begin = page.find(open) + open.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  std::vector<std::string> Doubts() const {
    std::vector<std::string> kinds;
    const nlohmann::json data = Data();
    for (const auto& doubt : data.at("boards")[0].at("doubts")) kinds.push_back(doubt.at("kind"));
    return kinds;
  }
};

TEST_F(ReportCommand, ShowsTheStoredPlanAndItsEvidence) {
  MakePlan();
  const auto written = Report();
  EXPECT_EQ(written.at("report"), "r.html");
  EXPECT_EQ(written.at("bytes"), std::filesystem::file_size(File("r.html")));
  EXPECT_EQ(written.at("boards")[0].at("plan"), "plan 1");
  const auto board = Data().at("boards").at(0);
  EXPECT_EQ(board.at("name"), "h200_132");
  const auto& route = board.at("routes").at(0);
  EXPECT_EQ(route.at("name"), "bwd_w16_h4096");
  EXPECT_EQ(route.at("times")[0].at("rows"), nlohmann::json({1, 64, 128, 4096}));
  EXPECT_EQ(route.at("times")[0].at("stream_ns"), nlohmann::json({1500, 2000, 4000, 40000}));
  EXPECT_EQ(route.at("windows")[0].at("program"), test::kDual);
  EXPECT_EQ(route.at("windows")[1].at("program"), test::kFma);
  EXPECT_THAT(Doubts(), Not(::testing::Contains("plan out of date")));
  EXPECT_FALSE(Data().at("history").empty());
}

TEST_F(ReportCommand, IsTheSameBytesAndNamesNoFolder) {
  MakePlan();
  Report();
  const std::string first = ReadText(File("r.html"));
  Report();
  EXPECT_EQ(ReadText(File("r.html")), first);
  EXPECT_THAT(first, Not(HasSubstr(folder_.path())));
}

TEST_F(ReportCommand, ChoosesWindowsWhereNoPlanIsStored) {
  Import();
  EXPECT_EQ(Report().at("boards")[0].at("plan"), "chosen here");
  EXPECT_EQ(Data().at("boards")[0].at("routes")[0].at("windows")[0].at("program"), test::kDual);
  EXPECT_THAT(Doubts(), ::testing::Contains("no stored plan"));
}

TEST_F(ReportCommand, SaysWhyARouteHasNoWindows) {
  Evidence evidence = TwoWindowEvidence();
  for (AccuracyRecord& record : evidence.accuracy) record.worst = 0.9;
  Dump(evidence, File("wrong"));
  Import("wrong");
  EXPECT_EQ(Report().at("boards")[0].at("windows"), 0);
  const auto route = Data().at("boards")[0].at("routes").at(0);
  EXPECT_THAT(route.at("no_plan").get<std::string>(), HasSubstr("no program of bwd_w16_h4096"));
  EXPECT_FALSE(route.at("times").empty());
  EXPECT_THAT(Doubts(), ::testing::Contains("no windows"));
}

TEST_F(ReportCommand, SaysThatAPlanIsOutOfDate) {
  MakePlan();
  test::EvidenceBuilder more;
  more.Flat(test::kTwo, {1, 64, 128, 4096}, 0.0006);
  Dump(Complete(std::move(more.evidence)), File("more"));
  Import("more");
  Report();
  EXPECT_THAT(Doubts(), ::testing::Contains("plan out of date"));
}

TEST_F(ReportCommand, SaysThatTimesAreBorrowed) {
  Evidence evidence = TwoWindowEvidence();
  Evidence other = TwoWindowEvidence();
  other.times.clear();
  for (AccuracyRecord& record : other.accuracy) record.key.board = "b200_148";
  Dump(other, File("other"));
  Import();
  Import("other");
  Json({"plan", "--board", "b200_148"});
  Report({"--board", "b200_148"});
  const auto board = Data().at("boards").at(0);
  EXPECT_EQ(board.at("name"), "b200_148");
  EXPECT_EQ(board.at("routes")[0].at("timed_on"), "h200_132");
  EXPECT_THAT(Doubts(),
              AllOf(::testing::Contains("borrowed"), Not(::testing::Contains("plan out of date"))));
}

TEST_F(ReportCommand, RefusesInOneLine) {
  ExpectRefused({"report"}, "no such file");
  Import();
  ExpectRefused({"report", "--board", "b200_148"}, "no evidence of b200_148");
  ExpectRefused({"report", "--board", "h200"}, "h200_132");
  ExpectRefused({"report", "--routes", "x"}, "no route matches 'x'");
  ExpectRefused({"report", "--out", "none/r.html"}, "check that the folder exists");
  EXPECT_FALSE(std::filesystem::exists(File("fenestra-report.html")));
}

}  // namespace
}  // namespace fenestra::testing
