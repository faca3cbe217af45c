// Manifests of releases, which `release --previous` reads back.
#include <nlohmann/json.hpp>
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

// As a build before this one wrote it: without digests of its own, past which mutations get.
std::string OfVersion2(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text);
  for (const char* member : {"date", "changes_digest", "digest"}) json.erase(member);
  json["manifest_version"] = 2;
  return json.dump(2);
}

Manifest Head(const char* release, const char* previous) {
  return {.release = release,
          .previous = previous,
          .date = "2026-11-30",
          .changes = "00000000000000aa",
          .boards = {}};
}

}  // namespace

std::vector<std::string> Seeds() {
  const std::string whole = ManifestText(Head("1.0", "0.9"), std::span(&Board(), 1));
  return {whole, OfVersion2(whole), ManifestText(Head("1", ""), {}),
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
