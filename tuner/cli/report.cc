#include "tuner/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "accuracy/error.h"
#include "db/files.h"
#include "export/report_html.h"
#include "tuner/choose.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/lender.h"

namespace fenestra::cli {
namespace {

class ReportCommand final : public Command {
 public:
  const char* name() const override { return "report"; }
  const char* summary() const override {
    return "Write times, errors, windows, the history of edges and what is uncertain as one HTML "
           "file that opens with no network";
  }
  const char* example() const override {
    return "fenestra report --board h200_132 --out h200_132.html";
  }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    app->add_option("--board", board_, "Only this board; default: every one in the database")
        ->type_name("NAME");
    AddRoutes(app, &routes_);
    AddOut(app, &file_, "The file to write; one that is there is replaced");
    app->get_option("--out")->type_name("FILE.html")->capture_default_str();
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const std::vector<Route> routes = ResolveRoutes(routes_);
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    Report report;
    for (const Board* board : Boards(store)) {
      report.boards.push_back(BoardOf(store, *board, routes));
    }
    report.history = History(store, {.board = board_.empty() ? "" : report.boards.front().name,
                                     .routes = routes_,
                                     .what = HistoryKind::kEdge});
    const std::string html = ReportHtml(report);
    WriteFileAtomically(file_, html);
    Print(report, html.size(), out);
    return ExitCode::kOk;
  }

 private:
  std::vector<const Board*> Boards(const Store& store) const {
    const std::vector<std::string> stored = store.Boards();
    std::vector<const Board*> boards;
    if (board_.empty()) {
      for (const std::string& name : stored) boards.push_back(&ResolveBoard(name));
    } else {
      const Board& board = ResolveStoredBoard(board_, store);
      if (std::find(stored.begin(), stored.end(), board.name) != stored.end()) {
        boards.push_back(&board);
      }
    }
    if (boards.empty()) ThrowNoEvidence(db_, board_.empty() ? "any board" : board_);
    return boards;
  }

  // Holds the evidence of one width and one route at a time.
  static ReportBoard BoardOf(const Store& store, const Board& known,
                             const std::vector<Route>& routes) {
    ReportBoard board;
    board.name = known.name;
    const std::string_view lender = LenderOf(store, known.name);
    board.evidence = store.EvidenceDigest(known.name, lender);
    board.environments = store.LoadEnvironments(known.name);
    for (const Environment& lent : store.LoadEnvironments(lender)) {
      std::vector<Environment>& all = board.environments;
      if (std::find(all.begin(), all.end(), lent) == all.end()) all.push_back(lent);
    }
    ChooseOptions options;
    options.board = known.name;
    std::vector<StoredPlan> plans = store.LoadPlans(known.name);
    std::erase_if(plans, [](const StoredPlan& one) { return one.plan.imported; });
    const Plan* stored = plans.empty() ? nullptr : &plans.back().plan;
    if (stored != nullptr) {
      board.plan_name = fmt::format("plan {}", plans.back().id);
      board.waivers = stored->waivers;
      options.margin = stored->margin;
      options.noise = stored->noise;
    }
    board.margin = options.margin;
    board.noise = options.noise;
    board.doubts = DoubtsOf(board, stored != nullptr && stored->evidence != board.evidence);
    const bool timed = !store.TimedRoutes(lender).empty();
    std::map<int, std::vector<Route>> by_width;
    for (const Route& route : routes) by_width[route.width].push_back(route);
    for (const auto& [width, of_width] : by_width) {
      AddWidth(store, lender, timed, options, stored, of_width, &board);
    }
    std::sort(board.routes.begin(), board.routes.end(),
              [](const ReportRoute& a, const ReportRoute& b) { return a.route < b.route; });
    MergeDoubts(&board.doubts);
    return board;
  }

  // `timed`: the board or its lender has times of any route.
  static void AddWidth(const Store& store, std::string_view lender, bool timed,
                       const ChooseOptions& options, const Plan* stored,
                       const std::vector<Route>& routes, ReportBoard* board) {
    const int width = routes.front().width;
    Evidence evidence = LoadWidthForChoice(store, board->name, lender, width);
    const AccuracyTable accuracy(evidence, board->name, width);
    ReportErrors errors = ReportErrorsOf(accuracy, width);
    for (const Route& route : routes) {
      LoadRouteForChoice(store, board->name, lender, route, &evidence);
      ReportRoute report = ReportRouteOf(evidence, board->name, route, errors);
      SetWindows(evidence, options, stored, timed, &report);
      std::vector<ReportDoubt> doubts = DoubtsOf(evidence, *board, report, accuracy);
      std::move(doubts.begin(), doubts.end(), std::back_inserter(board->doubts));
      if (report.programs.empty() && !report.plan) continue;
      board->routes.push_back(std::move(report));
    }
    if (!errors.curves.empty()) board->errors.push_back(std::move(errors));
  }

  // The stored plan's windows; where no plan is stored, those chosen here, or why there are none.
  static void SetWindows(const Evidence& evidence, ChooseOptions options, const Plan* stored,
                         bool board_timed, ReportRoute* report) {
    if (stored != nullptr) {
      const auto found =
          std::find_if(stored->routes.begin(), stored->routes.end(),
                       [&](const RoutePlan& plan) { return plan.route == report->route; });
      if (found != stored->routes.end()) report->plan = *found;
      if (!report->plan && !report->programs.empty()) {
        report->no_plan = "the stored plan does not have the route";
      }
      return;
    }
    // Forward routes are chosen by time alone, where there is any.
    if (report->route.pass == Pass::kForward && board_timed && report->times.empty()) return;
    options.routes = ToString(report->route);
    try {
      std::vector<RoutePlan> plans = Choose(evidence, options).routes;
      if (!plans.empty()) report->plan = std::move(plans.front());
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kCheckFailed) throw;
      report->no_plan = error.what();
    }
  }

  void Print(const Report& report, std::size_t bytes, Output* out) const {
    Table table({{"board"},
                 {"plan"},
                 {"routes", Align::kRight},
                 {"windows", Align::kRight},
                 {"uncertain", Align::kRight}});
    Json list = Json::array();
    for (const ReportBoard& board : report.boards) {
      std::size_t windows = 0;
      for (const ReportRoute& route : board.routes) {
        if (route.plan) windows += route.plan->windows.size();
      }
      const std::string plan = board.plan_name.empty() ? "chosen here" : board.plan_name;
      table.Add({board.name, plan, fmt::format("{}", board.routes.size()),
                 fmt::format("{}", windows), fmt::format("{}", board.doubts.size())});
      list.push_back({{"board", board.name},
                      {"plan", plan},
                      {"routes", board.routes.size()},
                      {"windows", windows},
                      {"uncertain", board.doubts.size()}});
    }
    out->PrintResult(json_, {{"report", file_}, {"bytes", bytes}, {"boards", list}}, table);
    if (!json_) {
      out->Print(fmt::format("\n{}: {} bytes, {} of history\n", file_,
                             Grouped(static_cast<std::int64_t>(bytes)),
                             Counted(static_cast<std::int64_t>(report.history.size()), "edge")));
    }
  }

  std::string db_;
  std::string board_;
  std::string routes_;
  std::string file_ = "fenestra-report.html";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeReport() { return std::make_unique<ReportCommand>(); }

}  // namespace fenestra::cli
