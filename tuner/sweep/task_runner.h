// Tasks of a sweep done in workers, and whose doing it is when one fails with no program named.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/sweep/tasks.h"
#include "tuner/sweep/worker.h"

namespace fenestra {

// Whose doing a failure is: each culprit's name and what became of it, or, where there is none, why
// the task cannot be done, in one line.
struct Blame {
  std::vector<TaskOutcome> culprits;
  std::string reason;
};

class TaskRunner {
 public:
  // `command` starts a worker (worker.h) and must outlive this.
  explicit TaskRunner(const std::vector<std::string>& command) : command_(command) {}

  // Tasks with the same `process` share a worker while they follow one another and succeed. Throws
  // Error where no other task would fare better: the worker leaves before any program runs, or what
  // it measured cannot be stored.
  TaskOutcome Do(const Task& task, const std::string& process, double cost_s);

  // Whose doing it is that the task failed. Where no program of it was named, it is tried without
  // programs, then with each alone, every time in a fresh worker and with nothing stored: a program
  // is to blame for what it does alone and the task without it does not. Throws Error as Do does.
  template <typename OneTask>
  Blame BlameFor(OneTask task, const TaskOutcome& outcome) const {
    const std::vector<int> programs = std::exchange(task.programs, {});
    for (int program : programs) {
      if (NameAt(program) == outcome.program) return {{outcome}, {}};
    }
    const TaskOutcome bare = Try(task, CostOf(task));
    if (!bare.ok) return {{}, "fails without any program too: " + bare.reason};
    Blame blame;
    for (int program : programs) {
      task.programs = {program};
      TaskOutcome alone = Try(task, CostOf(task));
      if (alone.ok) continue;
      alone.program = NameAt(program);
      blame.culprits.push_back(std::move(alone));
    }
    if (blame.culprits.empty())
      blame.reason = "fails, and no program does alone: " + outcome.reason;
    return blame;
  }

  // Ends the worker, if there is one.
  void Stop() { worker_.reset(); }

 private:
  TaskOutcome Try(const Task& task, double cost_s) const;

  const std::vector<std::string>& command_;
  std::unique_ptr<Worker> worker_;
  std::string process_;  // of worker_
};

}  // namespace fenestra
