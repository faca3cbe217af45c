// The built command, from the outside: exit codes, one-line errors, help, JSON, terminals, pipes.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tests/cli/process.h"

namespace fenestra::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kCommands[] = {
    "doctor",  "boards", "routes", "programs", "sweep",   "plan",    "edges", "draw",
    "explain", "export", "check",  "history",  "compare", "release", "dump",  "import"};

ProcessResult Fenestra(std::vector<std::string> words, const ProcessOptions& options = {}) {
  words.insert(words.begin(), FENESTRA_COMMAND);
  return RunProcess(words, options);
}

ProcessOptions WithStdout(Stdout kind) {
  ProcessOptions options;
  options.stdout_kind = kind;
  return options;
}

ProcessOptions WithTerminal(const char* no_color) {
  ProcessOptions options = WithStdout(Stdout::kTerminal);
  options.environment = {{"TERM", "xterm"}, {"NO_COLOR", no_color}};
  return options;
}

// Exit code, nothing on standard output, and one line that starts with the program's name.
void ExpectRefused(const ProcessResult& result, int exit_code) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("fenestra: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST(Help, OfTheProgramNamesEveryCommand) {
  const ProcessResult result = Fenestra({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const char* command : kCommands) EXPECT_THAT(result.out, HasSubstr(command));
  EXPECT_THAT(result.out, Not(HasSubstr("worker")));  // not for people
}

class EveryCommand : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryCommand, HasHelpWithOptionsAndAnExample) {
  const std::string command = GetParam();
  const ProcessResult result = Fenestra({command, "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, AllOf(HasSubstr("Usage: fenestra " + command), HasSubstr("--help"),
                                HasSubstr("Example:\n  fenestra " + command)));
}

TEST_P(EveryCommand, RefusesAnUnknownOption) {
  const std::string command = GetParam();
  const ProcessResult result = Fenestra({command, "--frobnicate"});
  ExpectRefused(result, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("'--frobnicate'"), HasSubstr(command + " --help")));
}

INSTANTIATE_TEST_SUITE_P(Commands, EveryCommand, ::testing::ValuesIn(kCommands),
                         [](const auto& test) { return std::string(test.param); });

struct BadLine {
  const char* name;
  std::vector<std::string> words;
  const char* says;
};

class BadCommandLine : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadCommandLine, ExitsTwoWithOneLine) {
  const ProcessResult result = Fenestra(GetParam().words);
  ExpectRefused(result, 2);
  EXPECT_THAT(result.err, HasSubstr(GetParam().says));
}

const BadLine kBadLines[] = {
    {"NoCommand", {}, "no command given"},
    {"UnknownCommand", {"frobnicate"}, "unknown command 'frobnicate'; see 'fenestra --help'"},
    {"MistypedCommand", {"docotr"}, "did you mean 'doctor'?"},
    {"MistypedOption", {"routes", "--route", "*"}, "did you mean '--routes'?"},
    {"MistypedOptionWithValue", {"routes", "--rotues=*"}, "'--rotues'; did you mean '--routes'?"},
    {"OptionBeforeCommand", {"--json", "routes"}, "unknown option '--json'"},
    {"ValueMissing", {"routes", "--routes"}, "--routes takes one value"},
    {"OptionTwice", {"routes", "--routes=a", "--routes=b"}, "--routes takes one value, once"},
    {"ExtraWord", {"boards", "h200_132"}, "unexpected argument 'h200_132'"},
    {"GlobMatchesNothing", {"routes", "--routes", "bwd_w8_*"}, "no route matches 'bwd_w8_*'"},
    {"GlobNamesKnownForms", {"programs", "--routes", "x"}, "bwd_w32_h5120"},
    {"GlobNearMiss", {"routes", "--routes", "bwd_w23_h5120"}, "did you mean 'bwd_w32_h5120'?"},
    {"ProfileUnknown", {"sweep", "--profile", "quik"}, "quick,full,release"},
    {"BudgetNoTime", {"sweep", "--budget", "soon"}, "--budget"},
    {"BoardUnknown", {"sweep", "--board", "h200"}, "no board 'h200'"},
    {"LineEndInAWord", {"routes", "--routes", "a\nb"}, "no route matches 'a b'"},
};

INSTANTIATE_TEST_SUITE_P(Lines, BadCommandLine, ::testing::ValuesIn(kBadLines),
                         [](const auto& test) { return test.param.name; });

