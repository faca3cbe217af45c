#include <fmt/format.h>

#include "export/header.h"
#include "export/header_folder.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"

namespace fenestra::cli {
namespace {

class Export final : public Command {
 public:
  const char* name() const override { return "export"; }
  const char* summary() const override {
    return "Write the stored plan of a board as the C++ header that the dispatcher compiles";
  }
  const char* example() const override {
    return "fenestra export --board h200_132 --out kernels/dispatch/windows";
  }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    AddOut(app, &folder_, "Folder of headers, made when missing");
    app->get_option("--out")->required();
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    const Board& board = ResolveStoredBoard(board_, store);
    const Evidence evidence = LoadForChoice(store, board, db_);
    const Plan plan = LoadCurrentPlan(store, board, evidence, "*");
    const std::string path =
        WriteHeader(folder_, plan.board, HeaderText(plan, evidence.environments)).string();
    Table table({{"board"}, {"routes", Align::kRight}, {"header"}});
    table.Add({plan.board, fmt::format("{}", plan.routes.size()), path});
    out->PrintResult(
        json_, {{"board", plan.board}, {"routes", plan.routes.size()}, {"header", path}}, table);
    return ExitCode::kOk;
  }

 private:
  std::string db_;
  std::string board_;
  std::string folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeExport() { return std::make_unique<Export>(); }

}  // namespace fenestra::cli
