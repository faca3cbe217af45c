#include "tuner/sweep/worker.h"

#include <iostream>

#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/sweep/environment.h"

namespace fenestra::cli {
namespace {

class WorkerCommand final : public Command {
 public:
  const char* name() const override { return "worker"; }
  const char* summary() const override {
    return "Serve one sweep: tasks come on standard input, evidence goes to the database";
  }
  const char* example() const override { return "fenestra worker --board h200_132"; }

  void AddOptions(CLI::App* app) override {
    app->group("");  // hidden: not a command for people
    AddDb(app, &db_);
    AddBoard(app, &board_);
  }

  ExitCode Run(Output*) override {
    std::string why_not;
    const std::optional<GpuInfo> gpu = QueryGpu(&why_not);
    if (!gpu) throw Error("worker: " + why_not, ExitCode::kMachine);
    MeterContext context;
    context.board = &ResolveBoard(board_);
    context.environment = ThisEnvironment(gpu);
    context.stood_in = BoardOf(*gpu) != context.board;
    ServeTasks(context, db_, std::cin, std::cout);
    return ExitCode::kOk;
  }

 private:
  std::string db_;
  std::string board_;
};

}  // namespace

std::unique_ptr<Command> MakeWorker() { return std::make_unique<WorkerCommand>(); }

}  // namespace fenestra::cli
