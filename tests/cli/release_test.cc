// `fenestra release` through the built command: what is frozen, and that nothing else passes for
// it.
#include <random>

#include "tests/cli/pipeline.h"

namespace fenestra::testing {
namespace {

using ::testing::HasSubstr;

using ReleasePipeline = Pipeline;

TEST_F(ReleasePipeline, IsFrozenAndSaysWhatMoved) {
  MakePlan();
  const auto first = Json({"release", "1.0", "--out", "releases", "--date", "2026-11-29"});
  EXPECT_EQ(first.at("boards")[0].at("new"), true);
  const std::string manifest = ReadText(File("releases/1.0/manifest.json"));
  Json({"release", "1.0", "--out", "releases"});
  EXPECT_EQ(ReadText(File("releases/1.0/manifest.json")), manifest);
  // Elsewhere too: the database knows the day.
  Json({"release", "1.0", "--out", "again"});
  EXPECT_EQ(ReadText(File("again/1.0/manifest.json")), manifest);
  ExpectRefused({"release", "1.0", "--out", "again", "--date", "2026-11-28"}, "frozen");
  ExpectRefused({"release", "1.0", "--out", "third", "--date", "2026-11-28"},
                "'1.0' is recorded as of 2026-11-29, not 2026-11-28");
  Json({"export", "--board", "h200_132", "--out", "windows"});
  EXPECT_EQ(ReadText(File("releases/1.0/windows/h200_132.h")),
            ReadText(File("windows/h200_132.h")));

  // A program that is faster than both, everywhere.
  test::EvidenceBuilder more;
  more.Time(test::kTwo, {{1, 1600}, {64, 2100}, {128, 4100}, {4096, 41000}});
  more.Flat(test::kTwo, {1, 64, 128, 4096}, 0.0006);
  Dump(Complete(std::move(more.evidence)), File("more"));
  Import("more");
  Json({"plan", "--board", "h200_132"});
  ExpectRefused({"release", "1.0", "--out", "releases"}, "frozen");
  ExpectRefused({"release", "1.1", "--out", "releases"}, "--previous (there are releases/1.0)");
  EXPECT_FALSE(std::filesystem::exists(File("releases/1.1")));
  std::vector<std::string> next{"release",    "1.1",           "--out",  "releases",
                                "--previous", "releases/1.0/", "--date", "2026-11-28"};
  ExpectRefused(next, "'1.1' of 2026-11-28 would come before '1.0' of 2026-11-29");
  next.back() = "2026-11-31";
  ExpectRefused(next, "it must be a day");
  next.back() = "2026-11-30";
  const auto second = Json(next);
  EXPECT_GT(second.at("boards")[0].at("moved"), 0);
  EXPECT_THAT(ReadText(File("releases/1.1/CHANGES.md")), HasSubstr("# 1.1 against 1.0"));

  const auto shipped = Json({"history", "--from", "1.1"}).at("entries");
  ASSERT_FALSE(shipped.empty());
  for (const auto& entry : shipped)
    EXPECT_EQ(entry.at("source"), "plan 2 (release 1.1, 2026-11-30)");
  ExpectRefused({"history", "--from", "#8253", "--to", "#8293"}, "comes after");
  ExpectRefused({"release", "../x", "--out", "releases"}, "letters, digits");
  ExpectRefused({"release", "1.2", "--out", "elsewhere"}, "--previous (there are 1.0, 1.1)");
  EXPECT_FALSE(std::filesystem::exists(File("elsewhere")));
  ExpectRefused({"release", "1.1", "--out", "elsewhere", "--previous", "releases/1.1"},
                "is release '1.1' itself");
  ExpectRefused({"release", "1.2", "--out", "releases", "--previous", "nowhere"}, "nowhere");
}

// One byte of the text, chosen by the random numbers, changed, taken out or doubled; or the text
// cut short.
std::string Damaged(std::string text, std::mt19937_64* random) {
  const std::size_t at = (*random)() % text.size();
  switch ((*random)() % 4) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 + (*random)() % 255));
      break;
    case 1:
      text.erase(at, 1);
      break;
    case 2:
      text.insert(at, 1, text[at]);
      break;
    default:
      text.resize(at);
      break;
  }
  return text;
}

