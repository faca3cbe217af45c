// Kernel time of calls, from CUPTI activity records of kind CONCURRENT_KERNEL (KIND_KERNEL would
// serialize kernels). Kernels are attributed to calls by correlation, not by name.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tuner/sweep/time_rounds.h"

namespace fenestra {

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
