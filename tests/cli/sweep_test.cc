// Sweeps through the built command, on the host model: killed ones go on where they were.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "db/store.h"
#include "kernels/board.h"
#include "tests/cli/process.h"

namespace fenestra::testing {
namespace {

using ::testing::HasSubstr;

class SweepCommand : public ::testing::Test {
 protected:
  static std::vector<std::string> Command(const std::string& db) {
    return {FENESTRA_COMMAND, "sweep",      "--board",    "h200_132", "--only", "accuracy",
            "--routes",       "bwd_*_h512", "--max-rows", "1100",     "--db",   db};
  }

  // The text evidence in a database.
  std::string Dumped(const std::string& db, const std::string& name) const {
    const std::string folder = folder_.path() + "/" + name;
    const auto result = RunProcess({FENESTRA_COMMAND, "dump", "--db", db, "--out", folder});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::ostringstream text;
    for (const std::string& file : TextFiles(folder)) text << std::ifstream(file).rdbuf();
    return text.str();
  }

  // Starts the command and kills it after `microseconds`.
  static void RunAndKill(const std::vector<std::string>& command, int microseconds) {
    const pid_t pid = fork();
    if (pid == 0) {
      std::vector<char*> arguments;
      arguments.reserve(command.size() + 1);
      for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      (void)freopen("/dev/null", "w", stdout);
      (void)freopen("/dev/null", "w", stderr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    usleep(static_cast<useconds_t>(microseconds));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  TempFolder folder_;
};

TEST_F(SweepCommand, KilledAtAnyMomentGoesOnAndEndsWithTheSameEvidence) {
  const std::string whole = folder_.path() + "/whole.db";
  const ProcessResult undisturbed = RunProcess(Command(whole));
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;

  const std::string killed = folder_.path() + "/killed.db";
  for (int round = 0; round < 8; ++round) RunAndKill(Command(killed), 20'000 + 35'000 * round);
  const ProcessResult resumed = RunProcess(Command(killed));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(Dumped(killed, "killed"), Dumped(whole, "whole"));

  const ProcessResult again = RunProcess(Command(killed));
  EXPECT_THAT(again.out, HasSubstr("measured                0"));
}

TEST_F(SweepCommand, SearchesAccuracyEdgesToTheEnd) {
  const std::string db = folder_.path() + "/edges.db";
  const auto edges_of = [&] {
    const ProcessResult result =
        RunProcess({FENESTRA_COMMAND, "edges", "--db", db, "--board", "h200_132", "--routes",
                    "bwd_*_h512", "--margin", "0.004", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out).at("edges");
  };
  auto command = Command(db);
  ASSERT_EQ(RunProcess(command).exit_code, 0);
  int open = 0;
  for (const auto& edge : edges_of()) {
    if (!edge.at("beyond").is_object() || !edge.at("within").is_object()) continue;
    ++open;
    EXPECT_FALSE(edge.at("searched")) << edge.dump();
  }
  EXPECT_GT(open, 0) << "some scheme has an edge at so small a margin";
  command[5] = "edges";
  command.insert(command.end(), {"--margin", "0.004"});
  ASSERT_EQ(RunProcess(command).exit_code, 0);
  for (const auto& edge : edges_of()) {
    EXPECT_TRUE(edge.at("searched")) << edge.dump();
    if (!edge.at("beyond").is_object() || !edge.at("within").is_object()) continue;
    EXPECT_LE(edge.at("within").at("worst"), 0.004);
    EXPECT_GT(edge.at("beyond").at("worst"), 0.004);
    EXPECT_EQ(edge.at("within").at("inputs"), 200);
    EXPECT_EQ(edge.at("beyond").at("inputs"), 200);
  }
  EXPECT_THAT(RunProcess(command).out, HasSubstr("measured                0"));
  // Programs that were not probed keep their survey, also at the probed row counts.
  const ProcessResult plan = RunProcess(
      {FENESTRA_COMMAND, "plan", "--db", db, "--board", "h200_132", "--routes", "bwd_*_h512"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
}

// What is measured at a row count that a search did not ask for counts, and may be a lower edge.
TEST_F(SweepCommand, MeasuresWhereItIsAskedToAndSearchesOn) {
  constexpr const char* kProgram = "bwd_ring_async_h512_t256_w2_r2_s4_c2_rr_plain";
  auto command = Command(folder_.path() + "/at.db");
  command[9] = "300";
  ASSERT_EQ(RunProcess(command).exit_code, 0);
  command[5] = "edges";
  ASSERT_EQ(RunProcess(command).exit_code, 0);
  auto asked = command;
  asked.insert(asked.end(), {"--at", std::string(kProgram) + "@126," + kProgram + "@132"});
  EXPECT_THAT(RunProcess(asked).out, HasSubstr("measured                6"));
  EXPECT_THAT(RunProcess(asked).out, HasSubstr("measured                0"));
  EXPECT_THAT(Dumped(folder_.path() + "/at.db", "at"), HasSubstr("\n132\t"));
  for (const auto& [text, why] : {std::pair{"x@1", "no backward program of that name"},
                                  {kProgram, "a program and a row count"},
                                  {"fwd_direct_h512_t128_w1@64", "no backward program"},
                                  {"bwd_dual_h512_t256_w2_slab64_fma64@4097", "up to 4096 rows"}}) {
    asked.back() = text;
    const ProcessResult refused = RunProcess(asked);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(why));
  }
  asked[5] = "accuracy";
  EXPECT_THAT(RunProcess(asked).err, HasSubstr("--at: it goes with --only edges"));
}

TEST_F(SweepCommand, SearchesNoEdgesWithoutASurvey) {
  const std::string db = folder_.path() + "/none.db";
  auto command = Command(db);
  command[5] = "edges";
  EXPECT_THAT(RunProcess(command).err, HasSubstr("there is no such file"));
  EXPECT_FALSE(std::filesystem::exists(db));
  (void)Store::Open(db, OpenMode::kCreate);
  const ProcessResult result = RunProcess(command);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("sweep --only accuracy first"));
}

TEST_F(SweepCommand, SaysWhatCannotBeTimedHere) {
  auto command = Command(folder_.path() + "/a.db");
  command[5] = "time";
  command[3] = "b200_148";
  const ProcessResult result = RunProcess(command);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("time is measured on b200_148 itself"));
}

TEST_F(SweepCommand, RefusesValuesThatMakeNoSense) {
  for (const auto& [option, value] : {std::pair{"--profile", "huge"}, std::pair{"--only", "speed"},
                                      std::pair{"--budget", "10q"}, std::pair{"--max-rows", "0"}}) {
    const ProcessResult result =
        RunProcess({FENESTRA_COMMAND, "sweep", "--board", "h200_132", option, value});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(option));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

// The repository's own: the headers that the library compiles are those of the evidence beside
// them.
TEST(Repository, HeadersAndEvidenceBelongTogether) {
  const TempFolder folder;
  const std::string db = folder.path() + "/fenestra.db";
  const std::string sources = FENESTRA_SOURCES;
  std::vector<std::string> import{FENESTRA_COMMAND, "import", "--db", db};
  for (const std::string& file : TextFiles(sources + "/evidence")) import.push_back(file);
  const auto imported = RunProcess(import);
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  for (const Board& board : kBoards) {
    const auto checked =
        RunProcess({FENESTRA_COMMAND, "check", "--db", db, "--board", std::string(board.name),
                    "--out", sources + "/kernels/dispatch/windows"});
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  }
}

}  // namespace
}  // namespace fenestra::testing
