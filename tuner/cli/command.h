// A command of `fenestra`: its options as members, and what it does with them. One file each; a new
// one adds its factory here and a line to AllCommands in main.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "accuracy/error.h"
#include "tuner/cli/output.h"

namespace fenestra::cli {

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  virtual const char* name() const = 0;
  virtual const char* summary() const = 0;  // one sentence, without the full stop
  virtual const char* example() const = 0;  // a command line

  // Binds options to members. Called once, before Run.
  virtual void AddOptions(CLI::App* app) = 0;

  // Does the work and prints its result. Throws Error.
  virtual ExitCode Run(Output* out) = 0;
};

std::unique_ptr<Command> MakeDoctor();
std::unique_ptr<Command> MakeBoards();
std::unique_ptr<Command> MakeRoutes();
std::unique_ptr<Command> MakePrograms();
std::unique_ptr<Command> MakeSweep();
std::unique_ptr<Command> MakePlan();
std::unique_ptr<Command> MakeDraw();
std::unique_ptr<Command> MakeEdges();
std::unique_ptr<Command> MakeExplain();
std::unique_ptr<Command> MakeExport();
std::unique_ptr<Command> MakeRelease();
std::unique_ptr<Command> MakeReport();
std::unique_ptr<Command> MakeCheck();
std::unique_ptr<Command> MakeHistory();
std::unique_ptr<Command> MakeCompare();
std::unique_ptr<Command> MakeDump();
std::unique_ptr<Command> MakeImport();
std::unique_ptr<Command> MakeWorker();  // not for people: `sweep` starts it

}  // namespace fenestra::cli
