#include "tuner/sweep/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "accuracy/error.h"
#include "kernels/program_list.h"
#include "tests/tuner/evidence_builder.h"
#include "tuner/accuracy_edges.h"
#include "tuner/sweep/task_json.h"

namespace fenestra {
namespace {

TEST(Tasks, ScreeningTimesEveryProgramInEveryView) {
  const Route route{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 256};
  const auto tasks = ScreeningTasks({route}, Profile::kQuick);
  std::set<View> views;
  for (const TimeTask& task : tasks) {
    views.insert(task.view);
    EXPECT_EQ(task.rows(), task.tokens * HeadsOf(task.view));
    for (int i = 0; i < kProgramCount; ++i) {
      const Program& program = ProgramAt(i);
      const bool expected = program.pass == Pass::kBackward && !program.residual &&
                            program.width == 256 &&
                            (program.structure != Structure::kDual || task.rows() <= kDualRowsMax);
      EXPECT_EQ(std::count(task.programs.begin(), task.programs.end(), i), expected ? 1 : 0)
          << NameAt(i) << " at " << task.rows();
    }
  }
  EXPECT_EQ(views, (std::set{View::kRows, View::kKey, View::kQuery}));
  EXPECT_EQ(tasks.size(), 3 * TimedTokenCounts(Profile::kQuick).size());
}

TEST(Tasks, AccuracyIsMeasuredOncePerWidth) {
  const std::vector<Route> twins{{.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 512},
                                 {.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 512},
                                 {.pass = Pass::kForward, .weight = Dtype::kFp32, .width = 1536}};
  const auto tasks = AccuracyTasks(twins, Profile::kQuick, "r200_212");
  EXPECT_EQ(tasks.size(), 3 * TokenCounts(Profile::kQuick).size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(tasks[i].width, 512);
    if (i > 0) {
      EXPECT_GE(tasks[i].rows, tasks[i - 1].rows);
    }
  }
}

// Screened at 1000 rows: a is fastest but inexact, b 2 % slower and exact, c 10 % slower.
TEST(Tasks, FormalSessionsTakeTheProgramsThatMayBeRouted) {
  const Route route{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 512};
  const std::vector<int> programs = ProgramsOf(route, 1000);
  ASSERT_GE(programs.size(), 4U);
  const int a = programs[0], b = programs[1], c = programs[2], d = programs[3];
  TimeTask screened{.route = route, .tokens = 1000, .programs = {a, b, c, d}};
  Evidence evidence;
  const auto add = [&](const std::string& program, std::int64_t median_ns, double worst) {
    TimeRecord time;
    time.key = {"h200_132", route, View::kRows, 1000, program, "e", 0, 0};
    time.median_ns = median_ns;
    evidence.times.push_back(time);
    AccuracyRecord accuracy;
    accuracy.key.width = 512;
    accuracy.key.rows = 1000;
    accuracy.key.program = program;
    accuracy.worst = worst;
    evidence.accuracy.push_back(accuracy);
  };
  add("stream", 9000, 0);
  add(NameAt(a), 10000, 0.3);
  add(NameAt(b), 10900, 0.0006);
  add(NameAt(c), 11000, 0.0006);
  add(NameAt(d), 12000, 0.0006);
  const auto formal = FormalTasks({screened}, evidence, "e", 2);
  ASSERT_EQ(formal.size(), 1U);
  // a: the fastest; b: the fastest exact; c: within 2.5 % of b; d is out of the running.
  EXPECT_EQ(formal[0].programs, (std::vector<int>{a, b, c}));
  EXPECT_EQ(formal[0].session, 2);
}

TEST(Tasks, FormalSessionsOfAForwardTakeTheFastestAlone) {
  const Route route{.pass = Pass::kForward, .weight = Dtype::kFp32, .width = 4096};
  const std::vector<int> programs = ProgramsOf(route, 1000);
  ASSERT_GE(programs.size(), 3U);
  TimeTask screened{.route = route, .tokens = 1000, .programs = programs};
  Evidence evidence;
  const auto add = [&](const std::string& program, std::int64_t median_ns) {
    TimeRecord time;
    time.key = {"h200_132", route, View::kRows, 1000, program, "e", 0, 0};
    time.median_ns = median_ns;
    evidence.times.push_back(time);
  };
  add("stream", 9000);
  add(NameAt(programs[0]), 20000);
  add(NameAt(programs[1]), 10200);
  add(NameAt(programs[2]), 10000);
  const auto formal = FormalTasks({screened}, evidence, "e", 1);
  ASSERT_EQ(formal.size(), 1U);
  EXPECT_EQ(formal[0].programs, (std::vector<int>{programs[1], programs[2]}));
}

// Programs a, b and c of a forward, screened at 1000 rows under two commits. Under "old" the clock
// was half that of "new": a time of one over the floor of the other says nothing.
class FormalTasksOfTwoCommits : public ::testing::Test {
 protected:
  static constexpr Route kRoute{.pass = Pass::kForward, .weight = Dtype::kFp32, .width = 4096};

