// Planted faults through the host model.
#include "tests/tuner/planted_fault.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <utility>

namespace fenestra {
namespace {

using test::Fault;
using test::kFaulty;
using test::kFaultyWidth;

class PlantedFaultOnHost : public test::PlantedFault {
 protected:
  Group Measure(const AccuracyTask& task, const Fault& fault) override {
    MeterContext context = Context();
    context.run_backward = [&](int program, int sm_count, int threads, const HostBackward& call) {
      if (program != kFaulty) {
        RunOnHost(program, sm_count, threads, call);
        return;
      }
      const auto dw_of_rows = [&](std::int64_t first, std::int64_t count) {
        const auto at = static_cast<std::size_t>(first);
        const auto rows = static_cast<std::size_t>(count);
        std::vector<float> dw(kFaultyWidth);
        RunOnHost(program, sm_count, threads,
                  {.rows = count,
                   .dy = call.dy.subspan(at * kFaultyWidth, rows * kFaultyWidth),
                   .h = call.h.subspan(at * kFaultyWidth, rows * kFaultyWidth),
                   .w = {},
                   .rstd = call.rstd.subspan(at, rows),
                   .dx = {},
                   .dw = dw});
        return dw;
      };
      std::ranges::copy(fault({call.rows, {call.dw.begin(), call.dw.end()}, dw_of_rows}),
                        call.dw.begin());
    };
    return MeasureOnHost(context, task);
  }
};

TEST_P(PlantedFaultOnHost, IsCaughtByName) { ExpectOnlyTheFaultyIsCaught(); }

INSTANTIATE_TEST_SUITE_P(All, PlantedFaultOnHost, ::testing::ValuesIn(test::Plants()),
                         test::NameOf);

// What programs are held against must not be charged with the difference of two rstd.
TEST(Comparator, IsJudgedAtItsOwnRstd) {
  constexpr std::int64_t kRows = 64;  // timed, so both references are recorded
  MeterContext context;
  context.board = FindBoard("h200_132");
  context.threads = 2;
  const Group group =
      MeasureOnHost(context, AccuracyTask{kFaultyWidth, kRows, Family::kNormal, 3, {kFaulty}});
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

}  // namespace
}  // namespace fenestra
