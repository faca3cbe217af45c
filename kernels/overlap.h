// Do two strided tensors share an element? Exact, so that slices of one buffer that interleave
// without sharing are told from a true overlap.
#pragma once

#include <cstdint>

namespace fenestra {

// Elements of `element_bytes` at data + token * token_pitch + head * head_pitch + [0, width).
struct Extent {
  const void* data = nullptr;
  std::int64_t tokens = 1;
  std::int64_t heads = 1;
  std::int64_t width = 0;
  std::int64_t token_pitch = 0;  // in elements; may be negative
  std::int64_t head_pitch = 0;
  int element_bytes = 0;
};

// Whether any byte belongs to both. O(log) steps where the pitches of both are equal, or combine to
// two, or put all rows into slots of one grid, as in views of one buffer. Else, with heads
// inside tokens, about min(2 tokens, heads^2) times that at worst.
bool SharesElements(const Extent& a, const Extent& b);

// Whether two different rows of the tensor share an element. O(log) steps.
bool OverlapsItself(const Extent& extent);

// Whether 0 <= i < n and 0 <= j < m exist with low <= p * i - q * j <= high. p and q not negative.
// O(log) steps. Source: the reduction of a range query on i * p mod q in the manner of Euclid.
bool HitsRange(std::int64_t p, std::int64_t n, std::int64_t q, std::int64_t m, std::int64_t low,
               std::int64_t high);

}  // namespace fenestra
