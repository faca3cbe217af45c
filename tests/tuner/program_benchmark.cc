// Kernel time of every program, from the CUPTI timer under cold L2, beside the streaming floor of
// the same run: google-benchmark's iterations with manual time.
//
//   program_benchmark --benchmark_filter='bwd_ring_h4096.*/w32/4096$'
//
// A benchmark is named <program>/<weight>/<rows>; its counters are the floor's median time in
// microseconds and the program's time over it. Needs a GPU; exits 3 without one.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "accuracy/error.h"
#include "kernels/program_list.h"
#include "tuner/gpu/cuda_stream.h"
#include "tuner/gpu/cupti_timer.h"
#include "tuner/gpu/route_buffers.h"
#include "tuner/gpu/stream.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

constexpr std::int64_t kRowCounts[] = {64, 1024, 4096, 65536};
constexpr int kIterations = 40;

struct Bench {
  CuptiTimer timer;
  ColdL2 cold;
  DeviceArray<unsigned char> workspace;

  // Kernel-active time of one cold call, in nanoseconds.
  std::int64_t Time(const std::function<void()>& enqueue) {
    cold.Flush(kDefaultStream);
    timer.Call(enqueue);
    return timer.Collect().at(0).union_ns;
  }
};

std::int64_t Median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void TimeProgram(benchmark::State& state, Bench* bench, int index, Dtype weight,
                 std::int64_t rows) {
  const Program& program = ProgramAt(index);
  int device = 0;
  int sm_count = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device),
            "counting SMs");
  const RouteBuffers buffers(program.width, View::kRows, rows, program.residual);
  PrepareProgram(index, weight);
  const auto run = [&] {
    RunProgram(index, sm_count, buffers, rows, weight, &bench->workspace, kDefaultStream);
  };
  const StreamCall floor = buffers.Floor(program.pass, rows);
  run();  // loads the kernels
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> floors;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    times.push_back(bench->Time(run));
    floors.push_back(bench->Time([&] { LaunchStream(floor, kDefaultStream); }));
    state.SetIterationTime(static_cast<double>(times.back()) * 1e-9);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          (floor.reads + floor.writes) * floor.bytes);
  state.counters["floor_us"] = static_cast<double>(Median(floors)) * 1e-3;
  state.counters["over_floor"] =
      static_cast<double>(Median(times)) / static_cast<double>(Median(floors));
}

void Register(Bench* bench) {
  for (int i = 0; i < kProgramCount; ++i) {
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      for (std::int64_t rows : kRowCounts) {
        if (!IsMeasuredAt(i, rows)) continue;
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}/{}", NameAt(i), ToString(weight), rows).c_str(),
            [=](benchmark::State& state) { TimeProgram(state, bench, i, weight, rows); })
            ->UseManualTime()
            ->Iterations(kIterations)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace
}  // namespace fenestra

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cerr
        << "program_benchmark: no GPU on this machine; 'fenestra doctor' says what is missing\n";
    return static_cast<int>(fenestra::ExitCode::kMachine);
  }
  try {
    fenestra::Bench bench;
    fenestra::Register(&bench);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const fenestra::Error& error) {
    std::cerr << "program_benchmark: " << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
  return 0;
}
