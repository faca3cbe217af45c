// A 64-bit digest of FP32 values, the same on GPU and CPU: the sum, modulo 2^64, of one mixed word
// per element, so that it can be taken in any order. Not cryptographic.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/arith/scalar.h"

namespace fenestra {

// The share of element `index` (below 2^32). NaNs count as one value; the two zeros differ. The
// mixing is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, 2014).
FENESTRA_HD std::uint64_t DigestTerm(std::uint32_t index, float value) {
  constexpr std::uint32_t kCanonicalNan = 0x7fffffffU;
  const std::uint32_t bits = value != value ? kCanonicalNan : arith::BitsOf(value);
  std::uint64_t x = (static_cast<std::uint64_t>(index) << 32 | bits) + 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// Digest of [n] values, n below 2^32; 0 of none.
std::uint64_t DigestOf(std::span<const float> values);

// 16 lower-case hex digits.
std::string DigestText(std::uint64_t digest);

}  // namespace fenestra
