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

// What the searched row counts below say, and how much such a look may miss.
std::string BelowText(const AccuracyEdge& edge) {
  if (edge.searched.empty()) return "";
  return fmt::format(
      "; none of {} at {} row counts from {} on: 19 of 20 such looks would meet one if {:.1f} % of "
      "row counts, evenly by their logarithm, were beyond",
      kInputsPerFamily, edge.searched.size(), edge.searched.front(),
      100 * NoticedShare(edge.searched.size()));
}

// What is known of an edge, and how well.
std::string StateText(const AccuracyEdge& edge) {
  if (!edge.within) return "beyond at the first row count";
  if (!NextProbes(edge).empty()) {
    return fmt::format("not searched to the end: 'fenestra sweep --only edges --margin {}'",
                       edge.margin);
  }
  if (!edge.beyond) {
    return fmt::format("no edge up to there; at most {:.4g}, at {} rows", edge.largest->worst,
                       edge.largest->rows) +
           BelowText(edge);
  }
  const auto inputs = static_cast<std::size_t>(edge.within->inputs);
  return fmt::format(
             "none of {} inputs a family at {} rows is beyond: 19 of 20 such looks would "
             "meet one if {:.1f} % were",
             inputs, edge.within->rows, 100 * NoticedShare(inputs)) +
         BelowText(edge);
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
                     SideText(edge.within), SideText(edge.beyond), StateText(edge)});
          list.push_back({{"width", width},
                          {"program", NameAt(program)},
                          {"margin", margin},
                          {"within", JsonOf(edge.within)},
                          {"beyond", JsonOf(edge.beyond)},
                          {"largest", JsonOf(edge.largest)},
                          {"searched", NextProbes(edge).empty()},
                          {"row_counts_searched", edge.searched},
                          {"known", StateText(edge)}});
        }
      }
    }
    out->PrintResult(json_, Json{{"board", board.name}, {"edges", list}}, table);
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