TEST_F(ReleasePipeline, AnyOtherByteInAReleaseIsRefusedAndNothingIsWritten) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  const std::string db = ReadText(File("fenestra.db"));
  std::mt19937_64 random(1);
  for (const std::string name :
       {"manifest.json", "CHANGES.md", "windows/h200_132.h", "windows/all.h"}) {
    const std::filesystem::path path = File("releases/1.0") / name;
    const std::string sound = ReadText(path);
    for (int i = 0; i < 8; ++i) {
      const std::string damaged = Damaged(sound, &random);
      std::ofstream(path, std::ios::binary) << damaged;
      ExpectRefused({"release", "1.0", "--out", "releases"}, name);
      EXPECT_EQ(ReadText(path), damaged);
    }
    std::ofstream(path, std::ios::binary) << sound;
  }
  EXPECT_EQ(ReadText(File("fenestra.db")), db);
  Json({"release", "1.0", "--out", "releases"});
}

TEST_F(ReleasePipeline, ARestOfAReleaseThatWasCutShortIsCompleted) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  const std::string all = ReadText(File("releases/1.0/windows/all.h"));
  std::filesystem::remove(File("releases/1.0/manifest.json"));
  std::ofstream(File("releases/1.0/windows/all.h")) << "of fewer boards\n";
  Json({"release", "1.0", "--out", "releases"});
  EXPECT_EQ(ReadText(File("releases/1.0/windows/all.h")), all);
}

TEST_F(ReleasePipeline, APreviousReleaseIsHeldToItsDigestsAndHasHeaders) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  const std::vector<std::string> next{"release",  "1.1",        "--out",
                                      "releases", "--previous", "releases/1.0"};
  const std::filesystem::path header = File("releases/1.0/windows/h200_132.h");
  std::string text = ReadText(header);
  text.replace(text.find("kMeasured"), 9, "kBorrowed");
  std::ofstream(header) << text;
  ExpectRefused(next, "releases/1.0/windows/h200_132.h: the text differs from its content digest");
  std::filesystem::remove(header);
  ExpectRefused(next, "releases/1.0/windows: no header is there");
  // A sound header, but of other windows.
  Json({"plan", "--board", "h200_132", "--margin", "0.2"});
  Json({"export", "--board", "h200_132", "--out", "releases/1.0/windows"});
  ExpectRefused(next, "not the header that releases/1.0/manifest.json tells of");
  std::filesystem::remove(File("releases/1.0/manifest.json"));
  ExpectRefused(next, "releases/1.0: no release is there");
  EXPECT_FALSE(std::filesystem::exists(File("releases/1.1")));
}

TEST_F(ReleasePipeline, AReleaseOfTheNameThatShippedOtherHeadersIsRefused) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  Json({"plan", "--board", "h200_132", "--margin", "0.2"});
  ExpectRefused({"release", "1.0", "--out", "elsewhere"}, "recorded with another header");
  EXPECT_FALSE(std::filesystem::exists(File("elsewhere")));
}

