// The sweep's side of the worker, against shell scripts that answer, complain, die and hang.
#include "tuner/sweep/worker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "accuracy/error.h"
#include "kernels/program_list.h"
#include "tuner/sweep/task_json.h"

namespace fenestra {
namespace {

constexpr double kTimeout_s = 10;

TaskOutcome Ask(const std::string& script, double timeout_s = kTimeout_s) {
  Worker worker({"/bin/sh", "-c", script});
  const AccuracyTask task{512, 96, Family::kNormal, 4, BackwardProgramsOf(512, 96)};
  return worker.Do(task, timeout_s);
}

TEST(Worker, ReportsATaskThatIsDone) {
  const TaskOutcome outcome = Ask("read task; echo program first; echo program second; echo done");
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.program, "second");
}

TEST(Worker, LaysAnErrorAtTheDoorOfTheLastProgram) {
  const TaskOutcome outcome =
      Ask("read task; echo program bad; echo error it broke; exec sleep 60");
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.program, "bad");
  EXPECT_EQ(outcome.reason, "it broke");
}

TEST(Worker, SurvivesAWorkerThatFaults) {
  const TaskOutcome outcome = Ask("read task; echo program bad; kill -SEGV $$");
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.program, "bad");
  EXPECT_NE(outcome.reason.find("signal 11"), std::string::npos) << outcome.reason;
}

TEST(Worker, SurvivesAWorkerThatLeaves) {
  const TaskOutcome outcome = Ask("exit 3");
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.program, "");
  EXPECT_NE(outcome.reason.find("code 3"), std::string::npos) << outcome.reason;
}

TEST(Worker, GivesUpOnAWorkerThatHangs) {
  const TaskOutcome outcome = Ask("read task; echo program slow; exec sleep 60", 0.3);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.program, "slow");
  EXPECT_NE(outcome.reason.find("hung"), std::string::npos) << outcome.reason;
}

// Found by the fuzzer: such a number was converted to whatever the machine makes of it.
TEST(Task, RefusesNumbersThatItCannotHold) {
  for (const char* width :
       {"5e67", "51111111111111111111111111111112", "2147483648", "-1", "true"}) {
    EXPECT_THROW(
        ParseTask(fmt::format(R"({{"kind": "launch", "width": {}, "programs": []}})", width)),
        Error)
        << width;
  }
}

// What a worker says of its task is one line, whatever the task held.
TEST(Task, IsRefusedInOneLine) {
  try {
    ParseTask(R"({"kind": "launch", "width": 512, "programs": ["a\nb"]})");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), R"(worker: no program 'a\nb' in this build)");
  }
}

}  // namespace
}  // namespace fenestra
