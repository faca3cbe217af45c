// dw errors as fractions of the budget, and their summary over the inputs of a family.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accuracy/protocol.h"
#include "kernels/arith/scalar.h"

namespace fenestra {

inline constexpr double kInfiniteFraction = __builtin_huge_val();

// The worst element of one dw; the smaller column among equals. A plain value that kernels write.
struct WorstError {
  double fraction;
  std::int64_t column;
};

FENESTRA_HD bool IsWorse(const WorstError& a, const WorstError& b) {
  return a.fraction > b.fraction || (a.fraction == b.fraction && a.column < b.column);
}

// |dw - reference| / (kAtol + kRtol |reference|). Where exactly one of the two is not finite,
// infinity; where both are not, 0: which NaN or infinity is not promised.
FENESTRA_HD double FractionOfBudget(float dw, double reference) {
  const auto value = static_cast<double>(dw);
  const bool value_finite = arith::Sub(value, value) == 0.0;
  const bool reference_finite = arith::Sub(reference, reference) == 0.0;
  if (!value_finite || !reference_finite) {
    return value_finite == reference_finite ? 0.0 : kInfiniteFraction;
  }
  const double error = arith::Sub(value, reference);
  const double magnitude = reference < 0 ? -reference : reference;
  const double budget = arith::Add(kAtol, arith::Mul(kRtol, magnitude));
  return arith::Div(error < 0 ? -error : error, budget);
}

// The worst column of dw [width] against reference [width]; {0, 0} of no columns. Throws Error when
// the sizes differ.
WorstError WorstOf(std::span<const float> dw, std::span<const double> reference);

// Gathers each input's worst error; the order of the inputs does not matter.
class FamilyResult {
 public:
  void Add(std::int64_t seed, const WorstError& worst);

  int inputs() const { return static_cast<int>(fractions_.size()); }
  double worst() const { return worst_.fraction; }
  std::int64_t worst_column() const { return worst_.column; }
  std::int64_t worst_seed() const { return worst_seed_; }  // the smaller seed among equals

  // Over inputs, of each input's worst; the mean of the middle two of an even number. 0 of none.
  double median() const;

 private:
  WorstError worst_{};
  std::int64_t worst_seed_ = 0;
  std::vector<double> fractions_;
};

}  // namespace fenestra
