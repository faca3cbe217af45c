// Kernel time of calls, from CUPTI activity records of kind CONCURRENT_KERNEL (KIND_KERNEL would
// serialize kernels). Kernels are attributed to calls by correlation, not by name.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

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

// One may exist at a time in a process; it must be made before the work it times. Every failure of
// CUPTI throws Error (ExitCode::kMachine).
class CuptiTimer {
 public:
  CuptiTimer();
  ~CuptiTimer();
  CuptiTimer(const CuptiTimer&) = delete;
  CuptiTimer& operator=(const CuptiTimer&) = delete;

  // Runs `enqueue`; the kernels that it launches from this thread are the next timed call.
  void Call(const std::function<void()>& enqueue);

  // Synchronizes the device and returns the times of all calls since the last Collect, in order.
  std::vector<CallTime> Collect();

 private:
  std::uint64_t calls_ = 0;
};

}  // namespace fenestra
