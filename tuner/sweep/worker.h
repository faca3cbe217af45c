// Measuring in a process of its own: a program that faults or hangs costs its own measurement, and
// the sweep goes on.
//
// The worker reads tasks, one line each, and answers with lines: "program NAME" before a program
// first runs (without a name: what follows is no program's doing), then "error TEXT", or "measured"
// and "done". Between those two it writes the evidence into the store itself; where it cannot, it
// ends. Of a task after "try " nothing is stored.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "tuner/sweep/meter.h"
#include "tuner/sweep/task_json.h"

namespace fenestra {

using MakeMeter = std::function<std::unique_ptr<GpuMeter>(const MeterContext& context)>;

// The worker's side: serves tasks from `in` until it ends.
void ServeTasks(const MeterContext& context, const std::filesystem::path& db, std::istream& in,
                std::ostream& out, const MakeMeter& make_meter = MakeGpuMeter);

// How far a task got.
enum class TaskStage : int {
  kBegin = 0,    // no program was announced
  kRunning = 1,  // one was
  kStoring = 2,  // all was measured
};

// How a task went. `program` is the last one announced; empty when none was, or when what followed
// was no single program's doing.
struct TaskOutcome {
  bool ok = false;
  TaskStage stage = TaskStage::kBegin;
  bool left = false;  // not ok: the worker ended by itself, with an exit code
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
  // The same, and nothing is stored.
  TaskOutcome Try(const Task& task, double timeout_s);

 private:
  TaskOutcome Ask(const std::string& line, double timeout_s);
  // False, with the outcome's `reason` and `left`, when none came.
  bool ReadLine(double deadline_s, std::string* line, TaskOutcome* outcome);
  void SayHowItEnded(TaskOutcome* outcome);

  pid_t pid_ = -1;
  int channel_ = -1;
  std::string pending_;
};

}  // namespace fenestra
