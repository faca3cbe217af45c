#include "tuner/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>

#include "accuracy/error.h"
#include "db/store.h"
#include "kernels/program_list.h"
#include "tuner/choose.h"
#include "tuner/lender.h"
#include "tuner/sweep/meter.h"
#include "tuner/sweep/task_runner.h"

namespace fenestra {
namespace {

constexpr int kReleaseSessions = 8;

// Failures are kept by route; those of accuracy under the FP32-weight twin.
Route RouteOf(const TimeTask& task) { return task.route; }
Route RouteOf(const AccuracyTask& task) {
  return {.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = task.width};
}
View ViewOf(const TimeTask& task) { return task.view; }
View ViewOf(const AccuracyTask&) { return View::kRows; }
std::int64_t RowsOf(const TimeTask& task) { return task.rows(); }
std::int64_t RowsOf(const AccuracyTask& task) { return task.rows; }
std::int64_t RowsOf(const LaunchTask&) { return kLaunchRows; }

// Tasks of one worker process follow one another; a change of this text starts a new one.
std::string ProcessOf(const TimeTask& task) {
  return fmt::format("{} session {}", ToString(task.route), task.session);
}
std::string ProcessOf(const AccuracyTask& task) { return fmt::format("h{} accuracy", task.width); }
std::string ProcessOf(const LaunchTask& task) { return fmt::format("h{} launches", task.width); }

std::string Label(const TimeTask& task) {
  return fmt::format("{} {} {} rows, session {}", ToString(task.route), ToString(task.view),
                     task.rows(), task.session);
}
std::string Label(const AccuracyTask& task) {
  return fmt::format("h{} {} {} rows", task.width, ToString(task.family), task.rows);
}
std::string Label(const LaunchTask& task) { return fmt::format("h{} launches", task.width); }

class Sweeper {
 public:
  Sweeper(const SweepOptions& options, Progress* progress)
      : options_(options),
        progress_(*progress),
        store_(Store::Open(options.db, options.time || options.accuracy ? OpenMode::kCreate
                                                                        : OpenMode::kReadWrite)),
        runner_(options.worker) {}

  SweepSummary Run() {
    std::vector<TimeTask> screening;
    if (options_.time) screening = ScreeningTasks(options_.routes, options_.profile);
    const std::vector<AccuracyTask> accuracy =
        options_.accuracy ? AccuracyTasks(options_.routes, options_.profile, options_.board->name)
                          : std::vector<AccuracyTask>{};
    const int sessions = !options_.time || options_.profile == Profile::kQuick ? 0
                         : options_.profile == Profile::kFull                  ? kFormalSessions
                                                                               : kReleaseSessions;
    RunAll(screening);
    RunAll(accuracy);
    if (options_.edges) {
      RunAll(ProbeTasks(options_.probes));
      SearchEdges();
    }
    if (options_.time) RunAll(LaunchTasks(options_.routes));
    for (int session = 1; session <= sessions; ++session) {
      RunAll(FormalTasks(screening, store_.Load(options_.board->name), options_.environment.id,
                         session));
    }
    ClassEdges();
    return summary_;
  }

 private:
  TimeGroup GroupOf(const TimeTask& task) const {
    return {.board = std::string(options_.board->name),
            .route = task.route,
            .view = task.view,
            .rows = task.rows(),
            .environment = options_.environment.id,
            .session = task.session};
  }

  // The task less the programs that are there or have failed. What is left of a group that another
  // process began (more candidates since, a new program, a second sweep) is timed as one process
  // more, beside a floor of its own.
  TimeTask Remaining(TimeTask task) const {
    const TimeGroup group = GroupOf(task);
    const auto is_there = [&](const std::string& name, int processes) {
      return store_.HasTimes(group, std::vector{name}, processes);
    };
    std::erase_if(task.programs, [&](int program) { return is_there(NameAt(program), 1); });
    while (is_there("stream", task.process + 1)) ++task.process;
    return task;
  }

