// An independent quantile of the unit normal, for expectations of these tests.
#pragma once

#include <cmath>
#include <cstdint>

namespace fenestra {

// z >= 0 with P(N > z) = p, for 0 < p <= 1/2, to about 18 digits: Newton steps on the logarithm of
// the tail, which is concave.
inline long double UpperQuantile(long double p) {
  long double z = p > 0.2L ? 0.0L : std::sqrt(-2 * std::log(p)) - 0.5L;
  for (int step = 0; step < 60; ++step) {
    const long double tail = std::erfc(z / std::sqrt(2.0L)) / 2;
    const long double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L));
    const long double change = (std::log(tail) - std::log(p)) * tail / density;
    z += change;
    if (std::abs(change) < 1e-18L) break;
  }
  return z;
}

// What the generator defines for a word: the low 31 bits k give the tail (k + 1/2) / 2^32, the top
// bit the sign.
inline long double NormalByDefinition(std::uint32_t word) {
  const long double tail = ((word & 0x7fffffffU) + 0.5L) / 4294967296.0L;
  const long double z = UpperQuantile(tail);
  return word >> 31 ? -z : z;
}

}  // namespace fenestra