TEST(Json, BoardsHaveEveryBoard) {
  const ProcessResult result = Fenestra({"boards", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto boards = nlohmann::json::parse(result.out).at("boards");
  ASSERT_EQ(boards.size(), kBoards.size());
  EXPECT_EQ(boards[0].at("board"), "h200_132");
  EXPECT_EQ(boards[0].at("arch"), "sm_90a");
  EXPECT_EQ(boards[0].at("sm_count"), 132);
}

TEST(Json, RoutesAreFilteredByGlob) {
  const ProcessResult result = Fenestra({"routes", "--routes", "bwd_w32_*,fwd_w16_h256", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto routes = nlohmann::json::parse(result.out).at("routes");
  ASSERT_EQ(routes.size(), std::size(kWidths) + 1);
  EXPECT_EQ(routes[0].at("route"), "fwd_w16_h256");
  EXPECT_EQ(routes[1].at("route"), "bwd_w32_h256");
  for (const auto& route : routes) EXPECT_GT(route.at("programs").get<int>(), 0);
}

TEST(Json, ProgramsOfAllRoutesAreTheWholeList) {
  const ProcessResult result = Fenestra({"programs", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto programs = nlohmann::json::parse(result.out).at("programs");
  ASSERT_EQ(programs.size(), kPrograms.size());
  for (int i = 0; i < kProgramCount; ++i) {
    EXPECT_EQ(programs[i].at("program"), ProgramName(kPrograms[i]).view());
  }
}

TEST(Doctor, SaysWhatIsThereAndTheRemedyForWhatIsNot) {
  const ProcessResult result = Fenestra({"doctor", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> names;
  const auto checks = nlohmann::json::parse(result.out).at("checks");
  for (const auto& check : checks) {
    names.push_back(check.at("what"));
    EXPECT_NE(check.at("found"), "");
    EXPECT_EQ(check.at("remedy") == "", check.at("ok").get<bool>()) << check;
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"build", "GPU", "nvcc", "CUPTI", "SQLite", "Eigen", "CPU FMA", "disk"}));
}

TEST(Doctor, ExitsThreeWhereNothingCanBeStored) {
  const ProcessResult result = Fenestra({"doctor", "--db", "/nonexistent/fenestra.db"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("'/nonexistent': No such file or directory"));
}

// What doctor says of nvcc when $CUDACXX names a script with this text.
nlohmann::json NvccCheck(const std::string& script) {
  const TempFolder folder;
  ProcessOptions options;
  options.environment["CUDACXX"] = folder.Write("nvcc", script);
  std::filesystem::permissions(options.environment["CUDACXX"], std::filesystem::perms::owner_all);
  const ProcessResult result = Fenestra({"doctor", "--json"}, options);
  const auto report = nlohmann::json::parse(result.out);
  for (const auto& check : report.at("checks")) {
    if (check.at("what") == "nvcc") return check;
  }
  return {};
}

TEST(Doctor, AsksTheCompilerForItsVersion) {
  const auto check =
      NvccCheck("#!/bin/sh\necho 'Cuda compilation tools, release 12.9, V12.9.41'\n");
  EXPECT_EQ(check.at("ok"), true);
  EXPECT_THAT(check.at("found").get<std::string>(), StartsWith("12.9.41 ("));
}

TEST(Doctor, SaysWhenTheCompilerDoesNotRun) {
  const auto check = NvccCheck("#!/bin/sh\nexit 1\n");
  EXPECT_EQ(check.at("ok"), false);
  EXPECT_THAT(check.at("found").get<std::string>(), HasSubstr("does not run"));
}

TEST(Terminal, GetsBoldTitles) {
  const ProcessResult result = Fenestra({"boards"}, WithTerminal(""));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("\033["));
}

TEST(Terminal, GetsNoEscapesUnderNoColor) {
  const ProcessResult result = Fenestra({"boards"}, WithTerminal("1"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("h200_132"), Not(HasSubstr("\033["))));
}

TEST(Pipe, GetsNoEscapes) {
  ProcessOptions options;
  options.environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}};
  EXPECT_THAT(Fenestra({"boards"}, options).out, Not(HasSubstr("\033[")));
}

TEST(Pipe, ThatIsClosedIsQuiet) {
  const ProcessResult result = Fenestra({"programs", "--json"}, WithStdout(Stdout::kClosed));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.err, "");
}

TEST(Pipe, ToAFullDiskIsAnError) {
  ExpectRefused(Fenestra({"programs"}, WithStdout(Stdout::kFull)), 3);
}

TEST(Draw, WritesArraysThatNumPyReads) {
  const TempFolder folder;
  const std::string input = folder.path() + "/input";
  const ProcessResult result = Fenestra({"draw", "--width", "512", "--rows", "3", "--family",
                                         "cancel", "--seed", "7", "--out", input, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out).at("files").size(), 7);
  const auto bytes_of = [&](const std::string& name) {
    std::ifstream file(input + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string h = bytes_of("h.npy");
  EXPECT_THAT(h, StartsWith(std::string("\x93NUMPY\x01\x00", 8)));
  EXPECT_THAT(h, HasSubstr("{'descr': '<u2', 'fortran_order': False, 'shape': (3, 512,), }"));
  const std::size_t data = h.find('\n') + 1;
  EXPECT_EQ(data % 64, 0U);
  EXPECT_EQ(h.size() - data, 3U * 512U * 2U);
  EXPECT_EQ(static_cast<unsigned char>(h[8]) + 256 * static_cast<unsigned char>(h[9]), data - 10);
  // The middle row of three has no partner; the last repeats the first.
  const std::size_t row = 512 * 2;
  EXPECT_EQ(h.substr(data, row), h.substr(data + 2 * row, row));
  EXPECT_NE(h.substr(data, row), h.substr(data + row, row));
  EXPECT_EQ(bytes_of("reference_dw.npy").size() - data, 512U * 8U);
}

TEST(Draw, RefusesWhatItCannotWrite) {
  ExpectRefused(Fenestra({"draw", "--width", "500", "--rows", "3", "--out", "/tmp/x"}), 2);
  ExpectRefused(Fenestra({"draw", "--width", "512", "--rows", "0", "--out", "/tmp/x"}), 2);
  ExpectRefused(Fenestra({"draw", "--width", "512", "--rows", "3"}), 2);
  ExpectRefused(Fenestra({"draw", "--width", "512", "--rows", "3", "--out", "/dev/full/x"}), 2);
  ExpectRefused(Fenestra({"draw", "--width", "512", "--rows", "3", "--out", "/dev/null"}), 2);
}

}  // namespace
}  // namespace fenestra::testing
