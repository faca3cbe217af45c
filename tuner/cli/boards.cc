#include <fmt/format.h>

#include "kernels/dispatch/lookup.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"

namespace fenestra::cli {
namespace {

class Boards final : public Command {
 public:
  const char* name() const override { return "boards"; }
  const char* summary() const override {
    return "List the boards, and for which of them windows are compiled in";
  }
  const char* example() const override { return "fenestra boards"; }

  void AddOptions(CLI::App* app) override { AddJson(app, &json_); }

  ExitCode Run(Output* out) override {
    Table table({{"board"}, {"arch"}, {"SMs", Align::kRight}, {"product"}, {"windows"}});
    Json list = Json::array();
    for (const Board& board : kBoards) {
      const BoardWindows* windows = FindBoardWindows(board.arch, board.sm_count, board.product);
      table.Add({std::string(board.name), std::string(ToString(board.arch)),
                 fmt::format("{}", board.sm_count), std::string(board.product),
                 windows != nullptr
                     ? fmt::format("compiled in, evidence {}", windows->evidence_digest)
                     : "-"});
      list.push_back({{"board", board.name},
                      {"arch", ToString(board.arch)},
                      {"sm_count", board.sm_count},
                      {"product", board.product},
                      {"windows", windows != nullptr},
                      {"evidence", windows != nullptr ? windows->evidence_digest : ""}});
    }
    out->PrintResult(json_, Json{{"boards", list}}, table);
    return ExitCode::kOk;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeBoards() { return std::make_unique<Boards>(); }

}  // namespace fenestra::cli
