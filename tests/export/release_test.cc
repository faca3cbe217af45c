#include "export/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tuner/evidence_builder.h"
#include "tuner/choose.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kFma;
using test::kPlain;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSameDw = "00000000000000aa";
constexpr const char* kOtherDw = "00000000000000bb";

void AddDigest(std::string_view program, std::int64_t rows, const char* dw, Evidence* evidence) {
  DigestRecord record;
  record.key.board = std::string(kBoard);
  record.key.width = kBackward.width;
  record.key.rows = rows;
  record.key.program = std::string(program);
  record.dw = dw;
  evidence->digests.push_back(record);
}

// Plain is the faster up to the row count at which it leaves the margin.
ReleasedBoard Released(double margin) {
  EvidenceBuilder built;
  built.evidence.environments[0] = WithId(built.evidence.environments[0]);
  const std::string& id = built.evidence.environments[0].id;
  built.Flat("eager", {64, 128, 256, 512}, 0.9).Flat(kFma, {64, 128, 256, 512}, 0.001);
  built.Error(kPlain, {{64, 0.01}, {128, 0.02}, {256, 0.1}, {512, 0.2}});
  built.Time(kPlain, {{64, 100}, {128, 200}, {256, 400}, {512, 800}});
  built.Time(kFma, {{64, 110}, {128, 230}, {256, 480}, {512, 1000}});
  for (std::int64_t rows : {64, 128, 256, 512}) {
    AddDigest(kFma, rows, kSameDw, &built.evidence);
    AddDigest(kPlain, rows, rows == 512 ? kOtherDw : kSameDw, &built.evidence);
  }
  for (auto& record : built.evidence.times) record.key.environment = id;
  for (auto& record : built.evidence.accuracy) record.environment = id;
  ChooseOptions options;
  options.board = kBoard;
  options.margin = margin;
  return {Choose(built.evidence, options), built.evidence};
}

ParsedHeader HeaderOf(const ReleasedBoard& board) {
  return ParseHeader(board.header, "h200_132.h");
}

TEST(Release, ManifestNamesWhatTheWindowsRestOn) {
  const std::vector<ReleasedBoard> boards{Released(0.25)};
  const std::string text = ManifestText("1.0", boards);
  EXPECT_EQ(text, ManifestText("1.0", boards)) << "repeated, the same bytes";
  const auto manifest = nlohmann::json::parse(text);
  EXPECT_EQ(manifest.at("release"), "1.0");
  const auto& board = manifest.at("boards").at(0);
  EXPECT_EQ(board.at("board"), kBoard);
  EXPECT_EQ(board.at("sm_count"), 132);
  EXPECT_EQ(board.at("evidence_digest"), boards[0].plan.evidence);
  EXPECT_EQ(board.at("environments").size(), 1);
  EXPECT_EQ(board.at("environments")[0].at("gpu"), "NVIDIA H200");
  int windows = 0;
  for (const auto& [basis, count] : board.at("time").items()) windows += count.get<int>();
  EXPECT_EQ(windows, board.at("windows").get<int>());
  EXPECT_THAT(board.at("programs").dump(), HasSubstr(std::string(kPlain)));
  EXPECT_THAT(manifest.at("boards_without_windows").dump(), HasSubstr("b200_148"));
  EXPECT_THAT(manifest.at("boards_without_windows").dump(), Not(HasSubstr("h200_132")));
}

TEST(Release, ChangesAreThoseOfMovedWindows) {
  const ReleasedBoard before = Released(0.25);  // plain throughout
  const ReleasedBoard after = Released(0.05);   // plain up to 128 rows
  const std::vector<RouteChange> changes = ChangesOf(HeaderOf(before), after.plan);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].route, kBackward);
  EXPECT_GE(changes[0].lo, 128);
  EXPECT_LT(changes[0].lo, 256);
  EXPECT_EQ(changes[0].before, kPlain);
  EXPECT_EQ(changes[0].after, kFma);
  EXPECT_TRUE(ChangesOf(HeaderOf(before), before.plan).empty());
  // Both ways: what moved there moves back.
  const std::vector<RouteChange> back = ChangesOf(HeaderOf(after), before.plan);
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].lo, changes[0].lo);
  EXPECT_EQ(back[0].hi, changes[0].hi);
}

TEST(Release, ChangesOfCallsInPlaceAloneAreMarked) {
  const ReleasedBoard before = Released(0.25);
  Plan plan = before.plan;
  plan.routes[0].in_place = Released(0.05).plan.routes[0].windows;
  ASSERT_NE(plan.routes[0].in_place, before.plan.routes[0].in_place);
  const std::vector<RouteChange> changes = ChangesOf(HeaderOf(before), plan);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(changes[0].in_place);
  EXPECT_EQ(changes[0].before, kPlain);
  EXPECT_EQ(changes[0].after, kFma);
  const std::vector<ReleasedBoard> after{{plan, before.evidence}};
  const std::string text = ChangesText("1.1", "1.0", std::vector{HeaderOf(before)}, after);
  EXPECT_THAT(text, HasSubstr("| " + ToString(kBackward) + " in place | ")) << text;
  EXPECT_THAT(text, Not(HasSubstr("Every call runs what it ran before.")));
  // A change of both is said once.
  const std::vector<RouteChange> both = ChangesOf(HeaderOf(before), Released(0.05).plan);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_FALSE(both[0].in_place);
}

TEST(Release, ChangesSayWhatTheyCostAndWhichBitsMove) {
  const ReleasedBoard before = Released(0.25);
  const std::vector<ReleasedBoard> after{Released(0.05)};
  const std::vector<ParsedHeader> headers{HeaderOf(before)};
  const std::string text = ChangesText("1.1", "1.0", headers, after);
  EXPECT_THAT(text, HasSubstr("# 1.1 against 1.0"));
  EXPECT_THAT(text, HasSubstr("1.200 to 1.250 at 2 row counts")) << text;  // 480/400 and 1000/800
  EXPECT_THAT(text, HasSubstr("differ at 512")) << text;
  EXPECT_THAT(ChangesText("1.1", "1.0", headers, std::vector{before}),
              HasSubstr("Every call runs what it ran before."));
  EXPECT_THAT(ChangesText("1.0", "", {}, after), HasSubstr("The first release."));
  EXPECT_THAT(ChangesText("1.1", "1.0", headers, {}), HasSubstr("Gone."));
}

}  // namespace
}  // namespace fenestra
