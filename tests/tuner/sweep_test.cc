// Sweeps whose worker is a shell script that answers, complains and dies.
#include "tuner/sweep/sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "accuracy/error.h"
#include "db/store.h"
#include "tests/tuner/evidence_builder.h"
#include "tuner/readings.h"

namespace fenestra {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kBoard = "h200_132";
constexpr Route kRoute{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 512};

// What a script says of a task that went well.
constexpr const char* kGood = "echo measured; echo done";

class SweepWithAWorker : public ::testing::Test {
 protected:
  SweepWithAWorker() {
    std::filesystem::create_directories(folder_);
    options_.db = folder_ / "sweep.db";
    options_.board = FindBoard(kBoard);
    options_.routes = {kRoute};
    options_.time = false;
    options_.edges = false;
    options_.max_rows = 1;  // three groups of accuracy, one a family; one of times
    options_.environment = WithId({});
  }
  ~SweepWithAWorker() override { std::filesystem::remove_all(folder_); }

  // Sweeps with a worker that goes by the branches of a shell `case` over the task's line, and does
  // well by any other task.
  SweepSummary Run(const std::string& branches) {
    const std::string log = (folder_ / "tasks").string();
    std::filesystem::remove(log);
    options_.worker = {
        "/bin/sh", "-c",
        fmt::format("while read -r task; do echo \"$task\" >> \"$0\"; case $task in {} *) {};; "
                    "esac; done",
                    branches, kGood),
        log};
    testing::internal::CaptureStderr();
    SweepSummary summary;
    try {
      Progress progress;
      summary = Sweep(options_, &progress);
      EXPECT_DOUBLE_EQ(progress.share(), 1);
    } catch (...) {
      said_ = testing::internal::GetCapturedStderr();
      throw;
    }
    said_ = testing::internal::GetCapturedStderr();
    return summary;
  }

  // The tasks that the workers were given, in order: those to keep, or those only tried.
  std::vector<std::string> Tasks(bool tried) const {
    std::ifstream log(folder_ / "tasks");
    std::vector<std::string> tasks;
    for (std::string line; std::getline(log, line);) {
      if (line.starts_with("try ") == tried) tasks.push_back(line);
    }
    return tasks;
  }

  std::vector<FailureRecord> Failures() const {
    return Store::Open(options_.db, OpenMode::kReadWrite).Load(kBoard).failures;
  }

  // Lines on standard error that begin with "skipped".
  int SkippedLines() const {
    int count = 0;
    for (std::size_t at = 0; (at = said_.find("skipped: ", at)) != std::string::npos; ++at) ++count;
    return count;
  }