  // The task less what is there or has failed.
  AccuracyTask Remaining(AccuracyTask task) const {
    const TimeGroup failures{.board = std::string(options_.board->name),
                             .route = RouteOf(task),
                             .view = View::kRows,
                             .rows = task.rows,
                             .environment = options_.environment.id};
    std::erase_if(task.programs, [&](int program) {
      AccuracyKey key{.board = std::string(options_.board->name),
                      .width = task.width,
                      .rows = task.rows,
                      .program = NameAt(program),
                      .family = task.family,
                      .inputs = task.inputs};
      bool present = store_.HasAccuracy(key);
      key.reference = Reference::kEagerRstd;
      if (RecordsAllAt(task.width, task.rows)) present = present && store_.HasAccuracy(key);
      return present || store_.HasFailure(failures, key.program);
    });
    return task;
  }

  LaunchTask Remaining(LaunchTask task) const {
    const std::string board(options_.board->name);
    const std::string& environment = options_.environment.id;
    std::erase_if(task.programs, [&](int program) {
      const std::string name = NameAt(program);
      bool present = true;
      for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
        present = present && store_.HasKernel({board, name, weight, environment});
      }
      for (int beside_kib : kBesideKib) {
        present = present && store_.HasWait({board, name, beside_kib, environment});
      }
      return present;
    });
    return task;
  }

  bool IsOverBudget() const {
    return options_.budget_s > 0 && progress_.elapsed_s() > options_.budget_s;
  }

  template <typename OneTask>
  void RunAll(const std::vector<OneTask>& tasks) {
    std::vector<OneTask> todo;
    for (const OneTask& task : tasks) {
      if (RowsOf(task) > options_.max_rows) continue;
      OneTask remaining = Remaining(task);
      if (remaining.programs.empty()) {
        ++summary_.present;
        continue;
      }
      if (skipped_.contains(ToLine(remaining))) continue;
      progress_.Add(CostOf(remaining));
      todo.push_back(std::move(remaining));
    }
    // Worker processes are per route (or width): gather what one of them does.
    std::stable_sort(todo.begin(), todo.end(), [](const OneTask& a, const OneTask& b) {
      return ProcessOf(a) < ProcessOf(b);
    });
    if (options_.worker.empty()) {
      std::stable_sort(todo.begin(), todo.end(),
                       [](const OneTask& a, const OneTask& b) { return CostOf(a) < CostOf(b); });
    }
    for (OneTask& task : todo) {
      if (IsOverBudget()) {
        ++summary_.remaining;
        continue;
      }
      const double cost = CostOf(task);  // before programs that fail are taken out
      Run(&task);
      progress_.Done(cost, Label(task));
    }
    runner_.Stop();
  }

  template <typename OneTask>
  void Run(OneTask* task) {
    *task = Remaining(std::move(*task));  // programs may have failed since, in a task before it
    if (task->programs.empty()) {
      ++summary_.present;
      return;
    }
    if constexpr (std::is_same_v<OneTask, AccuracyTask>) {
      if (options_.worker.empty()) {
        store_.Append(MeasureOnHost(HostContext(), *task));
        ++summary_.measured;
        return;
      }
    }
    while (!task->programs.empty()) {
      const TaskOutcome outcome = runner_.Do(*task, ProcessOf(*task), CostOf(*task));
      if (outcome.ok) {
        ++summary_.measured;
        return;
      }
      const Blame blame = runner_.BlameFor(*task, outcome);
      if (blame.culprits.empty()) {
        Skip(*task, Label(*task), blame.reason);
        return;
      }
      for (const TaskOutcome& culprit : blame.culprits) {
        Fail(*task, culprit);
        std::erase(task->programs, FindProgram(culprit.program));
      }
    }
  }

  // Rounds of probes, until every edge is known, the budget is spent, or what is left fails.
  void SearchEdges() {
    std::vector<double> margins(kSearchedMargins.begin(), kSearchedMargins.end());
    if (std::find(margins.begin(), margins.end(), options_.margin) == margins.end()) {
      margins.push_back(options_.margin);
    }
    const std::string_view board = options_.board->name;
    for (int before = -1; before < summary_.measured;) {
      before = summary_.measured;
      const Evidence evidence = store_.Load(board);
      if (evidence.accuracy.empty()) {
        throw Error(fmt::format("no accuracy of {} to search edges in: sweep --only accuracy first",
                                board));
      }
      RunAll(EdgeSearchTasks(options_.routes, evidence, board, margins));
    }
  }

