// Schemes of the running dw sum. A scheme is a chain, which one thread keeps of one column, and
// where it folds, a block that the chain is emptied into every kFoldRows rows. Rings take every
// scheme, the dual grid those that do not fold; adding one is a chain or a block here and a line in
// SchemeOf.
#pragma once

#include <type_traits>

#include "kernels/arith/row.h"
#include "kernels/arith/scalar.h"
#include "kernels/program.h"

namespace fenestra::arith {

// An unevaluated sum of two FP32 numbers: what FP32-only programs hand on, loaded at once.
struct alignas(8) Pair {
  float high = 0;
  float low = 0;
};

// fl(a + b) and its error, exactly (Knuth's TwoSum); NaN where the sum is not finite.
FENESTRA_HD Pair TwoSum(float a, float b) {
  const float sum = Add(a, b);
  const float virtual_b = Sub(sum, a);
  return {sum, Add(Sub(a, Sub(sum, virtual_b)), Sub(b, virtual_b))};
}

// A compensation is dropped once the sum is no longer finite, so that an infinity stays one.
FENESTRA_HD float Kept(float sum, float compensation) {
  return IsFinite(sum) ? compensation : 0.0F;
}
FENESTRA_HD double TotalOf(const Pair& pair) {
  return Add(static_cast<double>(pair.high), static_cast<double>(pair.low));
}

// A sum and what its additions lost, to be subtracted from the next term (Kahan).
struct KahanSum {
  float sum = 0;
  float lost = 0;

  // `term`: less `lost` already.
  FENESTRA_HD void Step(float term) {
    const float next = Add(sum, term);
    lost = Kept(next, Sub(Sub(next, sum), term));
    sum = next;
  }
  FENESTRA_HD Pair AsPair() const { return {sum, -lost}; }
  FENESTRA_HD double Total() const { return TotalOf(AsPair()); }
};

// A sum by TwoSum, its errors in a second chain.
struct ErrorSum {
  float sum = 0;
  float error = 0;

  FENESTRA_HD void AddTerm(float term) {
    const Pair next = TwoSum(sum, term);
    sum = next.high;
    error = Add(error, next.low);
  }
  FENESTRA_HD void AddTerm(float term, float term_error) {
    const Pair next = TwoSum(sum, term);
    sum = next.high;
    error = Add(error, Add(next.low, term_error));
  }
  FENESTRA_HD float Value() const { return Add(sum, Kept(sum, error)); }
  FENESTRA_HD Pair AsPair() const { return {sum, Kept(sum, error)}; }
  FENESTRA_HD double Total() const { return TotalOf(AsPair()); }
};

// Chains. Add takes the exact product dy * h, and rstd in FP32 and FP64. Total is the sum in FP64;
// Value the sum in FP32, for a block; AsPair the sum as FP32-only programs hand it on.

struct PlainChain {
  float sum = 0;

  FENESTRA_HD void Add(float product, float rstd, double) { sum = Fma(product, rstd, sum); }
  FENESTRA_HD float Value() const { return sum; }
  FENESTRA_HD Pair AsPair() const { return {sum, 0}; }
  FENESTRA_HD double Total() const { return static_cast<double>(sum); }
};

// Kahan: what an addition loses is subtracted from the next term.
struct KahanChain : KahanSum {
  FENESTRA_HD void Add(float product, float rstd, double) { Step(Fma(product, rstd, -lost)); }
  FENESTRA_HD float Value() const { return Sub(sum, lost); }
};

// TwoSum of the rounded terms: what the additions lose goes to a second chain.
struct TwoSumChain : ErrorSum {
  FENESTRA_HD void Add(float product, float rstd, double) { AddTerm(Mul(product, rstd)); }
};

// Compensated dot (Ogita, Rump and Oishi, Accurate Sum and Dot Product): TwoProd and TwoSum.
struct TwoProdChain : ErrorSum {
  FENESTRA_HD void Add(float product, float rstd, double) {
    const float term = Mul(product, rstd);
    AddTerm(term, Fma(product, rstd, -term));
  }
};

// The product is exact in FP32 and its product with rstd is exact in FP64: one rounding per row.
struct Fma64Chain {
  double total = 0;

