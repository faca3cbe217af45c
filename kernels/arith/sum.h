// Schemes of the running dw sum: one object holds one column's sum of one thread. A scheme composes
// with every structure; adding one is a struct here and a line in SumOf.
#pragma once

#include "kernels/arith/scalar.h"
#include "kernels/program.h"

namespace fenestra::arith {

// A sum as two FP32 numbers, hi + lo: what a CTA hands to the dw reduce.
struct Partial {
  float hi;
  float lo;
};

// lo is dropped once the sum is no longer finite, so that an infinity does not turn into a NaN.
FENESTRA_HD Partial SplitDouble(double sum) {
  const float hi = ToFloat(sum);
  return {hi, IsFinite(hi) ? ToFloat(Sub(sum, static_cast<double>(hi))) : 0.0F};
}

FENESTRA_HD double JoinPartial(Partial partial) {
  return Add(static_cast<double>(partial.hi), static_cast<double>(partial.lo));
}

// In every scheme, Add takes the exact product dy * h, and rstd in FP32 and FP64. `row` counts the
// rows this thread has added before.

struct PlainSum {
  float sum = 0;

  FENESTRA_HD void Add(float product, float rstd, double, int) { sum = Fma(product, rstd, sum); }
  FENESTRA_HD double Total() const { return static_cast<double>(sum); }
  FENESTRA_HD Partial Split() const { return {sum, 0.0F}; }
};

// FP32 chain, emptied into FP64 after every kFoldRows rows.
template <int kFoldRows>
struct Fold64Sum {
  double total = 0;
  float sum = 0;

  FENESTRA_HD void Add(float product, float rstd, double, int row) {
    sum = Fma(product, rstd, sum);
    if ((row + 1) % kFoldRows == 0) {
      total = arith::Add(total, static_cast<double>(sum));
      sum = 0;
    }
  }
  FENESTRA_HD double Total() const { return arith::Add(total, static_cast<double>(sum)); }
  FENESTRA_HD Partial Split() const { return SplitDouble(Total()); }
};

// The product is exact in FP32 and its product with rstd is exact in FP64: one rounding per row.
struct Fma64Sum {
  double total = 0;

  FENESTRA_HD void Add(float product, float, double rstd, int) {
    total = Fma(static_cast<double>(product), rstd, total);
  }
  FENESTRA_HD double Total() const { return total; }
  FENESTRA_HD Partial Split() const { return SplitDouble(total); }
};

// Compensated dot: TwoProd and TwoSum (Knuth) in FP32; the errors go to a second chain.
struct TwoProdSum {
  float sum = 0;
  float error = 0;

  FENESTRA_HD void Add(float product, float rstd, double, int) {
    const float term = Mul(product, rstd);
    const float term_error = Fma(product, rstd, -term);
    const float next = arith::Add(sum, term);
    const float virtual_term = Sub(next, sum);
    const float sum_error = arith::Add(Sub(sum, Sub(next, virtual_term)), Sub(term, virtual_term));
    sum = next;
    error = arith::Add(error, arith::Add(sum_error, term_error));
  }
  FENESTRA_HD double Total() const { return JoinPartial(Split()); }
  FENESTRA_HD Partial Split() const { return {sum, IsFinite(sum) ? error : 0.0F}; }
};

template <Scheme kScheme, int kFoldRows>
struct SumOf;
template <>
struct SumOf<Scheme::kPlain, 0> {
  using Type = PlainSum;
};
template <int kFoldRows>
struct SumOf<Scheme::kFold64, kFoldRows> {
  using Type = Fold64Sum<kFoldRows>;
};
template <>
struct SumOf<Scheme::kFma64, 0> {
  using Type = Fma64Sum;
};
template <>
struct SumOf<Scheme::kTwoProd, 0> {
  using Type = TwoProdSum;
};

// Final dw of one column; `old` is what an accumulating call adds to.
FENESTRA_HD float FinalDw(double total, bool accumulate, float old) {
  return ToFloat(accumulate ? Add(total, static_cast<double>(old)) : total);
}

}  // namespace fenestra::arith
