#include "tuner/lender.h"

#include <algorithm>
#include <set>
#include <string>

#include "kernels/arith/split.h"

namespace fenestra {
namespace {

// A product widened, and added or multiplied and added.
constexpr double kResultsATerm = 2;

double ResultsAnElement(const Program& program) {
  switch (program.scheme) {
    case Scheme::kFma64:
      return kResultsATerm;
    case Scheme::kFold64:
      return kResultsATerm / program.fold_rows;
    default:
      return 0;
  }
}

bool HasTimes(const Evidence& evidence, std::string_view board) {
  return std::any_of(evidence.times.begin(), evidence.times.end(),
                     [&](const TimeRecord& record) { return record.key.board == board; });
}

}  // namespace

std::string_view LenderOf(const Evidence& evidence, std::string_view board) {
  if (HasTimes(evidence, board)) return board;
  for (const Board& lender : kBoards) {
    if (HasTimes(evidence, lender.name)) return lender.name;
  }
  return board;
}

std::string_view LenderOf(const Store& store, std::string_view board) {
  if (store.HasTimes(board)) return board;
  for (const Board& lender : kBoards) {
    if (store.HasTimes(lender.name)) return lender.name;
  }
  return board;
}

Evidence WithLender(const Store& store, Evidence evidence) {
  if (!evidence.times.empty()) return evidence;
  for (const Board& lender : kBoards) {
    Evidence lent = store.Load(lender.name);
    if (lent.times.empty()) continue;
    std::set<std::string> used;
    for (const TimeRecord& record : lent.times) used.insert(record.key.environment);
    for (const FailureRecord& record : lent.failures) used.insert(record.environment);
    for (const Environment& one : evidence.environments) used.erase(one.id);
    for (const Environment& one : lent.environments) {
      if (used.contains(one.id)) evidence.environments.push_back(one);
    }
    evidence.times = std::move(lent.times);
    evidence.failures.insert(evidence.failures.end(), lent.failures.begin(), lent.failures.end());
    Sort(&evidence);
    break;
  }
  return evidence;
}

bool SpillsOn(const Evidence& evidence, std::string_view board, std::string_view program,
              Dtype weight) {
  return std::any_of(evidence.kernels.begin(), evidence.kernels.end(),
                     [&](const KernelRecord& record) {
                       return record.key.board == board && record.key.program == program &&
                              record.key.weight == weight && record.spill_bytes > 0;
                     });
}

double Fp64ResultsOfAnSm(const Program& program, std::int64_t rows, int sm_count) {
  const double element = ResultsAnElement(program);
  if (program.pass == Pass::kForward) return 0;
  // A column CTA of the dual grid adds all rows of its columns, and has its SM to itself.
  if (program.structure == Structure::kDual) {
    return element * static_cast<double>(rows) * program.slab;
  }
  const int ctas = arith::RingCtas(program, rows, sm_count);
  const int tiles_of_a_cta =
      static_cast<int>((rows + std::int64_t{ctas} * program.tile_rows() - 1) /
                       (std::int64_t{ctas} * program.tile_rows()));
  const int ctas_of_an_sm = (ctas + sm_count - 1) / sm_count;
  double results = element * ctas_of_an_sm * tiles_of_a_cta * program.tile_rows() *
                   static_cast<double>(program.width);
  if (program.reduce_sum != ReduceSum::kFp64) return results;
  // An FP32 scheme widens what it holds of a column (at most two values) and adds it up.
  if (program.scheme != Scheme::kFma64) {
    results += (kResultsATerm + 1) * ctas_of_an_sm * program.groups() * program.width;
  }
  return results + static_cast<double>(ctas) * program.width / sm_count;
}

double SlowFp64Ns(const Program& program, std::int64_t rows, const Board& board) {
  const std::optional<double> rate = SlowFp64ResultsPerNs(board.arch);
  return rate ? Fp64ResultsOfAnSm(program, rows, board.sm_count) / *rate : 0;
}

}  // namespace fenestra
