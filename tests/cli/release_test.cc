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
  const auto first = Json({"release", "1.0", "--out", "releases"});
  EXPECT_EQ(first.at("boards")[0].at("new"), true);
  const std::string manifest = ReadText(File("releases/1.0/manifest.json"));
  Json({"release", "1.0", "--out", "releases"});
  EXPECT_EQ(ReadText(File("releases/1.0/manifest.json")), manifest);
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
  const auto second = Json({"release", "1.1", "--out", "releases", "--previous", "releases/1.0/"});
  EXPECT_GT(second.at("boards")[0].at("moved"), 0);
  EXPECT_THAT(ReadText(File("releases/1.1/CHANGES.md")), HasSubstr("# 1.1 against 1.0"));

  const auto shipped = Json({"history", "--from", "1.1"}).at("entries");
  ASSERT_FALSE(shipped.empty());
  for (const auto& entry : shipped) EXPECT_EQ(entry.at("source"), "plan 2 (release 1.1)");
  ExpectRefused({"history", "--from", "#8253", "--to", "#8293"}, "comes after");
  ExpectRefused({"release", "../x", "--out", "releases"}, "letters, digits");
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
  ExpectRefused(next, "releases/1.0/manifest.json");
  EXPECT_FALSE(std::filesystem::exists(File("releases/1.1")));
}

TEST_F(ReleasePipeline, AReleaseOfTheNameThatShippedOtherHeadersIsRefused) {
  MakePlan();
  Json({"release", "1.0", "--out", "releases"});
  Json({"plan", "--board", "h200_132", "--margin", "0.2"});
  ExpectRefused({"release", "1.0", "--out", "elsewhere"}, "recorded with another header");
  EXPECT_FALSE(std::filesystem::exists(File("elsewhere")));
}

}  // namespace
}  // namespace fenestra::testing
