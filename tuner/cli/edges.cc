#include <fmt/format.h>

#include <array>
#include <set>

#include "accuracy/error.h"
#include "tuner/accuracy_edges.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/sweep/sweep.h"
#include "tuner/sweep/tasks.h"

namespace fenestra::cli {
namespace {

Json JsonOf(const std::optional<EdgeSide>& side) {
  if (!side) return nullptr;
  return {{"rows", side->rows},
          {"worst", FractionJson(side->worst)},
          {"family", ToString(side->family)},
          {"seed", side->seed},
          {"column", side->column},
          {"inputs", side->inputs}};
}

std::string SideText(const std::optional<EdgeSide>& side) {
  if (!side) return "-";
  return fmt::format("{}: {:.4g} ({} x {})", side->rows, side->worst, side->inputs,
                     kFamilies.size());
}

// What is known of an edge; LookText says how much that is.
std::string StateText(const AccuracyEdge& edge, std::string_view board) {
  if (!edge.within) return "beyond at the first row count";
  if (!NextProbes(edge).empty()) {
    return fmt::format(
        "not searched to the end: 'fenestra sweep --board {} --only edges --margin {}'", board,
        edge.margin);
  }
  const std::string searched = edge.searched.empty()
                                   ? ""
                                   : fmt::format("searched at {} row counts from {} on",
                                                 edge.searched.size(), edge.searched.front());
  if (edge.beyond) return edge.searched.empty() ? "measured at every row count below" : searched;
  return fmt::format("no edge up to there; at most {:.4g}, at {} rows{}{}", edge.largest->worst,
                     edge.largest->rows, searched.empty() ? "" : "; ", searched);
}

std::string LookText() {
  return fmt::format(
      "searched: none of {} inputs a family is beyond at the last row count within, and none of {} "
      "at those below.\n19 of 20 such looks would meet one if {:.1f} % of inputs, or at {} of them "
      "{:.1f} % of row counts (evenly by log rows), were beyond.\n",
      kInputsNearEdge, kInputsPerFamily, 100 * NoticedShare(kInputsNearEdge), kSearchedBelow,
      100 * NoticedShare(kSearchedBelow));
}

class EdgesCommand final : public Command {
 public:
  const char* name() const override { return "edges"; }
  const char* summary() const override {
    return "Show up to which row count each scheme of the dw sums stays within a margin of the "
           "error budget";
  }
  const char* example() const override {
    return "fenestra edges --board h200_132 --routes 'bwd_*_h512'";
  }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    AddRoutes(app, &routes_);
    app->add_option("--margin", margins_, "Fractions of the budget; default: 0.25 and 0.8")
        ->type_name("FRACTION")
        ->check(BudgetFraction(1000))
        ->delimiter(',');
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    const Board& board = ResolveStoredBoard(board_, store);
    const Evidence evidence = LoadEvidence(store, board, db_);
    std::vector<double> margins = margins_;
    if (margins.empty()) margins.assign(kSearchedMargins.begin(), kSearchedMargins.end());
    Table table({{"width", Align::kRight},
                 {"program"},
                 {"margin", Align::kRight},
                 {"within up to (inputs)"},
                 {"beyond from (inputs)"},
                 {"known"}});
    Json list = Json::array();
    for (int width : WidthsAsked()) {
      const AccuracyTable accuracy(evidence, board.name, width);
      for (int program : BackwardProgramsOf(width, 1)) {
        if (accuracy.RowsOf(NameAt(program)).empty()) continue;
        for (double margin : margins) {
          const AccuracyEdge edge = FindAccuracyEdge(accuracy, NameAt(program), margin);
          table.Add({fmt::format("{}", width), NameAt(program), fmt::format("{}", margin),
                     SideText(edge.within), SideText(edge.beyond), StateText(edge, board.name)});
          list.push_back({{"width", width},
                          {"program", NameAt(program)},
                          {"margin", margin},
                          {"within", JsonOf(edge.within)},
                          {"beyond", JsonOf(edge.beyond)},
                          {"largest", JsonOf(edge.largest)},
                          {"searched", NextProbes(edge).empty()},
                          {"row_counts_searched", edge.searched},
                          {"known", StateText(edge, board.name)}});
        }
      }
    }
    out->PrintResult(json_, Json{{"board", board.name}, {"edges", list}}, table);
    if (!json_) out->Print(LookText());
    return ExitCode::kOk;
  }

 private:
  std::set<int> WidthsAsked() const {
    std::set<int> widths = BackwardWidths(ResolveRoutes(routes_));
    if (widths.empty()) {
      throw Error(
          fmt::format("--routes: '{}' names forward routes alone, which have no dw: ask for "
                      "backward ones, as 'bwd_*'",
                      routes_));
    }
    return widths;
  }

  std::string db_;
  std::string board_;
  std::string routes_;
  std::vector<double> margins_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeEdges() { return std::make_unique<EdgesCommand>(); }

}  // namespace fenestra::cli
