#include "export/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "accuracy/error.h"
#include "export/header.h"
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

Manifest Head(std::string_view previous) {
  return {.release = "1.0",
          .previous = std::string(previous),
          .date = "2026-11-30",
          .changes = kSameDw,
          .boards = {}};
}

FrozenRelease Previous(const ReleasedBoard& board) {
  return {.headers = {HeaderOf(board)},
          .manifest = ParseManifest(ManifestText(Head("0.9"), std::span(&board, 1)), "m.json")};
}

TEST(Release, ManifestNamesWhatTheWindowsRestOn) {
  const std::vector<ReleasedBoard> boards{Released(0.25)};
  const std::string text = ManifestText(Head(""), boards);
  EXPECT_EQ(text, ManifestText(Head(""), boards)) << "repeated, the same bytes";
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
  const FrozenRelease previous = Previous(before);
  const std::string text = ChangesText("1.1", &previous, after);
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
  const FrozenRelease previous = Previous(before);
  const std::string text = ChangesText("1.1", &previous, after);
  EXPECT_THAT(text, HasSubstr("# 1.1 against 1.0"));
  EXPECT_THAT(text, HasSubstr("1.200 to 1.250 at 2 row counts")) << text;  // 480/400 and 1000/800
  EXPECT_THAT(text, HasSubstr("differ at 512")) << text;
  EXPECT_THAT(ChangesText("1.1", &previous, std::vector{before}),
              HasSubstr("Every call runs what it ran before."));
  EXPECT_THAT(ChangesText("1.0", nullptr, after), HasSubstr("The first release."));
  EXPECT_THAT(ChangesText("1.1", &previous, {}), HasSubstr("Gone."));
}

// The digest of a program's dw at a row count, in the evidence.
std::string& DwOf(std::string_view program, std::int64_t rows, ReleasedBoard* board) {
  for (DigestRecord& record : board->evidence.digests) {
    if (record.key.program == program && record.key.rows == rows) return record.dw;
  }
  throw std::logic_error("no such digest");
}

TEST(Release, ManifestHoldsTheDwDigestsOfRoutedPrograms) {
  const Manifest of_plain = Previous(Released(0.25)).manifest;
  ASSERT_NE(FindBoard(of_plain, kBoard), nullptr);
  const DwDigests& digests = FindBoard(of_plain, kBoard)->dw_digests;
  // Plain runs everywhere but above what was sampled, where FP64 does.
  EXPECT_EQ(digests.size(), 2U);
  EXPECT_EQ(digests.at(std::string(kPlain)),
            (std::map<std::int64_t, std::string>{
                {64, kSameDw}, {128, kSameDw}, {256, kSameDw}, {512, kOtherDw}}));
  EXPECT_EQ(FindBoard(of_plain, "b200_148"), nullptr);
}

TEST(Release, OtherBitsUnderTheSameNameAreTold) {
  ReleasedBoard now = Released(0.25);
  const FrozenRelease previous = Previous(now);
  EXPECT_THAT(ChangesText("1.1", &previous, std::vector{now}),
              HasSubstr("Programs of 1.0 give the bits of dw that they gave: 8 row counts of 2 "
                        "programs."));
  DwOf(kPlain, 128, &now) = kOtherDw;
  const std::string text = ChangesText("1.1", &previous, std::vector{now});
  EXPECT_THAT(text, HasSubstr("Every call runs what it ran before."));
  EXPECT_THAT(text, HasSubstr("`" + std::string(kPlain) +
                              "` gives other bits of dw than it gave, at 128\n"))
      << text;
  EXPECT_THAT(text, Not(HasSubstr("give the bits of dw that they gave")));
}

TEST(Release, OldBitsAreThoseThatWereReleased) {
  const ReleasedBoard before = Released(0.25);  // plain throughout
  const FrozenRelease previous = Previous(before);
  ReleasedBoard now = Released(0.05);  // FP64 from 256 rows on
  // As if plain summed otherwise by now: what calls got before is in the manifest alone.
  DwOf(kPlain, 256, &now) = kOtherDw;
  DwOf(kPlain, 512, &now) = kSameDw;
  EXPECT_THAT(ChangesText("1.1", &previous, std::vector{now}), HasSubstr("| differ at 512 |"));
}

TEST(Release, WithoutDigestsOfTheInputsOfNowNothingIsSaidOfBits) {
  const ReleasedBoard board = Released(0.25);
  FrozenRelease previous = Previous(board);
  previous.manifest.boards[0].protocol = 0;
  EXPECT_THAT(ChangesText("1.1", &previous, std::vector{board}),
              HasSubstr("is not told: the manifest of 1.0 holds no digests"));
}

TEST(Release, AHeaderTellsThePlanItIsFrom) {
  const ReleasedBoard board = Released(0.05);
  const Plan plan = PlanOf(HeaderOf(board));
  EXPECT_TRUE(plan.imported);
  EXPECT_EQ(HeaderText(plan, board.evidence.environments), board.header);
  EXPECT_EQ(plan.routes.at(0).qualified_rows, board.plan.routes.at(0).qualified_rows);
  EXPECT_EQ(plan.routes.at(0).windows.at(1).reason, board.plan.routes.at(0).windows.at(1).reason);
}

