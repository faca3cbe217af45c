// Times the programs of one route against one another and the streaming floor, cold.
#pragma once

#include <memory>
#include <string>

#include "tuner/gpu/clocks.h"
#include "tuner/gpu/cupti_timer.h"
#include "tuner/gpu/route_buffers.h"
#include "tuner/gpu/stream.h"
#include "tuner/sweep/meter.h"

namespace fenestra {

class TimeMeter {
 public:
  explicit TimeMeter(const MeterContext& context);

  // 4 rounds of 20 calls of every subject, before each call the L2 made cold. A round at a lowered
  // clock is repeated. Throws Error when a program is refused or fails.
  Group Measure(const TimeTask& task);

 private:
  struct Round {
    std::vector<CallTime> times;
    Clocks clocks;
  };

  void Enqueue(const TimeTask& task, int subject);
  void WarmUp(const TimeTask& task);
  Round RunRound(const TimeTask& task, int round);
  bool IsLowered(const Clocks& clocks) const;
  TimeKey KeyOf(const TimeTask& task, int subject) const;

  const MeterContext& context_;
  CuptiTimer timer_;
  ColdL2 cold_;
  ClockReader clocks_;
  DeviceArray<unsigned char> workspace_;
  std::unique_ptr<RouteBuffers> buffers_;
  std::int64_t buffer_tokens_ = 0;
  Route buffer_route_;
  View buffer_view_ = View::kRows;
};

}  // namespace fenestra
