#include "tuner/gpu/launch_meter.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "accuracy/error.h"
#include "accuracy/gpu/cuda_check.h"
#include "kernels/launch/entry.h"
#include "tuner/gpu/side_kernel.h"

namespace fenestra {
namespace {

// A program that has not ended by then waits for the side kernel: 4096 rows take microseconds.
constexpr std::chrono::milliseconds kPatience{20};

class Stream {
 public:
  Stream() { CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  bool IsIdle() const {
    const cudaError_t state = cudaStreamQuery(stream_);
    if (state == cudaErrorNotReady) return false;
    CheckCuda(state, "running beside the side kernel");
    return true;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

KernelRecord FactsOf(const MeterContext& context, int program, Dtype weight) {
  launch::KernelFacts facts;
  const Status status = launch::FindEntry(program, weight)->facts(&facts);
  if (!status.ok()) {
    throw Error(fmt::format("{}: {}", NameAt(program), ToString(status)), ExitCode::kMachine);
  }
  return {.key = {.board = std::string(context.board->name),
                  .program = NameAt(program),
                  .weight = weight},
          .registers = facts.registers,
          .spill_bytes = facts.spill_bytes,
          .shared_bytes = facts.shared_bytes,
          .environment = context.environment.id};
}

}  // namespace

void LaunchMeter::Run(int program, const RouteBuffers& buffers, cudaStream_t stream) {
  RunProgram(program, context_.board->sm_count, buffers, kLaunchRows, kLaunchWeight, &workspace_,
             stream);
}

bool LaunchMeter::Waits(int program, const RouteBuffers& buffers, int beside_kib) {
  const Stream stream;
  const SideKernel side(context_.board->sm_count, beside_kib * 1024);
  Run(program, buffers, stream.get());
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (stream.IsIdle()) return false;
    std::this_thread::yield();
  }
  return true;
}

Group LaunchMeter::Measure(const LaunchTask& task) {
  Group group;
  group.evidence.environments = {context_.environment};
  const RouteBuffers buffers(task.width, View::kRows, kLaunchRows, true);
  for (int program : task.programs) {
    context_.announce(NameAt(program));
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      PrepareProgram(program, weight);
      group.evidence.kernels.push_back(FactsOf(context_, program, weight));
    }
    // Alone first: what must be loaded or allocated is, and a program that faults does so here.
    Run(program, buffers, nullptr);
    CheckCuda(cudaDeviceSynchronize(), "the first call of a program failed");
    for (int beside_kib : kBesideKib) {
      const bool waits = Waits(program, buffers, beside_kib);
      CheckCuda(cudaDeviceSynchronize(), "a program beside another kernel failed");
      group.evidence.waits.push_back({.key = {.board = std::string(context_.board->name),
                                              .program = NameAt(program),
                                              .beside_kib = beside_kib},
                                      .waits = waits,
                                      .environment = context_.environment.id});
    }
  }
  return group;
}

}  // namespace fenestra
