// The counter-based generator of the accuracy protocol: Philox4x32-10 and a unit normal made from
// integer and correctly rounded FP32 operations only, so that GPU and CPU draw the same bits.
// Branch-free and without calls, so that a host loop over counters vectorizes.
#pragma once

#include <cstdint>

#include "kernels/arith/scalar.h"

namespace fenestra {

struct PhiloxCounter {
  std::uint32_t words[4];
};

struct PhiloxKey {
  std::uint32_t words[2];
};

namespace philox {

inline constexpr int kRounds = 10;
inline constexpr std::uint32_t kFactor0 = 0xD2511F53U;
inline constexpr std::uint32_t kFactor1 = 0xCD9E8D57U;
inline constexpr std::uint32_t kKeyStep0 = 0x9E3779B9U;
inline constexpr std::uint32_t kKeyStep1 = 0xBB67AE85U;

// The last `rounds` rounds. A template argument, so that the rounds unroll in every compiler and
// the loop around a generator call stays the innermost one.
template <int rounds>
FENESTRA_HD PhiloxCounter Rounds(PhiloxCounter counter, PhiloxKey key) {
  if constexpr (rounds == 0) {
    return counter;
  } else {
    const std::uint64_t even = std::uint64_t{kFactor0} * counter.words[0];
    const std::uint64_t odd = std::uint64_t{kFactor1} * counter.words[2];
    const PhiloxCounter next{
        {static_cast<std::uint32_t>(odd >> 32) ^ counter.words[1] ^ key.words[0],
         static_cast<std::uint32_t>(odd),
         static_cast<std::uint32_t>(even >> 32) ^ counter.words[3] ^ key.words[1],
         static_cast<std::uint32_t>(even)}};
    return Rounds<rounds - 1>(next, {{key.words[0] + kKeyStep0, key.words[1] + kKeyStep1}});
  }
}

}  // namespace philox

// Four words, uniform over 32 bits, for a counter and a key. Source: Salmon, Moraes, Dror, Shaw:
// Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011).
FENESTRA_HD PhiloxCounter Philox4x32(PhiloxCounter counter, PhiloxKey key) {
  return philox::Rounds<philox::kRounds>(counter, key);
}

// A word scaled to 0 .. bound-1; `bound` at least 1. The bias is below bound / 2^32.
FENESTRA_HD std::uint32_t ScaleWord(std::uint32_t word, std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * bound) >> 32);
}

namespace normal {

// log(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)]: minimax polynomial of degree 7, relative error
// 1.7e-7.
FENESTRA_HD float LogOverArgument(float f) {
  float p = -0.101062362F;
  p = arith::Fma(p, f, 0.162235589F);
  p = arith::Fma(p, f, -0.172514397F);
  p = arith::Fma(p, f, 0.199000574F);
  p = arith::Fma(p, f, -0.249698470F);
  p = arith::Fma(p, f, 0.333350620F);
  p = arith::Fma(p, f, -0.500003665F);
  return arith::Fma(p, f, 0.999999945F);
}

// -log(q) for a positive, normal q, by splitting off the exponent that leaves a significand in
// [sqrt(1/2), sqrt(2)), so that the result keeps its relative accuracy as q nears 1.
FENESTRA_HD float MinusLog(float q) {
  constexpr std::uint32_t kSqrtHalf = 0x3f3504f3U;
  const std::uint32_t bits = arith::BitsOf(q);
  const auto exponent = static_cast<std::int32_t>(bits - kSqrtHalf) >> 23;
  const float significand = arith::FloatOf(bits - (static_cast<std::uint32_t>(exponent) << 23));
  const float f = arith::Sub(significand, 1.0F);
  const float log_significand = arith::Mul(f, LogOverArgument(f));
  return arith::Fma(static_cast<float>(exponent), -0.693147181F, -log_significand);
}

// sqrt(2) * erfinv(x) / x as a function of w = -log(1 - x^2), 0 <= w <= 21.5: minimax rational of
// degrees 5 and 4, relative error 1.3e-6. In w the function is analytic at 0 and grows like a
// square root, so one form serves centre and tail.
FENESTRA_HD float QuantileOverArgument(float w) {
  float n = 1.451073157e-5F;
  n = arith::Fma(n, w, 2.065499149e-3F);
  n = arith::Fma(n, w, 2.078630613e-2F);
  n = arith::Fma(n, w, 0.1396121191F);
  n = arith::Fma(n, w, 0.6063320929F);
  n = arith::Fma(n, w, 1.253315701F);
  float d = 1.940214712e-4F;
  d = arith::Fma(d, w, 5.973556667e-3F);
  d = arith::Fma(d, w, 4.01263869e-2F);
  d = arith::Fma(d, w, 0.2220139499F);
  d = arith::Fma(d, w, 1.0F);
  return arith::Div(n, d);
}

}  // namespace normal

// The unit normal of a word, by inversion: the low 31 bits k give the probability
// (k + 1/2) / 2^32 of a larger magnitude on that side, the top bit the sign. Magnitudes reach 6.34;
// the relative error against the exact quantile is below 3e-6.
FENESTRA_HD float NormalOf(std::uint32_t word) {
  const auto k = static_cast<std::int32_t>(word & 0x7fffffffU);
  const std::int32_t mirror = k ^ 0x7fffffff;
  // 2p and x = 1 - 2p, each from its own integer: neither cancels where it is small.
  const float twice_p = arith::Mul(arith::Add(static_cast<float>(k), 0.5F), 0x1p-31F);
  const float x = arith::Mul(arith::Add(static_cast<float>(mirror), 0.5F), 0x1p-31F);
  const float w = normal::MinusLog(arith::Mul(twice_p, arith::Add(1.0F, x)));
  const float magnitude = arith::Mul(x, normal::QuantileOverArgument(w));
  return arith::FloatOf(arith::BitsOf(magnitude) | (word & 0x80000000U));
}

}  // namespace fenestra
