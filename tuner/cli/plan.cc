#include <fmt/format.h>

#include "tuner/choose.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/plan_table.h"
#include "tuner/cli/stored.h"

namespace fenestra::cli {
namespace {

// Edges whose outputs on both sides nobody has compared.
int UnclassedEdges(const Plan& plan) {
  int count = 0;
  ForEachWindow(plan, [&](const Route& route, const PlannedWindow& planned) {
    const bool is_edge = planned.window.lo > 0;
    count += is_edge && !UncomparedOutputs(route, planned.window.classes).empty() ? 1 : 0;
  });
  return count;
}

class PlanCommand final : public Command {
 public:
  const char* name() const override { return "plan"; }
  const char* summary() const override {
    return "Choose windows from the evidence of a board, print them, and store them for export";
  }
  const char* example() const override { return "fenestra plan --board h200_132"; }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    AddRoutes(app, &options_.routes);
    app->add_option("--margin", options_.margin,
                    "Largest fraction of the error budget that a window may reach")
        ->type_name("FRACTION")
        ->check(BudgetFraction())
        ->capture_default_str();
    app->add_option("--noise", options_.noise,
                    "What a window must earn to exist, as a fraction of the time")
        ->type_name("FRACTION")
        ->check(NoiseNumber())
        ->capture_default_str();
    app->add_option("--waive", waivers_,
                    "Let a program pass the margin, for a reason that the header will give: 'ROUTE "
                    "PROGRAM up to ROWS rows to FRACTION: REASON'; may be repeated")
        ->type_name("TEXT");
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    // A plan of some routes would take the others' windows away at the next export.
    const bool whole = ResolveRoutes(options_.routes).size() == AllRoutes().size();
    Store store = Store::Open(db_, whole ? OpenMode::kReadWrite : OpenMode::kReadOnly);
    const Board& board = ResolveStoredBoard(board_, store);
    options_.board = board.name;
    for (const std::string& text : waivers_) options_.waivers.push_back(ResolveWaiver(text));
    const Plan plan = Choose(LoadForChoice(store, board, db_), options_);
    if (!whole) {
      Print(plan, false, "not stored: not all routes", out);
      return ExitCode::kOk;
    }
    try {
      store.SavePlan(plan);
    } catch (const Error&) {
      Print(plan, false, "not stored", out);  // what was chosen is not lost with it
      throw;
    }
    Print(plan, true, "stored", out);
    return ExitCode::kOk;
  }

 private:
  void Print(const Plan& plan, bool stored, std::string_view what_became, Output* out) const {
    Json json = JsonOf(plan);
    json["stored"] = stored;
    out->PrintResult(json_, json, TableOf(plan));
    if (json_) return;
    out->Print(fmt::format("\n{} on {}, margin {} of the budget, noise {}, evidence {}; {}\n",
                           Counted(static_cast<std::int64_t>(plan.routes.size()), "route"),
                           plan.board, plan.margin, plan.noise, plan.evidence, what_became));
    if (const int unclassed = UnclassedEdges(plan); unclassed > 0) {
      out->Print(
          fmt::format("{} not classed: 'fenestra sweep --board {} --only accuracy --margin {} "
                      "--noise {}' runs both sides of each, then plan again\n",
                      Counted(unclassed, "edge"), plan.board, plan.margin, plan.noise));
    }
  }

  static Waiver ResolveWaiver(const std::string& text) {
    if (const std::optional<Waiver> waiver = ParseWaiver(text)) return *waiver;
    throw Error(fmt::format(
        "--waive: '{}' is not 'ROUTE PROGRAM up to ROWS rows to FRACTION: REASON'", text));
  }

  std::string db_;
  std::string board_;
  ChooseOptions options_;
  std::vector<std::string> waivers_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakePlan() { return std::make_unique<PlanCommand>(); }

}  // namespace fenestra::cli
