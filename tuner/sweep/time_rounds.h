// From kernel intervals to records: pure functions, apart from the GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store.h"

namespace fenestra {

// Times of one call, in nanoseconds; the resolution is about 32 ns.
struct CallTime {
  std::int64_t union_ns = 0;  // length of the union of its kernels' intervals: overlap counts once
  std::int64_t span_ns = 0;   // first start to last end: holds the gaps that the union hides
};

struct Interval {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// Union and span of a call's kernel intervals, in any order. Throws Error when there are none or
// one of them is empty at zero: a record CUPTI could not time is an error, not a zero.
CallTime TimeOf(std::vector<Interval> intervals);

inline constexpr int kRounds = 4;
inline constexpr int kCallsPerRound = 20;

// Which of `subjects` subjects runs at place `place` of turn `turn` (counted over all rounds): each
// subject is equally often in each place, to within one, since places rotate turn by turn.
constexpr int SubjectAt(int turn, int place, int subjects) { return (turn + place) % subjects; }

// A subject's record from its samples (in call order, at least one): median, least, 90th percentile
// and the digest. `key` is copied in.
TimeRecord Summarize(const TimeKey& key, const std::vector<Sample>& samples, int rounds_discarded);

}  // namespace fenestra
