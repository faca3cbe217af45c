// The `fenestra` command. Results go to standard output, everything else to standard error; exit
// codes are those of accuracy/error.h.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "tuner/cli/command.h"
#include "tuner/cli/parse.h"

namespace fenestra::cli {
namespace {

// In the order of the work: look around, measure, choose, ship, keep.
std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakeDoctor());
  commands.push_back(MakeBoards());
  commands.push_back(MakeRoutes());
  commands.push_back(MakePrograms());
  commands.push_back(MakeSweep());
  commands.push_back(MakePlan());
  commands.push_back(MakeEdges());
  commands.push_back(MakeDraw());
  commands.push_back(MakeExplain());
  commands.push_back(MakeExport());
  commands.push_back(MakeRelease());
  commands.push_back(MakeCheck());
  commands.push_back(MakeHistory());
  commands.push_back(MakeCompare());
  commands.push_back(MakeReport());
  commands.push_back(MakeDump());
  commands.push_back(MakeImport());
  commands.push_back(MakeWorker());
  return commands;
}

ExitCode Complain(std::string_view line, ExitCode code) {
  std::string text(line);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  // Where nobody can read it, the exit code says it.
  (void)std::fprintf(stderr, "fenestra: %s\n", text.c_str());
  return code;
}

ExitCode Main(int argc, const char* const* argv) {
  // A reader that goes away shows as EPIPE in Output::Print, not as a signal.
  std::signal(SIGPIPE, SIG_IGN);
  Output out;
  try {
    const auto commands = AllCommands();
    Command* command = ParseCommandLine(argc, argv, commands, &out);
    return command == nullptr ? ExitCode::kOk : command->Run(&out);
  } catch (const Error& error) {
    return Complain(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return Complain("out of memory: free some, or ask for fewer row counts at once",
                    ExitCode::kMachine);
  } catch (const std::exception& error) {
    return Complain(fmt::format("unexpected: {}", error.what()), ExitCode::kMachine);
  }
}

}  // namespace
}  // namespace fenestra::cli

int main(int argc, char** argv) { return static_cast<int>(fenestra::cli::Main(argc, argv)); }
