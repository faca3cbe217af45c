// What a report calls uncertain: facts of the evidence and of the plan, no judgement but one limit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "tuner/report.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

constexpr double kNear = 0.8;  // of the margin: an error from here on is worth a look

// Collects doubts of one route.
class Collector {
 public:
  Collector(const Evidence& evidence, const ReportBoard& board, const ReportRoute& route,
            const AccuracyTable& accuracy)
      : evidence_(evidence), board_(board), route_(route), accuracy_(accuracy) {}

  std::vector<ReportDoubt> Collect() {
    AddFailures();
    AddDiscarded();
    if (!route_.plan) {
      if (!route_.no_plan.empty()) {
        Add(DoubtKind::kNoWindows, "", "", route_.no_plan, Command("sweep"));
      }
      return std::move(doubts_);
    }
    AddBases();
    AddWindows(route_.plan->windows);
    form_ = " in place";
    AddWindows(route_.plan->in_place);
    form_ = "";
    for (const Waiver& waiver : board_.waivers) {
      if (waiver.route != route_.route) continue;
      Add(DoubtKind::kWaived, RowsText(0, waiver.rows), waiver.program,
          fmt::format("allowed {:.3g} of the budget: {}", waiver.fraction, waiver.reason), "");
    }
    return std::move(doubts_);
  }

 private:
  bool backward() const { return route_.route.pass == Pass::kBackward; }

  // Windows in place that are those out of place have no doubts of their own.
  void AddWindows(const std::vector<PlannedWindow>& windows) {
    const std::vector<PlannedWindow>& out_of_place = route_.plan->windows;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const PlannedWindow& planned = windows[i];
      if (&windows != &out_of_place &&
          std::find(out_of_place.begin(), out_of_place.end(), planned) != out_of_place.end()) {
        continue;
      }
      if (i > 0) AddUnclassed(windows[i - 1], planned);
      if (planned.window.edge == EdgeKind::kTop) {
        Add(DoubtKind::kUnqualified, RowsText(planned.window.lo, planned.window.hi), "",
            fmt::format("nothing is sampled above {} rows", planned.window.lo), "");
        continue;
      }
      if (backward()) AddAccuracy(planned);
      AddSessions(planned);
    }
  }

  // Names no route, so that routes in the same doubt share it.
  std::string Command(std::string_view command) const {
    return fmt::format("fenestra {} --board {}", command, board_.name);
  }

  void Add(DoubtKind kind, std::string rows, std::string program, std::string text,
           std::string remedy) {
    if (!program.empty()) program += form_;
    doubts_.push_back({kind,
                       std::move(rows),
                       std::move(program),
                       std::move(text),
                       std::move(remedy),
                       {route_.route}});
  }

  void AddFailures() {
    for (const FailureRecord& failure : evidence_.failures) {
      if (failure.board != board_.name || failure.route != route_.route) continue;
      Add(DoubtKind::kFailure, fmt::format("{}", failure.rows), failure.program,
          fmt::format("view {}: {}", ToString(failure.view), failure.reason), "");
    }
  }

  void AddDiscarded() {
    std::map<std::string, int> rounds;
    std::map<std::string, std::set<std::int64_t>> rows;
    for (const TimeRecord& record : evidence_.times) {
      if (record.key.board != board_.name || record.rounds_discarded == 0) continue;
      rounds[record.key.program] += record.rounds_discarded;
      rows[record.key.program].insert(record.key.rows);
    }
    for (const auto& [program, count] : rounds) {
      Add(DoubtKind::kDiscarded, Span(rows[program]), program,
          fmt::format("rounds repeated at a lowered clock: {}", count), "");
    }
  }

  void AddUnclassed(const PlannedWindow& below, const PlannedWindow& above) {
    const std::vector<std::string_view> outputs =
        UncomparedOutputs(route_.route, above.window.classes);
    if (outputs.empty()) return;
    Add(DoubtKind::kUnclassed, fmt::format("{}", above.window.lo), above.program,
        fmt::format("{} not compared with {}", fmt::join(outputs, " and "), below.program),
        Command("sweep"));
  }

  // One doubt where it is true of every window below the top, else one for each.
  void AddWhere(DoubtKind kind, Basis Window::*basis, Basis value, const std::string& text,
                const std::string& remedy) {
    std::vector<const PlannedWindow*> rest;
    std::size_t all = 0;
    for (const PlannedWindow& planned : route_.plan->windows) {
      if (planned.window.edge == EdgeKind::kTop) continue;
      ++all;
      if (planned.window.*basis == value) rest.push_back(&planned);
    }
    if (rest.empty()) return;
    if (rest.size() == all) return Add(kind, "", "", text, remedy);
    for (const PlannedWindow* planned : rest) {
      Add(kind, RowsText(planned->window.lo, planned->window.hi), planned->program, text, remedy);
    }
  }

  void AddBases() {
    const std::string time = Command("sweep --only time");
    AddWhere(DoubtKind::kNotTimed, &Window::time, Basis::kNone, "no time on this board", time);
    AddWhere(DoubtKind::kBorrowed, &Window::time, Basis::kBorrowed,
             fmt::format("the time is that of {}", route_.timed_on), time);
    if (!backward()) return;
    AddWhere(DoubtKind::kStoodIn, &Window::accuracy, Basis::kStoodIn,
             "dw error was run elsewhere, with this board's split of rows", "");
    AddWhere(DoubtKind::kBorrowed, &Window::accuracy, Basis::kBorrowed,
             "dw error is another board's", Command("sweep --only accuracy"));
  }

  void AddAccuracy(const PlannedWindow& planned) {
    const auto found =
        std::find_if(route_.programs.begin(), route_.programs.end(),
                     [&](const ReportProgram& one) { return one.name == planned.program; });
    if (found == route_.programs.end()) return;
    const AccuracyRecord* worst = nullptr;
    std::set<std::int64_t> few;
    int least_inputs = kInputsPerFamily;
    for (std::int64_t rows : accuracy_.RowsOf(found->measured_as)) {
      if (rows <= planned.window.lo || rows > planned.window.hi) continue;
      const AccuracyRecord* record = accuracy_.Worst(found->measured_as, rows);
      if (worst == nullptr || record->worst > worst->worst) worst = record;
      if (record->key.inputs < kInputsPerFamily) few.insert(rows);
      least_inputs = std::min(least_inputs, record->key.inputs);
    }
    if (worst != nullptr && worst->worst >= kNear * board_.margin) {
      Add(DoubtKind::kNearMargin, fmt::format("{}", worst->key.rows), planned.program,
          fmt::format("{:.3g} of the budget is {:.0f} % of the margin", worst->worst,
                      100 * worst->worst / board_.margin),
          "");
    }
    if (!few.empty()) {
      Add(DoubtKind::kFewInputs, Span(few), planned.program,
          fmt::format("inputs a family: {}, where the protocol asks for {}", least_inputs,
                      kInputsPerFamily),
          Command("sweep --only accuracy --profile full"));
    }
  }

  // Row counts in the window at which its program has fewer formal sessions than a full sweep runs.
  void AddSessions(const PlannedWindow& planned) {
    std::map<std::pair<View, std::int64_t>, std::set<std::pair<std::string, int>>> sessions;
    for (const TimeRecord& record : evidence_.times) {
      const TimeKey& key = record.key;
      if (key.board != board_.name || key.program != planned.program ||
          key.rows <= planned.window.lo || key.rows > planned.window.hi) {
        continue;
      }
      auto& at = sessions[{key.view, key.rows}];
      if (key.session > 0) at.insert({key.environment, key.session});
    }
    std::set<std::int64_t> few;
    for (const auto& [place, at] : sessions) {
      if (at.size() < static_cast<std::size_t>(kFormalSessions)) few.insert(place.second);
    }
    if (few.empty()) return;
    Add(DoubtKind::kFewSessions, Span(few), planned.program,
        fmt::format("row counts timed in fewer than {} formal sessions: {}", kFormalSessions,
                    few.size()),
        Command("sweep --only time --profile full"));
  }

  static std::string Span(const std::set<std::int64_t>& rows) {
    return rows.size() == 1 ? fmt::format("{}", *rows.begin())
                            : fmt::format("{} to {}", *rows.begin(), *rows.rbegin());
  }

  const Evidence& evidence_;
  const ReportBoard& board_;
  const ReportRoute& route_;
  const AccuracyTable& accuracy_;
  std::string form_;  // of the windows looked at, after a program's name
  std::vector<ReportDoubt> doubts_;
};

}  // namespace

