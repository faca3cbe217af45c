// Generated window headers, which `check`, `export` and `release --previous` read back.
#include <algorithm>
#include <span>

#include "accuracy/error.h"
#include "export/check.h"
#include "export/header.h"
#include "export/header_parse.h"
#include "export/release.h"
#include "tests/export/plan_fixture.h"
#include "tests/fuzz/target.h"

namespace fenestra::fuzz {

std::vector<std::string> Seeds() {
  const Environment environment = test::FixtureEnvironment();
  Plan narrow = test::FixturePlan();
  narrow.routes.resize(1);
  return {HeaderText(test::FixturePlan(), std::span(&environment, 1)),
          HeaderText(narrow, std::span(&environment, 1))};
}

void TestOne(std::string_view text) {
  static const std::string kSound = Seeds().front();
  const auto findings = Check(test::FixtureEvidence(), test::FixturePlan(), "gb300_152.h", text);
  const bool is_wrong = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    RequireErrorLine(ToString(finding), "gb300_152.h", false);
    return finding.severity == Severity::kError;
  });
  Require(is_wrong || text == kSound, "a header that is not the plan's is an error");
  ParsedHeader header;
  try {
    header = ParseHeader(text, "a.h");
  } catch (const Error& error) {
    RequireErrorLine(error.what(), "a.h");
    return;
  }
  for (const ParsedRoute& route : header.routes) {
    for (const ParsedWindow& window : route.windows) {
      Require(text.find(window.text) != std::string_view::npos, "a window is a line of the header");
    }
  }
  // Whatever parses can be compared with a plan and with evidence, and is a plan itself.
  (void)PlanOf(header);
  (void)ChangesOf(header, test::FixturePlan());
  const ReleasedBoard board(test::FixturePlan(), test::FixtureEvidence());
  const FrozenRelease previous{.headers = {header}, .manifest = {}};
  (void)ChangesText("2.0", &previous, std::span(&board, 1));
}

}  // namespace fenestra::fuzz
