// Time of one lookup: the route on a board, then its window. To take at most 20 ns.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "kernels/dispatch/lookup.h"

namespace fenestra {
namespace {

// Every route, with more windows than any board has.
void BM_Lookup(benchmark::State& state) {
  std::vector<Window> windows;
  for (std::int64_t hi = 64; hi < 65536 * 4; hi *= 2) {
    windows.push_back({hi / 2, hi, 0, EdgeKind::kSpeed, {}, Basis::kNone, Basis::kNone});
  }
  windows.front().lo = 0;
  windows.push_back(windows.back());
  windows.back().lo = windows.back().hi;
  windows.back().hi = kMaxRows;
  std::vector<RouteWindows> routes;
  for (const Route& route : AllRoutes()) routes.push_back({route, windows, windows});
  BoardWindows board;
  board.routes = routes;
  board.index = IndexRoutes(routes);
  std::uint32_t random = 1;
  for (auto _ : state) {
    random = random * 1664525U + 1013904223U;  // another call each time, so that nothing is hoisted
    const Route& route = routes[(random >> 8) % routes.size()].route;
    const RouteWindows* found = FindRoute(board, route);
    benchmark::DoNotOptimize(FindProgramFor(*found, 1 + (random >> 14), (random & 1) != 0));
  }
}
BENCHMARK(BM_Lookup);

}  // namespace
}  // namespace fenestra

BENCHMARK_MAIN();
