// Philox4x32-10 for many counters at once, on the host.
#pragma once

#include <cstdint>

#include "accuracy/random.h"

namespace fenestra {

// Blocks of one call, at most.
inline constexpr int kPhiloxGroups = 256;

// Word k of block i is words[k][i].
struct PhiloxGroups {
  alignas(32) std::uint32_t words[4][kPhiloxGroups];
};

// Block i is that of `counter` with its first word raised by i, for i below `count` (at most
// kPhiloxGroups). Those beyond are left undefined.
void DrawPhiloxGroups(PhiloxCounter counter, PhiloxKey key, int count, PhiloxGroups* groups);

}  // namespace fenestra
