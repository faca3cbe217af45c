// Work shared by threads.
#pragma once

#include <cstdint>
#include <functional>

namespace fenestra {

// Calls work(i) once for every i in [0, count), on up to `threads` threads (at least 1), in no
// stated order. The first exception a call throws is thrown again here, after all have ended.
void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work);

// Threads that this machine runs at once, at least 1.
int HostThreads();

}  // namespace fenestra