  static std::string Quoted(int program) { return '"' + NameAt(program) + '"'; }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / fmt::format("sweep_{}", getpid());
  const std::vector<int> programs_ = BackwardProgramsOf(kRoute.width, 1);
  const int faulty_ = programs_.at(1);
  // A branch: the faulty program brings down its worker while programs take turns.
  const std::string faults_ =
      fmt::format("*'{}'*) echo program {}; echo 'program '; kill -SEGV $$;;", Quoted(faulty_),
                  NameAt(programs_.back()));
  SweepOptions options_;
  std::string said_;  // on standard error
};

TEST_F(SweepWithAWorker, GoesOnWithoutAProgramThatIsNamed) {
  const SweepSummary summary = Run(fmt::format("*'{}'*) echo program {}; echo error it broke;;",
                                               Quoted(faulty_), NameAt(faulty_)));
  EXPECT_EQ(summary.measured, 3);
  EXPECT_EQ(summary.failed, 1) << "one program at one row count, whatever the family";
  EXPECT_EQ(summary.skipped, 0);
  EXPECT_THAT(Failures(), ElementsAre(AllOf(Field(&FailureRecord::program, NameAt(faulty_)),
                                            Field(&FailureRecord::reason, "it broke"))));
  EXPECT_THAT(Tasks(true), IsEmpty());
}

TEST_F(SweepWithAWorker, FindsTheProgramThatAFaultWithoutANameIsOf) {
  const SweepSummary summary = Run(faults_);
  EXPECT_EQ(summary.measured, 3);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(summary.skipped, 0);
  EXPECT_THAT(Failures(),
              ElementsAre(AllOf(Field(&FailureRecord::program, NameAt(faulty_)),
                                Field(&FailureRecord::reason, HasSubstr("signal 11")))));
  // Tried without programs and with each alone; what is kept is of all innocent ones together.
  EXPECT_THAT(Tasks(true), SizeIs(programs_.size() + 1));
  const std::vector<std::string> kept = Tasks(false);
  ASSERT_THAT(kept, SizeIs(4)) << "the one that failed, and one a family";
  EXPECT_THAT(kept[0], HasSubstr(Quoted(faulty_)));
  for (std::size_t i = 1; i < kept.size(); ++i) {
    for (int program : programs_) {
      EXPECT_EQ(kept[i].find(Quoted(program)) == std::string::npos, program == faulty_)
          << kept[i] << " and " << NameAt(program);
    }
  }
  // Run again, it does not fail again.
  EXPECT_EQ(Run(faults_).failed, 0);
  EXPECT_THAT(Tasks(true), IsEmpty());
}

TEST_F(SweepWithAWorker, FindsItAmongTimesAndLaunchesToo) {
  options_.time = true;
  options_.accuracy = false;
  const SweepSummary summary = Run(faults_);
  EXPECT_EQ(summary.measured, 1) << "the times; launches are of more rows";
  EXPECT_EQ(summary.failed, 1);
  EXPECT_THAT(Failures(), ElementsAre(AllOf(Field(&FailureRecord::program, NameAt(faulty_)),
                                            Field(&FailureRecord::rows, 1))));
  options_.max_rows = kLaunchRows;
  const SweepSummary more = Run("*'\"kind\":\"time\"'*) echo measured; echo done;; " + faults_);
  EXPECT_EQ(more.failed, 1) << "of launches";
  EXPECT_EQ(more.skipped, 0);
  EXPECT_THAT(Failures(), SizeIs(1)) << "what launches do says nothing of times";
}

TEST_F(SweepWithAWorker, SkipsAGroupThatFailsThoughNoProgramDoesAlone) {
  const SweepSummary summary =
      Run(fmt::format("try*) {};; *outlier*) echo 'program '; echo error too close;;", kGood));
  EXPECT_EQ(summary.measured, 2);
  EXPECT_EQ(summary.failed, 0);
  EXPECT_EQ(summary.skipped, 1);
  EXPECT_THAT(Failures(), IsEmpty());
  EXPECT_THAT(Tasks(true), SizeIs(programs_.size() + 1));
  EXPECT_THAT(said_, HasSubstr("skipped: h512 outlier 1 rows: fails, and no program does alone: "
                               "too close\n"));
  EXPECT_EQ(SkippedLines(), 1) << said_;
}

// A machine that fails whatever runs makes no program a culprit.
TEST_F(SweepWithAWorker, SkipsAGroupThatFailsWithoutAnyProgram) {
  const SweepSummary summary = Run("*outlier*) echo error no memory;;");
  EXPECT_EQ(summary.measured, 2);
  EXPECT_EQ(summary.failed, 0);
  EXPECT_EQ(summary.skipped, 1);
  EXPECT_THAT(Failures(), IsEmpty());
  EXPECT_THAT(Tasks(true), ElementsAre(HasSubstr("\"programs\":[]")));
  EXPECT_THAT(said_,
              HasSubstr("skipped: h512 outlier 1 rows: fails without any program too: no memory"));
}

// Of one edge, which is the same out of place and in place.
class SweepOfAnEdge : public SweepWithAWorker {
 protected:
  SweepOfAnEdge() {
    test::EvidenceBuilder built;
    for (std::string_view program : {test::kFma, test::kPlain}) {
      built.Flat(program, {64, 512}, 0.001);
    }
    built.Flat(kComparator, {64, 512}, 0.9);
    built.Time(test::kPlain, {{64, 100}, {512, 1000}}).Time(test::kFma, {{64, 200}, {512, 700}});
    built.evidence.environments = {options_.environment};
    for (TimeRecord& time : built.evidence.times) time.key.environment = options_.environment.id;
    for (AccuracyRecord& error : built.evidence.accuracy) {
      error.environment = options_.environment.id;
    }
    Store::Open(options_.db, OpenMode::kCreate).Append(built.evidence);
    options_.routes = {test::kBackward};
    options_.accuracy = false;
    options_.max_rows = kMaxRows;
  }
};

TEST_F(SweepOfAnEdge, SkipsItWhereItFailsThroughNeitherProgram) {
  const SweepSummary summary = Run("*edge*) echo error no memory;;");
  EXPECT_EQ(summary.skipped, 1);
  EXPECT_EQ(SkippedLines(), 1) << said_;
  EXPECT_EQ(summary.failed, 0);
  EXPECT_THAT(said_, HasSubstr("skipped: bwd_w16_h4096 edge at "));
}

TEST_F(SweepOfAnEdge, FailsAProgramOnce) {
  const SweepSummary summary =
      Run(fmt::format("*edge*) echo program {}; echo error it broke;;", test::kFma));
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(summary.skipped, 0);
  EXPECT_THAT(Failures(), ElementsAre(Field(&FailureRecord::program, test::kFma)));
  EXPECT_THAT(Tasks(false), SizeIs(1));
}

TEST_F(SweepWithAWorker, EndsWhereNoWorkerServes) {
  try {
    Run("*) exit 3;;");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kMachine);
    EXPECT_THAT(error.what(), StartsWith("measuring failed before any program ran: the worker "
                                         "ended with code 3"));
  }
  EXPECT_THAT(Tasks(false), SizeIs(1));
  EXPECT_THAT(Failures(), IsEmpty());
}

TEST_F(SweepWithAWorker, EndsWhereWhatIsMeasuredCannotBeStored) {
  try {
    Run(fmt::format("*) echo program {}; echo measured; exit 2;;", NameAt(faulty_)));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kMachine);
    EXPECT_THAT(error.what(), StartsWith("what was measured is not stored: the worker ended with "
                                         "code 2"));
  }
  EXPECT_THAT(Failures(), IsEmpty());
}

}  // namespace
}  // namespace fenestra