std::vector<ReportDoubt> DoubtsOf(const Evidence& evidence, const ReportBoard& board,
                                  const ReportRoute& route, const AccuracyTable& accuracy) {
  return Collector(evidence, board, route, accuracy).Collect();
}

std::vector<ReportDoubt> DoubtsOf(const ReportBoard& board, bool stale) {
  const std::string remedy = fmt::format("fenestra plan --board {}", board.name);
  std::vector<ReportDoubt> doubts;
  const auto add = [&](DoubtKind kind, std::string text, std::string command) {
    doubts.push_back({kind, "", "", std::move(text), std::move(command), {}});
  };
  if (stale) {
    add(DoubtKind::kStalePlan,
        fmt::format("{} was chosen from other evidence than the database now holds",
                    board.plan_name),
        remedy);
  }
  if (board.plan_name.empty()) {
    add(DoubtKind::kNotStored,
        fmt::format("windows were chosen for this report, with margin {} and noise {}",
                    board.margin, board.noise),
        remedy);
  }
  // What can change a time; the commit alone does not.
  std::set<std::tuple<std::string, std::string, std::string, std::string>> kinds;
  for (const Environment& one : board.environments) {
    if (one.gpu != "none") kinds.insert({one.gpu, one.driver, one.toolkit, one.compiler});
  }
  if (kinds.size() > 1) {
    std::vector<std::string> texts;
    texts.reserve(kinds.size());
    for (const auto& [gpu, driver, toolkit, compiler] : kinds) {
      texts.push_back(fmt::format("{}, driver {}, toolkit {}, {}", gpu, driver, toolkit, compiler));
    }
    add(DoubtKind::kEnvironments,
        fmt::format("measured in {} environments: {}", kinds.size(), fmt::join(texts, "; ")), "");
  }
  return doubts;
}

}  // namespace fenestra