  FENESTRA_HD void Add(float product, float, double rstd) {
    total = Fma(static_cast<double>(product), rstd, total);
  }
  FENESTRA_HD double Total() const { return total; }
};

// The same without a conversion of finite products: on sm_90 they are 16 a clock and SM. A product
// that is subnormal in FP32, and no other, loses up to 2^-146 by it.
struct WidenedFma64Chain : Fma64Chain {
  FENESTRA_HD void Add(float product, float rstd, double rstd64) {
    if (IsFinite(product)) {
      AddFinite(product, Mul(rstd64, kWidenScale));
    } else {
      Fma64Chain::Add(product, rstd, rstd64);
    }
  }
  // `scaled`: rstd * kWidenScale.
  FENESTRA_HD void AddFinite(float product, double scaled) {
    total = Fma(WidenScaled(product), scaled, total);
  }
};

// Chains with a shorter step for rows whose products are all finite.
template <typename Chain>
concept AddsFinite = requires(Chain chain) {
  chain.AddFinite(0.0F, 0.0);
};

// Blocks: what chains are emptied into.

struct NoBlock {};

struct PlainBlock {
  float sum = 0;

  FENESTRA_HD void Add(float value) { sum = arith::Add(sum, value); }
  FENESTRA_HD Pair AsPair(float rest) const { return {arith::Add(sum, rest), 0}; }
  FENESTRA_HD double Total() const { return static_cast<double>(sum); }
};

struct PairBlock {
  ErrorSum all;

  FENESTRA_HD void Add(float value) { all.AddTerm(value); }
  FENESTRA_HD Pair AsPair(float rest) const {
    ErrorSum with_rest = all;
    with_rest.AddTerm(rest);
    return with_rest.AsPair();
  }
  FENESTRA_HD double Total() const { return all.Total(); }
};

struct Fp64Block {
  double total = 0;

  FENESTRA_HD void Add(float value) { total = arith::Add(total, static_cast<double>(value)); }
  FENESTRA_HD double Total() const { return total; }
};

template <typename ChainType, typename BlockType, int kRows>
struct Composed {
  using Chain = ChainType;
  using Block = BlockType;
  static constexpr int kFoldRows = kRows;  // 0: never

  static FENESTRA_HD bool FoldsAfter(int rows) {
    if constexpr (kRows == 0) {
      return false;
    } else {
      return rows % kRows == 0;
    }
  }
  static FENESTRA_HD void Fold(Chain* chain, Block* block) {
    if constexpr (kRows > 0) {
      block->Add(chain->Value());
      *chain = {};
    }
  }
  // FP64 goes to memory as it is: splitting it into FP32 planes costs two conversions per column,
  // which are slow (16 a clock and SM on sm_90) and showed as 3 to 5 % at 4096 rows.
  static FENESTRA_HD void Store(const Chain& chain, const Block& block, double* partial) {
    if constexpr (kRows == 0) {
      *partial = chain.Total();
    } else {
      *partial = Add(block.Total(), chain.Total());
    }
  }
  static FENESTRA_HD void Store(const Chain& chain, const Block& block, Pair* partial) {
    if constexpr (kRows == 0) {
      *partial = chain.AsPair();
    } else {
      *partial = block.AsPair(chain.Value());
    }
  }
};

template <Scheme kScheme, int kFoldRows>
struct SchemeOf;
template <>
struct SchemeOf<Scheme::kPlain, 0> : Composed<PlainChain, NoBlock, 0> {};
template <>
struct SchemeOf<Scheme::kKahan, 0> : Composed<KahanChain, NoBlock, 0> {};
template <>
struct SchemeOf<Scheme::kTwoSum, 0> : Composed<TwoSumChain, NoBlock, 0> {};
template <>
struct SchemeOf<Scheme::kTwoProd, 0> : Composed<TwoProdChain, NoBlock, 0> {};
template <>
struct SchemeOf<Scheme::kFma64, 0> : Composed<Fma64Chain, NoBlock, 0> {};
template <int kFoldRows>
struct SchemeOf<Scheme::kFold64, kFoldRows> : Composed<PlainChain, Fp64Block, kFoldRows> {};
template <int kFoldRows>
struct SchemeOf<Scheme::kFoldPair, kFoldRows> : Composed<PlainChain, PairBlock, kFoldRows> {};
template <int kFoldRows>
struct SchemeOf<Scheme::kChunkKahan, kFoldRows> : Composed<KahanChain, PlainBlock, kFoldRows> {};

struct WidenedFma64 : Composed<WidenedFma64Chain, NoBlock, 0> {};

template <Program kProgram>
using SchemeOfProgram = std::conditional_t<WidensProducts(kProgram), WidenedFma64,
                                           SchemeOf<kProgram.scheme, kProgram.fold_rows>>;

// Sums of the dw reduce: over the groups of a CTA, then over CTAs. Each takes partials of its own
// kind, 8 bytes a column.

struct Fp64Reduce {
  using Partial = double;
  double total = 0;

