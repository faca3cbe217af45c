// Programs with a planted fault: the accuracy survey catches each, by name, and no sound one with
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/store.h"
#include "db/text.h"
#include "kernels/arith/scalar.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tests/tuner/list_program.h"
#include "tuner/readings.h"
#include "tuner/sweep/meter.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

constexpr int kWidth = 256;
constexpr Route kRoute{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = kWidth};
constexpr int kFaulty = test::IndexOf(Pass::kBackward, kWidth, Structure::kRing, Scheme::kFma64);

// Runs a program wrongly.
using Fault = std::function<void(int sm_count, int threads, const HostBackward& call)>;

void RunRight(int sm_count, int threads, const HostBackward& call) {
  RunOnHost(kFaulty, sm_count, threads, call);
}

// dw of the rows first .. first+count-1 alone.
std::vector<float> DwOfRows(int sm_count, int threads, const HostBackward& call, std::int64_t first,
                            std::int64_t count) {
  const auto at = static_cast<std::size_t>(first);
  const auto rows = static_cast<std::size_t>(count);
  std::vector<float> dw(kWidth);
  RunRight(sm_count, threads,
           {.rows = count,
            .dy = call.dy.subspan(at * kWidth, rows * kWidth),
            .h = call.h.subspan(at * kWidth, rows * kWidth),
            .w = {},
            .rstd = call.rstd.subspan(at, rows),
            .dx = {},
            .dw = dw});
  return dw;
}

void DropLastRow(int sm_count, int threads, const HostBackward& call) {
  const std::vector<float> dw = DwOfRows(sm_count, threads, call, 0, call.rows - 1);
  std::copy(dw.begin(), dw.end(), call.dw.begin());
}

void AddOneRowTwice(int sm_count, int threads, const HostBackward& call) {
  RunRight(sm_count, threads, call);
  const std::vector<float> again = DwOfRows(sm_count, threads, call, call.rows / 2, 1);
  for (std::size_t c = 0; c < kWidth; ++c) call.dw[c] += again[c];
}

void RoundPartialsToBf16(int sm_count, int threads, const HostBackward& call) {
  constexpr std::int64_t kPartials = 8;
  std::fill(call.dw.begin(), call.dw.end(), 0.0F);
  for (std::int64_t k = 0; k < kPartials; ++k) {
    const std::int64_t first = call.rows * k / kPartials;
    const std::int64_t count = call.rows * (k + 1) / kPartials - first;
    const std::vector<float> partial = DwOfRows(sm_count, threads, call, first, count);
    for (std::size_t c = 0; c < kWidth; ++c) {
      call.dw[c] += arith::FromBf16(arith::ToBf16(partial[c]));
    }
  }
}

void FailAbove32768Rows(int sm_count, int threads, const HostBackward& call) {
  (call.rows > 32768 ? DropLastRow : RunRight)(sm_count, threads, call);
}

void LeaveOneElement(int sm_count, int threads, const HostBackward& call) {
  const float before = call.dw[100];
  RunRight(sm_count, threads, call);
  call.dw[100] = before;
}

class PlantedFault : public ::testing::Test {
 protected:
  ~PlantedFault() override { std::filesystem::remove_all(folder_); }

  // Surveys every backward program of the width at the row counts, over all families, into a store
  // and out again through text. Returns the programs that may not run, by row count.
  std::map<std::int64_t, std::set<std::string>> Caught(const Fault& fault,
                                                       const std::vector<std::int64_t>& rows) {
    MeterContext context;
    context.board = FindBoard("h200_132");
    context.environment = WithId({});
    context.stood_in = true;
    context.threads = 2;
    context.run_backward = [&](int program, int sm_count, int threads, const HostBackward& call) {
      if (program == kFaulty) {
        fault(sm_count, threads, call);
      } else {
        RunOnHost(program, sm_count, threads, call);
      }
    };
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Store store = Store::Open((folder_ / "survey.db").string(), OpenMode::kCreate);
    for (std::int64_t count : rows) {
      for (Family family : kFamilies) {
        store.Append(MeasureOnHost(
            context, AccuracyTask{kWidth, count, family, 2, BackwardProgramsOf(kWidth, count)}));
      }
    }
    std::vector<std::filesystem::path> files;
    for (const DumpedFile& file : Dump(store.Load("h200_132"), folder_)) files.push_back(file.path);
    const AccuracyTable table(Import(files), "h200_132", kWidth);
    std::map<std::int64_t, std::set<std::string>> caught;
    for (std::int64_t count : rows) {
      for (int program : BackwardProgramsOf(kWidth, count)) {
        const auto readings = ReadingsAt(table, kRoute, NameAt(program), count, 0.25);
        if (WorstFailure(readings) != nullptr) caught[count].insert(NameAt(program));
      }
    }
    return caught;
  }

