// Measuring in a process of its own: a program that faults or hangs costs its own measurement, and
// the sweep goes on.
//
// The worker reads tasks, one line each, and answers with lines: "program NAME" before a program
// first runs (without a name: what follows is no program's doing), then "done" or "error TEXT". It
// writes the evidence into the store itself; where it cannot, it ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "tuner/sweep/meter.h"
#include "tuner/sweep/task_json.h"

namespace fenestra {

// The worker's side: serves tasks from `in` until it ends.
void ServeTasks(const MeterContext& context, const std::filesystem::path& db, std::istream& in,
                std::ostream& out);

// How a task went. `program` is the last one announced; empty when none was.
struct TaskOutcome {
  bool ok = false;
  std::string program;
  std::string reason;  // one line, when not ok
};

// The sweep's side. The process is killed with its parent, and when this is destroyed.
class Worker {
 public:
  // `command`: program and arguments.
  explicit Worker(const std::vector<std::string>& command);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Sends a task and waits for its answer, at most `timeout_s` seconds. After an outcome that is
  // not ok the worker is of no more use.
  TaskOutcome Do(const Task& task, double timeout_s);

 private:
  bool ReadLine(double deadline_s, std::string* line, std::string* why_not);
  std::string HowItEnded();

  pid_t pid_ = -1;
  int channel_ = -1;
  std::string pending_;
};

}  // namespace fenestra
