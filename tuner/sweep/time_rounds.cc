#include "tuner/sweep/time_rounds.h"

#include <algorithm>

#include "accuracy/error.h"

namespace fenestra {
namespace {

// The middle value, or the lower of the two: always one that was measured.
std::int64_t Quantile(std::vector<std::int64_t> values, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

}  // namespace

CallTime TimeOf(std::vector<Interval> intervals) {
  if (intervals.empty()) throw Error("a timed call launched no kernel", ExitCode::kMachine);
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
  CallTime time;
  std::uint64_t covered_to = 0;
  for (const Interval& interval : intervals) {
    if (interval.end_ns <= interval.start_ns) {
      throw Error("CUPTI could not time a kernel (start and end are equal)", ExitCode::kMachine);
    }
    const std::uint64_t from = std::max(interval.start_ns, covered_to);
    if (interval.end_ns > from) time.union_ns += static_cast<std::int64_t>(interval.end_ns - from);
    covered_to = std::max(covered_to, interval.end_ns);
  }
  time.span_ns = static_cast<std::int64_t>(covered_to - intervals.front().start_ns);
  return time;
}

TimeRecord Summarize(const TimeKey& key, const std::vector<Sample>& samples, int rounds_discarded) {
  std::vector<std::int64_t> unions;
  std::vector<std::int64_t> spans;
  std::vector<std::int64_t> sm_clocks;
  std::vector<std::int64_t> memory_clocks;
  for (const Sample& sample : samples) {
    unions.push_back(sample.union_ns);
    spans.push_back(sample.span_ns);
    sm_clocks.push_back(sample.sm_clock_mhz);
    memory_clocks.push_back(sample.memory_clock_mhz);
  }
  return {.key = key,
          .median_ns = Quantile(unions, 0.5),
          .min_ns = *std::min_element(unions.begin(), unions.end()),
          .p90_ns = Quantile(unions, 0.9),
          .span_median_ns = Quantile(spans, 0.5),
          .calls = static_cast<int>(samples.size()),
          .rounds_discarded = rounds_discarded,
          .sm_clock_mhz = static_cast<int>(Quantile(sm_clocks, 0.5)),
          .memory_clock_mhz = static_cast<int>(Quantile(memory_clocks, 0.5)),
          .samples_digest = DigestOfSamples(samples)};
}

}  // namespace fenestra