  MeterContext HostContext() const {
    return {.board = options_.board,
            .environment = options_.environment,
            .stood_in = options_.stood_in,
            .threads = options_.threads,
            .announce = [](const std::string&) {}};
  }

  void Skip(const Task& task, const std::string& label, const std::string& reason) {
    skipped_.insert(ToLine(task));
    ++summary_.skipped;
    progress_.Say(fmt::format("skipped: {}: {}", label, reason));
  }

  template <typename OneTask>
  void Fail(const OneTask& task, const TaskOutcome& outcome) {
    RecordFailure(RouteOf(task), ViewOf(task), RowsOf(task), outcome);
  }

  // Not kept: it would stand for a failure of the program's times.
  void Fail(const LaunchTask&, const TaskOutcome& outcome) {
    ++summary_.failed;
    progress_.Say(fmt::format("{}: {}", outcome.program, outcome.reason));
  }

  void RecordFailure(const Route& route, View view, std::int64_t rows, const TaskOutcome& outcome) {
    Group group;
    group.evidence.environments = {options_.environment};
    group.evidence.failures.push_back({.board = std::string(options_.board->name),
                                       .route = route,
                                       .view = view,
                                       .rows = rows,
                                       .program = outcome.program,
                                       .reason = outcome.reason,
                                       .environment = options_.environment.id});
    store_.Append(group);
    ++summary_.failed;
    progress_.Say(fmt::format("{} at {} rows of {}: {}", outcome.program, rows, ToString(route),
                              outcome.reason));
  }

  // Compares the programs on both sides of every edge of the plan that the evidence gives.
  void ClassEdges() {
    Plan plan;
    try {
      ChooseOptions choose;
      choose.board = options_.board->name;
      choose.margin = options_.margin;
      choose.noise = options_.noise;
      plan = Choose(WithLender(store_, choose.board, store_.Load(choose.board)), choose);
    } catch (const Error& error) {
      progress_.Say(fmt::format("no plan yet, so no edges to class: {}", error.what()));
      return;
    }
    for (const RoutePlan& route : plan.routes) {
      if (std::find(options_.routes.begin(), options_.routes.end(), route.route) ==
          options_.routes.end()) {
        continue;
      }
      ClassEdgesOf(route.route, route.windows);
      ClassEdgesOf(route.route, route.in_place);
    }
    runner_.Stop();
  }

  void ClassEdgesOf(const Route& route, const std::vector<PlannedWindow>& windows) {
    for (std::size_t i = 1; i < windows.size(); ++i) {
      const EdgeTask task{route, windows[i].window.lo, windows[i - 1].window.program,
                          windows[i].window.program};
      const EdgeKey key{.board = std::string(options_.board->name),
                        .route = route,
                        .rows = task.rows,
                        .below = windows[i - 1].program,
                        .above = windows[i].program};
      if (task.below == task.above || task.rows > options_.max_rows || store_.HasEdge(key) ||
          skipped_.contains(ToLine(task))) {
        continue;
      }
      if (IsOverBudget()) {
        ++summary_.remaining;
        continue;
      }
      if (options_.worker.empty()) {
        store_.Append(MeasureOnHost(HostContext(), task));
        ++summary_.measured;
        continue;
      }
      const TaskOutcome outcome = runner_.Do(task, "edges", 1);
      if (outcome.ok) {
        ++summary_.measured;
      } else if (outcome.program.empty()) {
        Skip(task, fmt::format("{} edge at {} rows", ToString(route), task.rows), outcome.reason);
      } else {
        RecordFailure(route, View::kRows, task.rows, outcome);
        skipped_.insert(ToLine(task));
      }
    }
  }

  const SweepOptions& options_;
  Progress& progress_;
  Store store_;
  SweepSummary summary_;
  TaskRunner runner_;
  std::set<std::string> skipped_;  // lines of tasks, not to be tried twice
};

}  // namespace

SweepSummary Sweep(const SweepOptions& options, Progress* progress) {
  return Sweeper(options, progress).Run();
}

}  // namespace fenestra
