#include "tuner/sweep/task_runner.h"

#include <fmt/format.h>

#include "accuracy/error.h"

namespace fenestra {
namespace {

// A task that takes this many times its estimated cost, and a fixed allowance, hangs.
constexpr double kHangFactor = 30;
constexpr double kHangAllowance_s = 60;

double TimeoutOf(double cost_s) { return kHangAllowance_s + kHangFactor * cost_s; }

// A worker that leaves has said why on standard error.
void CheckOthersMayFareBetter(const TaskOutcome& outcome) {
  if (outcome.ok) return;
  if (outcome.stage == TaskStage::kStoring) {
    throw Error(fmt::format("what was measured is not stored: {}: see what it said, and sweep "
                            "again to go on",
                            outcome.reason),
                ExitCode::kMachine);
  }
  if (outcome.stage == TaskStage::kBegin && outcome.left) {
    throw Error(fmt::format("measuring failed before any program ran: {}: see what it said",
                            outcome.reason),
                ExitCode::kMachine);
  }
}

}  // namespace

TaskOutcome TaskRunner::Do(const Task& task, const std::string& process, double cost_s) {
  if (worker_ == nullptr || process != process_) {
    worker_.reset();
    worker_ = std::make_unique<Worker>(command_);
    process_ = process;
  }
  TaskOutcome outcome = worker_->Do(task, TimeoutOf(cost_s));
  if (!outcome.ok) worker_.reset();
  CheckOthersMayFareBetter(outcome);
  return outcome;
}

TaskOutcome TaskRunner::Try(const Task& task, double cost_s) const {
  Worker worker(command_);
  TaskOutcome outcome = worker.Try(task, TimeoutOf(cost_s));
  CheckOthersMayFareBetter(outcome);
  return outcome;
}

}  // namespace fenestra
