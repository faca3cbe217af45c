// Manifests of releases, which `release --previous` reads back.
#include <span>

#include "accuracy/error.h"
#include "export/header_parse.h"
#include "export/release.h"
#include "tests/export/plan_fixture.h"
#include "tests/fuzz/target.h"

namespace fenestra::fuzz {
namespace {

const ReleasedBoard& Board() {
  static const ReleasedBoard kBoard(test::FixturePlan(), test::FixtureEvidence());
  return kBoard;
}

}  // namespace

std::vector<std::string> Seeds() {
  return {ManifestText({.release = "1.0", .previous = "0.9", .date = "2026-11-30", .boards = {}},
                       std::span(&Board(), 1)),
          ManifestText({.release = "1", .previous = "", .date = "2026-11-30", .boards = {}}, {}),
          R"({"manifest_version": 1, "release": "0.1", "boards": [{"board": "gb300_152",
              "header_digest": "00000000000000aa"}]})"};
}

void TestOne(std::string_view text) {
  FrozenRelease previous{.headers = {ParseHeader(Board().header, "gb300_152.h")}, .manifest = {}};
  try {
    previous.manifest = ParseManifest(text, "m.json");
  } catch (const Error& error) {
    RequireErrorLine(error.what(), "m.json", false);
    return;
  }
  for (const ManifestBoard& board : previous.manifest.boards) {
    try {
      RequireHeader(board, previous.headers[0], Board().header, "m.json");
    } catch (const Error& error) {
      RequireErrorLine(error.what(), "m.json", false);
    }
  }
  // Whatever is read can be compared with evidence.
  (void)ChangesText("2.0", &previous, std::span(&Board(), 1));
}

}  // namespace fenestra::fuzz