TEST_F(ReleasePipeline, AReleaseIsCheckedFromItsFolderAlone) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  std::filesystem::remove(File("fenestra.db"));
  const auto sound = Json({"check", "--release", "releases/1.0"});
  EXPECT_EQ(sound.at("release"), "1.0");
  EXPECT_EQ(Json({"check", "--release", "releases/1.0/../1.0/."}).at("release"), "1.0");
  EXPECT_EQ(sound.at("ok"), true) << sound.dump(2);
  EXPECT_THAT(Fenestra({"check", "--release", "releases/1.0/"}).out,
              HasSubstr("release 1.0: its files and this build's arithmetic belong together"));
  std::filesystem::rename(File("releases/1.0"), File("releases/2.0"));
  const auto finds = [&](const std::string& what) {
    const ProcessResult result = Fenestra({"check", "--release", "releases/2.0"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, AllOf(HasSubstr(what), HasSubstr("do not belong together")));
    EXPECT_EQ(result.err, "");
  };
  finds("releases/2.0: error: it is release '1.0': name the folder");
  const std::string changes = ReadText(File("releases/2.0/CHANGES.md"));
  std::ofstream(File("releases/2.0/CHANGES.md")) << changes << "\n";
  finds("CHANGES.md: error: not the change note that releases/2.0/manifest.json tells of");
  std::filesystem::remove(File("releases/2.0/CHANGES.md"));
  finds("CHANGES.md: error: not the change note");
  const std::string header = ReadText(File("releases/2.0/windows/h200_132.h"));
  std::ofstream(File("releases/2.0/windows/b200_148.h")) << header;
  finds("all.h: error: it does not list b200_148.h, which is there");
  finds("windows/b200_148.h: error: boards are swapped: it is the header of h200_132");
  std::filesystem::remove(File("releases/2.0/windows/b200_148.h"));
  std::ofstream(File("releases/2.0/windows/h200_132.h"), std::ios::app) << "// mine\n";
  finds("h200_132.h:");
  const auto json = Fenestra({"check", "--release", "releases/2.0", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("ok"), false);
  ExpectRefused({"check", "--release", "releases"}, "it has no manifest.json");
  ExpectRefused({"check", "--release", "releases/2.0", "--board", "h200_132"}, "excludes");
}

// Another database, of the same evidence or of none, learns of releases from their folders.
TEST_F(ReleasePipeline, ReleasesAreImportedAsHistory) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  Json({"plan", "--board", "h200_132", "--margin", "0.001"});
  Json({"release", "1.1", "--out", "releases", "--previous", "releases/1.0"});
  const auto made = Json({"history", "--only", "edge", "--from", "1.0"}).at("entries");
  ASSERT_FALSE(made.empty());

  // In any order of the folders, and again.
  for (int i = 0; i < 2; ++i) {
    const auto counts = Json({"import", "releases/1.1", "releases/1.0", "--db", "other.db"});
    EXPECT_EQ(counts.at("releases").dump(), R"(["1.0","1.1"])");
  }
  const auto read =
      Json({"history", "--only", "edge", "--from", "1.0", "--db", "other.db"}).at("entries");
  ASSERT_EQ(read.size(), made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (const char* key : {"source", "board", "routes", "before", "after", "kind", "reason",
                            "program_below", "program_above", "evidence", "environments"}) {
      EXPECT_EQ(read[i].at(key), made[i].at(key)) << key;
    }
  }
  // History is no plan of now.
  ExpectRefused({"export", "--board", "h200_132", "--out", "w", "--db", "other.db"}, "no evidence");
  // A plan of now comes behind them.
  Import("evidence", "third.db");
  Json({"import", "releases/1.0", "--db", "third.db"});
  ExpectRefused({"export", "--board", "h200_132", "--out", "w", "--db", "third.db"}, "no plan of");
  Json({"plan", "--board", "h200_132", "--db", "third.db"});
  ExpectRefused({"import", "releases/1.1", "--db", "third.db"},
                "plan 2 of h200_132, which no release has");
}

TEST_F(ReleasePipeline, ReleasesThatDoNotFollowOneAnotherAreRefused) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  Json({"plan", "--board", "h200_132", "--margin", "0.001"});
  Json({"release", "1.1", "--out", "releases", "--previous", "releases/1.0"});
  Json({"release", "1.1", "--out", "elsewhere", "--db", "fenestra.db", "--previous",
        "releases/1.0"});
  ExpectRefused({"import", "releases/1.1", "--db", "other.db"},
                "release '1.1' follows '1.0', which is neither in the database");
  EXPECT_FALSE(std::filesystem::exists(File("other.db")));
  Json({"import", "releases/1.0", "releases/1.1", "--db", "other.db"});
  // Another first release behind them.
  std::string text = ReadText(File("elsewhere/1.1/manifest.json"));
  text.replace(text.find("\"previous\": \"1.0\""), 17, "\"previous\": \"\"");
  text.replace(text.find("\"release\": \"1.1\""), 16, "\"release\": \"2.0\"");
  // Of a version that had no digest of its own.
  text.replace(text.find("\"manifest_version\": 3"), 21, "\"manifest_version\": 2");
  std::ofstream(File("elsewhere/1.1/manifest.json")) << text;
  ExpectRefused({"import", "elsewhere/1.1", "--db", "other.db"}, "follows no other");
  std::filesystem::remove(File("releases/1.0/windows/h200_132.h"));
  ExpectRefused({"import", "releases/1.0", "--db", "new.db"}, "no header is there");
  ExpectRefused({"import", "evidence", "--db", "new.db"}, "evidence: no release is there");
  // Nor is the evidence named beside a bad release taken in.
  const std::string before = ReadText(File("other.db"));
  std::vector<std::string> both{"import", "--db", "other.db", "releases/1.0"};
  for (const std::string& file : TextFiles(File("evidence"))) both.push_back(file);
  ExpectRefused(both, "no header is there");
  EXPECT_EQ(ReadText(File("other.db")), before);
  EXPECT_FALSE(std::filesystem::exists(File("new.db")));
}

}  // namespace
}  // namespace fenestra::testing
