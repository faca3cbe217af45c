// The sweep's side of the worker, against shell scripts that answer, complain, die and hang.
#include "tuner/sweep/worker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "accuracy/error.h"
#include "db/store.h"
#include "kernels/board.h"
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

TEST(Worker, TellsHowFarATaskGot) {
  EXPECT_EQ(Ask("read task; echo 'program '; echo error early").stage, TaskStage::kBegin);
  const TaskOutcome turns = Ask("read task; echo program x; echo 'program '; kill -SEGV $$");
  EXPECT_EQ(turns.stage, TaskStage::kRunning);
  EXPECT_EQ(turns.program, "");
  EXPECT_FALSE(turns.left) << "a signal ended it";
  const TaskOutcome storing = Ask("read task; echo program x; echo measured; exit 2");
  EXPECT_EQ(storing.stage, TaskStage::kStoring);
  EXPECT_TRUE(storing.left);
}

// A meter whose evidence is one accuracy record.
class FakeMeter final : public GpuMeter {
 public:
  explicit FakeMeter(MeterContext context) : context_(std::move(context)) {}
  Group Measure(const TimeTask&) override { throw Error("no times"); }
  Group Measure(const EdgeTask&) override { throw Error("no edges"); }
  Group Measure(const LaunchTask&) override { throw Error("no launches"); }
  Group Measure(const AccuracyTask& task) override {
    context_.announce("x");
    AccuracyRecord record;
    record.key = {.board = context_.board->name,
                  .width = task.width,
                  .rows = task.rows,
                  .program = "eager",
                  .family = task.family,
                  .inputs = task.inputs};
    record.environment = context_.environment.id;
    Group group;
    group.evidence.environments = {context_.environment};
    group.evidence.accuracy = {record};
    return group;
  }

 private:
  const MeterContext context_;
};

class ServedTasks : public ::testing::Test {
 protected:
  ServedTasks() {
    std::filesystem::remove(db_);
    (void)Store::Open(db_, OpenMode::kCreate);
  }
  ~ServedTasks() override { std::filesystem::remove(db_); }

  std::string AnswersTo(const std::string& lines) const {
    MeterContext context;
    context.board = FindBoard("h200_132");
    context.environment = environment_;
    std::istringstream in(lines);
    std::ostringstream out;
    ServeTasks(context, db_, in, out,
               [](const MeterContext& of_meter) { return std::make_unique<FakeMeter>(of_meter); });
    return out.str();
  }

  std::size_t Stored() const {
    return Store::Open(db_, OpenMode::kReadWrite).Load("h200_132").accuracy.size();
  }

  const std::filesystem::path db_ =
      std::filesystem::path(::testing::TempDir()) / fmt::format("worker_{}.db", getpid());
  const std::string task_ = ToLine(AccuracyTask{512, 96, Family::kNormal, 4, {}});
  Environment environment_ = WithId({});
};

TEST_F(ServedTasks, AreStored) {
  EXPECT_EQ(AnswersTo(task_ + "\n"), "program x\nmeasured\ndone\n");
  EXPECT_EQ(Stored(), 1U);
}

TEST_F(ServedTasks, AreNotStoredWhereTheyAreTried) {
  EXPECT_EQ(AnswersTo("try " + task_ + "\n"), "program x\nmeasured\ndone\n");
  EXPECT_EQ(Stored(), 0U);
}

TEST_F(ServedTasks, AreRefusedInALine) {
  EXPECT_EQ(AnswersTo(ToLine(LaunchTask{512, {}}) + "\nrubbish\n").substr(0, 35),
            "error no launches\nerror worker: not");
}

// An environment whose id is not its digest: the store takes no such record.
TEST_F(ServedTasks, EndTheWorkerWhereTheyCannotBeStored) {
  environment_.id = "";
  EXPECT_THROW(AnswersTo(task_ + "\n"), Error);
  EXPECT_EQ(Stored(), 0U);
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
