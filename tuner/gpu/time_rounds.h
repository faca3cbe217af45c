// The rounds of one comparison group: pure functions of call times, apart from the GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store.h"

namespace fenestra {

inline constexpr int kRounds = 4;
inline constexpr int kCallsPerRound = 20;

// Which of `subjects` subjects runs at place `place` of turn `turn` (counted over all rounds): each
// subject is equally often in each place, to within one, since places rotate turn by turn.
constexpr int SubjectAt(int turn, int place, int subjects) { return (turn + place) % subjects; }

// A subject's record from its samples (in call order, at least one): median, least, 90th percentile
// and the digest. `key` is copied in.
TimeRecord Summarize(const TimeKey& key, const std::vector<Sample>& samples, int rounds_discarded);

}  // namespace fenestra
