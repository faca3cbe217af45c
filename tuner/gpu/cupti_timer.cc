#include "tuner/gpu/cupti_timer.h"

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "accuracy/error.h"
#include "accuracy/gpu/cuda_check.h"

namespace fenestra {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
constexpr auto kCallKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

// What CUPTI's callbacks fill: they carry no user data, so there is one per process.
struct Records {
  std::mutex mutex;
  std::unordered_map<std::uint32_t, std::uint64_t> calls;  // correlation id -> call
  std::unordered_map<std::uint32_t, Interval> kernels;     // correlation id -> interval
  std::uint64_t dropped = 0;
  bool in_use = false;
};

Records& TheRecords() {
  static Records records;
  return records;
}

void Check(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = "unknown error";
  cuptiGetResultString(result, &text);
  throw Error(fmt::format("CUPTI: {}: {}; another profiler may be attached, or the driver refuses "
                          "profiling to this user",
                          what, text),
              ExitCode::kMachine);
}

std::uint64_t CUPTIAPI Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void CUPTIAPI RequestBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void Keep(const CUpti_Activity* record) {
  Records& records = TheRecords();
  if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
    const auto* entry = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
    if (entry->externalKind == kCallKind) records.calls[entry->correlationId] = entry->externalId;
  } else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    records.kernels[kernel->correlationId] = {kernel->start, kernel->end};
  }
}

void CUPTIAPI BufferCompleted(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t, std::size_t valid) {
  Records& records = TheRecords();
  const std::lock_guard lock(records.mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) Keep(record);
  std::size_t dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
    records.dropped += dropped;
  }
  std::free(buffer);
}

// RUNTIME records are what the external correlation is written beside.
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_RUNTIME,
                                         CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                         CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};

}  // namespace

CuptiTimer::CuptiTimer() {
  Records& records = TheRecords();
  if (records.in_use) throw Error("a second CUPTI timer in one process", ExitCode::kMachine);
  Check(cuptiActivityRegisterTimestampCallback(Now), "registering the clock");
  Check(cuptiActivityRegisterCallbacks(RequestBuffer, BufferCompleted), "registering buffers");
  for (CUpti_ActivityKind kind : kKinds) Check(cuptiActivityEnable(kind), "enabling a record kind");
  records.in_use = true;
}

CuptiTimer::~CuptiTimer() {
  for (CUpti_ActivityKind kind : kKinds) (void)cuptiActivityDisable(kind);
  (void)cuptiActivityFlushAll(1);
  TheRecords().in_use = false;
}

void CuptiTimer::Call(const std::function<void()>& enqueue) {
  Check(cuptiActivityPushExternalCorrelationId(kCallKind, calls_++), "opening a call");
  enqueue();
  std::uint64_t last = 0;
  Check(cuptiActivityPopExternalCorrelationId(kCallKind, &last), "closing a call");
}

std::vector<CallTime> CuptiTimer::Collect() {
  CheckCuda(cudaDeviceSynchronize(), "a timed call failed");
  Check(cuptiActivityFlushAll(0), "collecting records");
  Records& records = TheRecords();
  const std::lock_guard lock(records.mutex);
  if (records.dropped > 0) {
    throw Error(fmt::format("CUPTI dropped {} records", records.dropped), ExitCode::kMachine);
  }
  std::vector<std::vector<Interval>> intervals(calls_);
  for (const auto& [correlation, interval] : records.kernels) {
    const auto call = records.calls.find(correlation);
    if (call != records.calls.end()) intervals.at(call->second).push_back(interval);
  }
  std::vector<CallTime> times;
  times.reserve(calls_);
  for (auto& of_call : intervals) times.push_back(TimeOf(std::move(of_call)));
  records.calls.clear();
  records.kernels.clear();
  calls_ = 0;
  return times;
}

}  // namespace fenestra
