// A folder with hand-made text evidence, and the built command to run there.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "db/text.h"
#include "tests/cli/process.h"
#include "tests/tuner/evidence_builder.h"

namespace fenestra::testing {

inline std::string ReadText(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Evidence of a builder with what text evidence needs besides.
inline Evidence Complete(Evidence evidence) {
  evidence.environments[0] = WithId(evidence.environments[0]);
  const std::string& id = evidence.environments[0].id;
  for (TimeRecord& record : evidence.times) {
    record.key.environment = id;
    record.min_ns = record.p90_ns = record.span_median_ns = record.median_ns;
    record.calls = 80;
    record.samples_digest = "0123456789abcdef";
  }
  for (AccuracyRecord& record : evidence.accuracy) record.environment = id;
  return evidence;
}

// One route of one board: the dual grid is twice as fast at 64 rows and below, the ring twice as
// fast from 128 on; both far within the margin and level with the comparator.
inline Evidence TwoWindowEvidence() {
  test::EvidenceBuilder builder;
  builder.Time(test::kDual, {{1, 2000}, {64, 3000}, {128, 16000}, {4096, 90000}})
      .Time(test::kFma, {{1, 4000}, {64, 6000}, {128, 8000}, {4096, 45000}})
      .Time("stream", {{1, 1500}, {64, 2000}, {128, 4000}, {4096, 40000}});
  for (std::string_view program : {test::kDual, test::kFma, std::string_view("eager")}) {
    builder.Flat(program, {1, 64, 128, 4096}, 0.0006);
  }
  return Complete(std::move(builder.evidence));
}

class Pipeline : public ::testing::Test {
 protected:
  void SetUp() override { Dump(TwoWindowEvidence(), File("evidence")); }

  ProcessResult Fenestra(std::vector<std::string> words) const {
    words.insert(words.begin(), FENESTRA_COMMAND);
    ProcessOptions options;
    options.folder = folder_.path();
    return RunProcess(words, options);
  }

  // Runs a command that must succeed; returns its JSON.
  nlohmann::json Json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const ProcessResult result = Fenestra(words);
    EXPECT_EQ(result.exit_code, 0) << words[0] << ": " << result.err;
    return nlohmann::json::parse(result.out);
  }

  void ExpectRefused(std::vector<std::string> words, const std::string& says, int exit_code = 2) {
    const ProcessResult result = Fenestra(std::move(words));
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err,
                ::testing::AllOf(::testing::StartsWith("fenestra: "), ::testing::HasSubstr(says)));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  // Imports the text evidence in a folder; returns what the command counted.
  nlohmann::json Import(const std::string& folder = "evidence",
                        const std::string& db = "fenestra.db") {
    std::vector<std::string> words{"import", "--db", db};
    for (const std::string& file : TextFiles(File(folder))) words.push_back(file);
    return Json(words);
  }

  // Import and plan, which all of the later steps start from.
  void MakePlan() {
    Import();
    Json({"plan", "--board", "h200_132"});
  }

  std::filesystem::path File(const std::string& name) const {
    return std::filesystem::path(folder_.path()) / name;
  }

  TempFolder folder_;
};

}  // namespace fenestra::testing