// What a text is refused with; "" where it is read.
std::string Refusal(const std::string& text) {
  try {
    (void)ParseManifest(text, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Release, AManifestIsReadStrictly) {
  const ReleasedBoard board = Released(0.25);
  const std::string sound = ManifestText(Head(""), std::span(&board, 1));
  const auto with = [&](const std::string& old, const std::string& text) {
    std::string other = sound;
    const std::size_t at = other.find(old);
    if (at == std::string::npos) throw std::logic_error("not there: " + old);
    return other.replace(at, old.size(), text);
  };
  EXPECT_EQ(Refusal(sound), "");
  EXPECT_EQ(Refusal(with("\"release\"", "\"releases\"")),
            "m.json: \"release\" is missing: take the release's own files from version control");
  EXPECT_THAT(Refusal(sound.substr(0, sound.size() / 2)), HasSubstr("m.json: no JSON at byte "));
  EXPECT_THAT(Refusal(with("\"manifest_version\": 3", "\"manifest_version\": 4")),
              HasSubstr("it is of version 4, this build reads up to 3"));
  EXPECT_THAT(Refusal(with("\"protocol\": 1", "\"protocol\": \"1\"")),
              HasSubstr("\"protocol\" has another type"));
  EXPECT_THAT(Refusal(with("\"512\"", "\"512 \"")), HasSubstr("not by row count"));
  EXPECT_THAT(Refusal(with("2026-11-30", "2026-11-31")), HasSubstr("\"date\" is no date"));
  EXPECT_THAT(Refusal(with(kSameDw, "aa")), HasSubstr("not 16 hex digits"));
  EXPECT_THAT(Refusal(with("\"previous\": \"\"", "\"previous\": \"1.0\"")),
              HasSubstr("it follows itself"));
  EXPECT_THAT(Refusal(with("--fmad=false", "--fmad=true")), HasSubstr("it was edited"));
  EXPECT_THAT(Refusal(with("\"2026-11-30\"", "\"2026-11-29\"")), HasSubstr("it was edited"));
  EXPECT_THAT(Refusal(with("\"protocol\": 1", "\"protocol\": 1e9999")), HasSubstr("out of range"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("\"manifest_version\" is missing"));
  // Names that would be quoted elsewhere.
  EXPECT_THAT(Refusal(with("\"board\": \"h200_132\"", "\"board\": \"h200\\f\"")),
              HasSubstr("is no name of a board"));
  EXPECT_THAT(Refusal(with("\"previous\": \"\"", "\"previous\": \"0\\n1\"")),
              HasSubstr("\"previous\" is no name"));
  EXPECT_THAT(Refusal(with("\"" + std::string(kFma) + "\": {", "\"a b\": {")),
              HasSubstr("dw digests are not by program"));
  // Version 1 had no digests.
  const std::string old =
      R"({"manifest_version": 1, "release": "0.1", "boards": [{"board": "h200_132",
          "header_digest": "00000000000000aa"}]})";
  EXPECT_EQ(Refusal(old), "");
  EXPECT_TRUE(ParseManifest(old, "m.json").boards.at(0).dw_digests.empty());
}

// What a manifest is refused with for the header of `board`; "" where it fits.
std::string MismatchOf(const std::string& manifest, const ReleasedBoard& board) {
  try {
    const Manifest read = ParseManifest(manifest, "m.json");
    RequireHeader(read.boards.at(0), HeaderOf(board), board.header, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Release, AManifestMustSayWhatItsHeaderSays) {
  const ReleasedBoard board = Released(0.05);
  // Forged ones, each with the digest that fits.
  using Json = nlohmann::ordered_json;
  const Json sound = Json::parse(ManifestText(Head(""), std::span(&board, 1)));
  EXPECT_EQ(MismatchOf(SealedManifest(sound), board), "");
  int facts = 0;
  for (const auto& [member, value] : sound.at("boards").at(0).items()) {
    if (member == "board" || member == "header_digest" || member == "dw_digests") continue;
    Json other = sound;
    other["boards"][0][member] = member == "protocol" ? Json(7) : Json({1});
    EXPECT_EQ(MismatchOf(SealedManifest(other), board),
              "m.json: \"" + member +
                  "\" of h200_132 is not what its header says: take the "
                  "release's own files from version control");
    other["boards"][0].erase(member);
    EXPECT_NE(MismatchOf(SealedManifest(other), board), "") << member;
    ++facts;
  }
  EXPECT_EQ(facts, 14);
  Json other = sound;
  other["boards"][0]["dw_digests"]["bwd_not_routed"]["1"] = kSameDw;
  EXPECT_THAT(MismatchOf(SealedManifest(other), board), HasSubstr("\"dw_digests\" of h200_132"));
  EXPECT_THAT(MismatchOf(SealedManifest(sound), Released(0.25)), HasSubstr("\"header_digest\""));
  other = sound;
  other["boards"][0]["dw_digests"][std::string(kPlain)]["513"] = kSameDw;
  EXPECT_THAT(MismatchOf(SealedManifest(other), board), HasSubstr("\"dw_digests\" of h200_132"));
  other = sound;
  other["boards"].push_back(other["boards"][0]);
  EXPECT_THAT(MismatchOf(SealedManifest(other), board), HasSubstr("a board is there twice"));
  other = sound;
  other["release"] = "../x";
  EXPECT_THAT(MismatchOf(SealedManifest(other), board), HasSubstr("\"release\" is no name"));
}

}  // namespace
}  // namespace fenestra
