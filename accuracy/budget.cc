#include "accuracy/budget.h"

#include "accuracy/median.h"
#include "accuracy/sizes.h"

namespace fenestra {

WorstError WorstOf(std::span<const float> dw, std::span<const double> reference) {
  CheckSize("worst error", "dw", dw.size(), static_cast<std::int64_t>(reference.size()), 1);
  WorstError worst{};
  for (std::size_t column = 0; column < dw.size(); ++column) {
    const WorstError here{FractionOfBudget(dw[column], reference[column]),
                          static_cast<std::int64_t>(column)};
    if (IsWorse(here, worst)) worst = here;
  }
  return worst;
}

void FamilyResult::Add(std::int64_t seed, const WorstError& worst) {
  const bool first = fractions_.empty();
  if (first || worst.fraction > worst_.fraction ||
      (worst.fraction == worst_.fraction && seed < worst_seed_)) {
    worst_ = worst;
    worst_seed_ = seed;
  }
  fractions_.push_back(worst.fraction);
}

double FamilyResult::median() const { return fractions_.empty() ? 0 : Median(fractions_); }

}  // namespace fenestra
