#include "tuner/gpu/launch_meter.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "accuracy/error.h"
#include "accuracy/gpu/cuda_check.h"
#include "kernels/launch/entry.h"
#include "tuner/gpu/cuda_stream.h"
#include "tuner/gpu/side_kernel.h"

namespace fenestra {
namespace {

// A program that has not ended by then waits for the side kernel: 4096 rows take microseconds.
constexpr std::chrono::milliseconds kPatience{20};

KernelRecord FactsOf(const MeterContext& context, int program, Dtype weight) {
  launch::KernelFacts facts;
  const Status status = launch::FindEntry(program, weight)->facts(&facts);
  if (!status.ok()) {
    throw Error(fmt::format("{}: {}", NameAt(program), ToString(status)), ExitCode::kMachine);
  }
  return {.key = {.board = std::string(context.board->name),
                  .program = NameAt(program),
                  .weight = weight,
                  .environment = context.environment.id},
          .registers = facts.registers,
          .spill_bytes = facts.spill_bytes,
          .shared_bytes = facts.shared_bytes};
}

}  // namespace

void LaunchMeter::Run(int program, const RouteBuffers& buffers, cudaStream_t stream) {
  RunProgram(program, context_.board->sm_count, buffers, kLaunchRows, kLaunchWeight, &workspace_,
             stream);
}

bool LaunchMeter::Waits(int program, const RouteBuffers& buffers, int beside_kib) {
  const CudaStream stream;
  context_.announce("");  // that the side kernel does not start is not the program's doing
  const SideKernel side(context_.board->sm_count, beside_kib * 1024);
  context_.announce(NameAt(program));
  Run(program, buffers, stream.get());
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    const cudaError_t state = cudaStreamQuery(stream.get());
    if (state != cudaErrorNotReady) {
      CheckCuda(state, "running beside the side kernel");
      return false;
    }
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
                                              .beside_kib = beside_kib,
                                              .environment = context_.environment.id},
                                      .waits = waits});
    }
  }
  return group;
}

}  // namespace fenestra
