#include "accuracy/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fenestra {

void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto drain = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> helpers;
  const std::int64_t wanted = std::min<std::int64_t>(threads, count);
  for (std::int64_t i = 1; i < wanted; ++i) helpers.emplace_back(drain);
  drain();
  helpers.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

int HostThreads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

}  // namespace fenestra