  FENESTRA_HD void Add(double partial) { total = arith::Add(total, partial); }
  FENESTRA_HD void Merge(const Fp64Reduce& other) { Add(other.total); }
  FENESTRA_HD double AsPartial() const { return total; }
  FENESTRA_HD double Total() const { return total; }
};

struct PlainReduce {
  using Partial = Pair;
  float sum = 0;

  FENESTRA_HD void Add(const Pair& partial) {
    sum = arith::Add(sum, arith::Add(partial.high, partial.low));
  }
  FENESTRA_HD void Merge(const PlainReduce& other) { sum = arith::Add(sum, other.sum); }
  FENESTRA_HD Pair AsPartial() const { return {sum, 0}; }
  FENESTRA_HD double Total() const { return static_cast<double>(sum); }
};

struct KahanReduce : KahanSum {
  using Partial = Pair;

  FENESTRA_HD void Add(const Pair& partial) {
    lost = Kept(partial.high, Sub(lost, partial.low));
    Step(Sub(partial.high, lost));
  }
  FENESTRA_HD void Merge(const KahanReduce& other) { Add(other.AsPartial()); }
  FENESTRA_HD Pair AsPartial() const { return AsPair(); }
};

struct TwoSumReduce : ErrorSum {
  using Partial = Pair;

  FENESTRA_HD void Add(const Pair& partial) { AddTerm(partial.high, partial.low); }
  FENESTRA_HD void Merge(const TwoSumReduce& other) { Add(other.AsPartial()); }
  FENESTRA_HD Pair AsPartial() const { return AsPair(); }
};

template <ReduceSum kSum>
struct ReduceOf;
template <>
struct ReduceOf<ReduceSum::kFp64> : Fp64Reduce {};
template <>
struct ReduceOf<ReduceSum::kPlain> : PlainReduce {};
template <>
struct ReduceOf<ReduceSum::kKahan> : KahanReduce {};
template <>
struct ReduceOf<ReduceSum::kTwoSum> : TwoSumReduce {};

// The tree of TreeSum over sums of the reduce. Overwrites them.
struct MergeSums {
  template <typename Reduce>
  FENESTRA_HD Reduce operator()(Reduce a, const Reduce& b) const {
    a.Merge(b);
    return a;
  }
};
template <int kCount, typename Reduce>
FENESTRA_HD Reduce TreeMerge(Reduce* sums) {
  return TreeOf<kCount>(sums, MergeSums{});
}

// Final dw of one column; `old` is what an accumulating call adds to.
FENESTRA_HD float FinalDw(double total, bool accumulate, float old) {
  return ToFloat(accumulate ? Add(total, static_cast<double>(old)) : total);
}

}  // namespace fenestra::arith