  // The row counts at which a full survey of the route runs the faulty program.
  static std::set<std::int64_t> SurveyedRows() {
    std::set<std::int64_t> rows;
    for (const AccuracyTask& task : AccuracyTasks({kRoute}, Profile::kFull, "h200_132")) {
      const bool runs =
          std::find(task.programs.begin(), task.programs.end(), kFaulty) != task.programs.end();
      if (task.width == kWidth && runs) rows.insert(task.rows);
    }
    return rows;
  }

  // The faulty program is caught at the row counts `wrong` and nowhere else; of the others those
  // that fail anyhow (plain sums do), and no more.
  void ExpectOnlyTheFaulty(const Fault& fault, const std::vector<std::int64_t>& rows,
                           const std::set<std::int64_t>& wrong) {
    const std::set<std::int64_t> surveyed = SurveyedRows();
    for (std::int64_t count : rows) EXPECT_TRUE(surveyed.contains(count)) << count;
    auto sound = Caught(RunRight, rows);
    auto caught = Caught(fault, rows);
    for (std::int64_t count : rows) {
      EXPECT_FALSE(sound[count].contains(NameAt(kFaulty))) << count;
      if (wrong.contains(count)) sound[count].insert(NameAt(kFaulty));
      EXPECT_EQ(caught[count], sound[count]) << count;
    }
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("planted_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

// What programs are held against must not be charged with the difference of two rstd.
TEST(Comparator, IsJudgedAtItsOwnRstd) {
  constexpr std::int64_t kRows = 64;  // timed, so both references are recorded
  MeterContext context;
  context.board = FindBoard("h200_132");
  context.threads = 2;
  const Group group =
      MeasureOnHost(context, AccuracyTask{kWidth, kRows, Family::kNormal, 3, {kFaulty}});
  std::map<std::pair<std::string_view, Reference>, double> worst;
  for (const AccuracyRecord& record : group.evidence.accuracy) {
    worst[{record.key.program, record.key.reference}] = record.worst;
  }
  ASSERT_EQ(worst.size(), 4U);
  const double own = worst.at({kComparator, Reference::kOwnRstd});
  EXPECT_GT(own, 0);
  EXPECT_EQ(own, worst.at({kComparator, Reference::kEagerRstd}));
  const std::string program = NameAt(kFaulty);
  EXPECT_LT(worst.at({program, Reference::kOwnRstd}), worst.at({program, Reference::kEagerRstd}));
}

const std::vector<std::int64_t> kFewRows{64, 255};

TEST_F(PlantedFault, ARowIsDropped) { ExpectOnlyTheFaulty(DropLastRow, kFewRows, {64, 255}); }

TEST_F(PlantedFault, ARowIsAddedTwice) { ExpectOnlyTheFaulty(AddOneRowTwice, kFewRows, {64, 255}); }

TEST_F(PlantedFault, PartialsAreRoundedToBf16) {
  ExpectOnlyTheFaulty(RoundPartialsToBf16, kFewRows, {64, 255});
}

TEST_F(PlantedFault, AnElementIsLeftUnwritten) {
  ExpectOnlyTheFaulty(LeaveOneElement, kFewRows, {64, 255});
}

TEST_F(PlantedFault, ItIsWrongAbove32768RowsOnly) {
  ExpectOnlyTheFaulty(FailAbove32768Rows, {32768, 49152}, {49152});
}

}  // namespace
}  // namespace fenestra
