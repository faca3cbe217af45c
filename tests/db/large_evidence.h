// Synthetic evidence of any size, for tests of scale and of merging: valid, deterministic, and
// shaped as sweeps shape it, so that windows can be chosen from it. Its numbers mean nothing.
#pragma once

#include <cstdint>
#include <span>

#include "db/evidence.h"
#include "kernels/board.h"

namespace fenestra::large {

// `measurements` records of time and accuracy, spread evenly over the boards. Accuracy: half of
// them, as far as the protocol's row counts go, of every backward program. Times: every route, its
// programs and the streaming floor at the timed row counts, in as many processes, sessions and
// environments as it takes. One record of every other kind stands beside them. Sorted.
Evidence LargeEvidence(std::int64_t measurements, std::span<const Board> boards);

}  // namespace fenestra::large
