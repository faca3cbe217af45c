#include "tuner/gpu/time_rounds.h"

#include <algorithm>

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