  void Add(std::string_view environment, int process, const std::string& program,
           std::int64_t median_ns) {
    TimeRecord time;
    time.key = {"h200_132", kRoute, View::kRows, 1000, program, environment, 0, process};
    time.median_ns = median_ns;
    evidence_.times.push_back(time);
  }

  // The programs of the formal session, with the evidence sorted as a store hands it out.
  std::vector<int> Chosen(std::string_view environment) {
    std::sort(evidence_.times.begin(), evidence_.times.end());
    const TimeTask screened{.route = kRoute, .tokens = 1000, .programs = programs_};
    const auto formal = FormalTasks({screened}, evidence_, environment, 1);
    return formal.size() == 1 ? formal[0].programs : std::vector<int>{};
  }

  const std::vector<int> programs_ = ProgramsOf(kRoute, 1000);
  const int a_ = programs_.at(0), b_ = programs_.at(1), c_ = programs_.at(2);
  Evidence evidence_;
};

TEST_F(FormalTasksOfTwoCommits, ATimeIsSetAgainstTheFloorOfItsOwnCommit) {
  Add("new", 0, "stream", 9000);
  Add("new", 0, NameAt(a_), 10000);
  Add("new", 0, NameAt(c_), 12000);
  Add("old", 0, "stream", 18000);
  Add("old", 0, NameAt(b_), 20200);  // 1 % slower than a
  // Neither is of the machine as it is: all there is counts.
  EXPECT_EQ(Chosen("newest"), (std::vector{a_, b_}));
}

TEST_F(FormalTasksOfTwoCommits, OtherCommitsDoNotCountWhereThisOneWasScreened) {
  Add("new", 0, "stream", 9000);
  Add("new", 0, NameAt(a_), 10000);
  Add("new", 0, NameAt(b_), 10100);
  Add("new", 0, NameAt(c_), 12000);
  Add("old", 0, "stream", 18000);
  Add("old", 0, NameAt(b_), 36000);
  Add("old", 0, NameAt(c_), 18000);  // faster than all since
  EXPECT_EQ(Chosen("new"), (std::vector{a_, b_}));
  EXPECT_EQ(Chosen("old"), std::vector{c_});
}

TEST_F(FormalTasksOfTwoCommits, ATimeIsSetAgainstTheFloorOfItsOwnProcess) {
  Add("new", 0, "stream", 9000);
  Add("new", 0, NameAt(a_), 10000);
  Add("new", 0, NameAt(c_), 12000);
  Add("new", 1, "stream", 18000);
  Add("new", 1, NameAt(b_), 20200);
  EXPECT_EQ(Chosen("new"), (std::vector{a_, b_}));
}

TEST(TaskJson, RoundTrips) {
  const Route route{.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 4096};
  const TimeTask time{route, View::kRows, 77, ProgramsOf(route, 77), 3, 1};
  const auto read = std::get<TimeTask>(ParseTask(ToLine(time)));
  EXPECT_EQ(read.route, route);
  EXPECT_EQ(read.tokens, 77);
  EXPECT_EQ(read.programs, time.programs);
  EXPECT_EQ(read.session, 3);
  EXPECT_EQ(read.process, 1);
  const AccuracyTask accuracy{512, 96, Family::kCancel, 60, BackwardProgramsOf(512, 96)};
  EXPECT_EQ(std::get<AccuracyTask>(ParseTask(ToLine(accuracy))).family, Family::kCancel);
  const EdgeTask edge{route, 1024, time.programs[0], time.programs[1]};
  EXPECT_EQ(std::get<EdgeTask>(ParseTask(ToLine(edge))).above, time.programs[1]);
  const LaunchTask launch{4096, time.programs};
  EXPECT_EQ(std::get<LaunchTask>(ParseTask(ToLine(launch))).width, 4096);
  EXPECT_EQ(std::get<LaunchTask>(ParseTask(ToLine(launch))).programs, time.programs);
}

TEST(Tasks, LaunchesAreMeasuredOncePerProgramOfTheRoutes) {
  const Route backward{.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 512};
  Route twin = backward;
  twin.weight = Dtype::kFp32;
  Route residual = backward;
  residual.residual = true;
  Route other = backward;
  other.width = 256;
  const auto tasks = LaunchTasks({backward, twin, residual, other});
  ASSERT_EQ(tasks.size(), 2);
  EXPECT_EQ(tasks[0].width, 256);
  EXPECT_EQ(tasks[0].programs, ProgramsOf(other, 1));
  EXPECT_EQ(tasks[1].width, 512);
  EXPECT_EQ(tasks[1].programs.size(),
            ProgramsOf(backward, 1).size() + ProgramsOf(residual, 1).size());
}

// Accuracy runs programs of both forms: one of them may be the first with its dw.
TEST(Tasks, AccuracyTakesTheFirstOfEachDw) {
  for (int width : kWidths) {
    const std::vector<int> programs = BackwardProgramsOf(width, 100);
    for (int i = 0; i < kProgramCount; ++i) {
      const Program& program = ProgramAt(i);
      if (program.pass != Pass::kBackward || program.width != width) continue;
      EXPECT_EQ(std::count(programs.begin(), programs.end(), DwTwinOf(i)), 1) << NameAt(i);
    }
  }
}

TEST(Tasks, EdgeSearchProbesProgramsTogether) {
  test::EvidenceBuilder built;
  built.Error(test::kPlain, {{64, 0.1}, {4096, 0.4}}).Error(test::kFold, {{64, 0.1}, {4096, 0.4}});
  built.Error(test::kFma, {{64, 0.001}, {4096, 0.001}});
  const std::vector<Route> routes{test::kBackward,
                                  {.pass = Pass::kForward, .weight = Dtype::kBf16, .width = 512}};
  const auto tasks = EdgeSearchTasks(routes, built.evidence, test::kBoard, {0.2});
  ASSERT_EQ(tasks.size(), kFamilies.size()) << "one probe, in every family";
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(tasks[i].family, kFamilies[i]);
    EXPECT_EQ(tasks[i].width, 4096);
    EXPECT_EQ(tasks[i].rows, 512) << "halfway in both logarithms";
    EXPECT_EQ(tasks[i].inputs, kInputsPerFamily);
    EXPECT_EQ(tasks[i].programs,
              (std::vector{FindProgram(test::kFold), FindProgram(test::kPlain)}));
  }
}

TEST(Tasks, EdgeSearchLooksBelowTheLastRowCountOfAnInexactProgramWithoutAnEdge) {
  test::EvidenceBuilder built;
  built.Error(test::kPlain, {{64, 0.1}, {4096, 0.4}})
      .Error(test::kFma, {{64, 0.0009}, {4096, 0.0009}});
  const std::vector<Route> routes{test::kBackward};
  const auto tasks = EdgeSearchTasks(routes, built.evidence, test::kBoard, {0.8});
  ASSERT_EQ(tasks.size(), kFamilies.size() * kSearchedBelow);
  for (const AccuracyTask& task : tasks) {
    EXPECT_TRUE(std::ranges::binary_search(SearchRowCounts(), task.rows));
    EXPECT_GE(task.rows, 1024);
    EXPECT_LT(task.rows, 4096);
    EXPECT_EQ(task.inputs, kInputsPerFamily);
    EXPECT_EQ(task.programs, std::vector{FindProgram(test::kPlain)}) << "exact sums have none";
  }
}

TEST(TaskJson, RefusesWhatIsNoTask) {
  for (const char* bad :
       {"", "{}", "[1]", R"({"kind":"dance"})",
        R"({"kind":"edge","route":"bwd_w16_h512","rows":1,"below":"x","above":"y"})",
        R"({"kind":"time","route":"sideways"})"}) {
    EXPECT_THROW(ParseTask(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace fenestra
