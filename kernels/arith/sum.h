// Schemes of the running dw sum: one object holds one column's sum of one thread. A scheme composes
// with every structure; adding one is a struct here and a line in SumOf.
#pragma once

#include "kernels/arith/scalar.h"
#include "kernels/program.h"

namespace fenestra::arith {

// In every scheme, Total is the sum in FP64: what a CTA hands to the dw reduce. FP64 goes to memory
// as it is: splitting it into FP32 planes costs two conversions per column, which are slow (16 a
// clock and SM on sm_90) and showed as 3 to 5 % at 4096 rows.
//
// Add takes the exact product dy * h, and rstd in FP32 and FP64. `row` counts the
// rows this thread has added before.

struct PlainSum {
  float sum = 0;

  FENESTRA_HD void Add(float product, float rstd, double, int) { sum = Fma(product, rstd, sum); }
  FENESTRA_HD double Total() const { return static_cast<double>(sum); }
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
};

// The product is exact in FP32 and its product with rstd is exact in FP64: one rounding per row.
struct Fma64Sum {
  double total = 0;

  FENESTRA_HD void Add(float product, float, double rstd, int) {
    total = Fma(static_cast<double>(product), rstd, total);
  }
  FENESTRA_HD double Total() const { return total; }
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
  // The error is dropped once the sum is no longer finite, so that an infinity stays one.
  FENESTRA_HD double Total() const {
    const double total = static_cast<double>(sum);
    return IsFinite(sum) ? arith::Add(total, static_cast<double>(error)) : total;
  }
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
