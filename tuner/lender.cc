#include "tuner/lender.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "kernels/arith/split.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr double kConversion = 1;
constexpr double kMultiplyAdd = 1;  // or an addition
// An FP32 scheme's sum of a column is at most two values: both widened, and added up.
constexpr double kResultsAPair = 3;
// The exchange by which 32 lanes add up their eight columns: a lane keeps half at each step.
constexpr double kLaneAdds = 4 + 2 + 1 + 1 + 1;
constexpr int kLaneColumns = 8;

// The rstd of a row is converted once a lane, and scaled where products come to FP64 by integer
// steps.
double ResultsAnElement(const Program& program, int lane_columns) {
  switch (program.scheme) {
    case Scheme::kFma64:
      if (WidensProducts(program)) return kMultiplyAdd + 2.0 / lane_columns;
      return kConversion + kMultiplyAdd + 1.0 / lane_columns;
    case Scheme::kFold64:
      return (kConversion + kMultiplyAdd) / program.fold_rows;
    default:
      return 0;
  }
}

// A column CTA of the dual grid adds all rows of its columns, and has its SM to itself.
double ResultsOfDual(const Program& program, std::int64_t rows) {
  const double pairs = program.scheme == Scheme::kFma64 ? 0 : kResultsAPair * kLaneColumns;
  return ResultsAnElement(program, kLaneColumns) * static_cast<double>(rows) * program.slab +
         program.threads * (pairs + kLaneAdds);
}

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The lender's of `pass`: those of the board's own arch come first.
bool MayLend(const Board& lender, const Board& board, int pass) {
  if (lender.name == board.name) return false;
  const bool same_arch = lender.arch == board.arch;
  return pass == 0 ? same_arch : !same_arch && !SlowFp64ResultsPerNs(lender.arch);
}

template <typename HasTimes>
std::string_view FirstLender(std::string_view name, const HasTimes& has_times) {
  const Board* board = FindBoard(name);
  for (int pass = 0; board != nullptr && pass < 2; ++pass) {
    for (const Board& lender : kBoards) {
      if (MayLend(lender, *board, pass) && has_times(lender.name)) return lender.name;
    }
  }
  return name;
}

}  // namespace

std::string_view LenderOf(const Evidence& evidence, std::string_view board, const Route& route) {
  const auto has_times = [&](std::string_view name) {
    return std::any_of(evidence.times.begin(), evidence.times.end(), [&](const TimeRecord& record) {
      return record.key.board == name && record.key.route == route;
    });
  };
  return has_times(board) ? board : FirstLender(board, has_times);
}

std::string_view LenderOf(const Store& store, std::string_view board) {
  if (store.TimedRoutes(board).size() == AllRoutes().size()) return board;
  return FirstLender(board,
                     [&](std::string_view name) { return !store.TimedRoutes(name).empty(); });
}

Evidence WithLender(const Store& store, std::string_view board, Evidence evidence) {
  const std::string_view lender = LenderOf(store, board);
  if (lender == board) return evidence;
  Evidence lent = store.Load(lender);
  std::set<std::string> used;
  for (const TimeRecord& record : lent.times) used.insert(record.key.environment);
  for (const FailureRecord& record : lent.failures) used.insert(record.environment);
  for (const Environment& one : evidence.environments) used.erase(one.id);
  for (const Environment& one : lent.environments) {
    if (used.contains(one.id)) evidence.environments.push_back(one);
  }
  std::move(lent.times.begin(), lent.times.end(), std::back_inserter(evidence.times));
  std::move(lent.failures.begin(), lent.failures.end(), std::back_inserter(evidence.failures));
  Sort(&evidence);
  return evidence;
}

bool SpillsOn(const Evidence& evidence, std::string_view board, std::string_view program,
              Dtype weight) {
  bool spills = false;
  for (const KernelRecord& record : evidence.kernels) {
    const KernelKey& key = record.key;
    if (key.board != board || key.program != program || key.weight != weight) continue;
    if (record.spill_bytes == 0) return false;
    spills = true;
  }
  return spills;
}

double Fp64ResultsOfAnSm(const Program& program, std::int64_t rows, int sm_count) {
  if (program.pass == Pass::kForward) return 0;
  if (program.structure == Structure::kDual) return ResultsOfDual(program, rows);
  const std::int64_t ctas = arith::RingCtas(program, rows, sm_count);
  const std::int64_t tiles_of_a_cta = CeilDiv(rows, ctas * program.tile_rows());
  const std::int64_t columns_of_an_sm = CeilDiv(ctas, sm_count) * program.width;
  double results = ResultsAnElement(program, program.lane_columns()) *
                   static_cast<double>(columns_of_an_sm * tiles_of_a_cta * program.tile_rows());
  if (program.reduce_sum != ReduceSum::kFp64) return results;
  // A CTA hands over the sum of its groups.
  if (program.scheme != Scheme::kFma64) {
    results += kResultsAPair * static_cast<double>(columns_of_an_sm * program.groups());
  }
  results += static_cast<double>(columns_of_an_sm * (program.groups() - 1));
  const std::int64_t reduce_columns =
      std::int64_t{arith::kReduceLanes} * arith::ReduceColumns(program.reduce_form);
  const std::int64_t reduces_of_an_sm = CeilDiv(program.width / reduce_columns, sm_count);
  return results + static_cast<double>(ctas * reduce_columns * reduces_of_an_sm);
}

double SlowFp64Ns(const Program& program, std::int64_t rows, const Board& board) {
  const std::optional<double> rate = SlowFp64ResultsPerNs(board.arch);
  return rate ? Fp64ResultsOfAnSm(program, rows, board.sm_count) / *rate : 0;
}

}  // namespace fenestra
