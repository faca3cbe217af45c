// Which program runs a call: board -> route -> window. Nothing here allocates; a route and its
// window are found in at most 20 ns (tests/kernels/lookup_benchmark.cc).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/dispatch/board_windows.h"

namespace fenestra {

// The boards of every header that this library was built with, in order of name.
std::span<const BoardWindows* const> CompiledBoards();

// The windows of exactly this board: its arch, SM count, and a product whose name begins with the
// board's. Null when there are none.
constexpr const BoardWindows* FindBoardWindows(std::span<const BoardWindows* const> boards,
                                               Arch arch, int sm_count, std::string_view product) {
  for (const BoardWindows* windows : boards) {
    const Board& board = *windows->board;
    if (board.arch == arch && board.sm_count == sm_count && product.starts_with(board.product)) {
      return windows;
    }
  }
  return nullptr;
}
const BoardWindows* FindBoardWindows(Arch arch, int sm_count, std::string_view product);

// The windows of the board of this arch with the nearest SM count, the smaller of two as near; for
// callers who allow borrowing. Null when no board of the arch has any.
constexpr const BoardWindows* NearestBoardWindows(std::span<const BoardWindows* const> boards,
                                                  Arch arch, int sm_count) {
  const auto distance = [sm_count](const BoardWindows* windows) {
    const int gap = windows->board->sm_count - sm_count;
    return gap < 0 ? -gap : gap;
  };
  const BoardWindows* nearest = nullptr;
  for (const BoardWindows* windows : boards) {
    if (windows->board->arch != arch) continue;
    if (nearest == nullptr || distance(windows) < distance(nearest) ||
        (distance(windows) == distance(nearest) &&
         windows->board->sm_count < nearest->board->sm_count)) {
      nearest = windows;
    }
  }
  return nearest;
}
const BoardWindows* NearestBoardWindows(Arch arch, int sm_count);

// The board whose windows and row split the board-invariant level runs on every board: its dw bits
// are those of this board. Null when the library was built without its windows.
inline constexpr std::string_view kInvariantBoard = "h200_132";
constexpr const BoardWindows* InvariantWindows(std::span<const BoardWindows* const> boards) {
  for (const BoardWindows* windows : boards) {
    if (windows->board->name == kInvariantBoard) return windows;
  }
  return nullptr;
}
const BoardWindows* InvariantWindows();

// A route's windows on a board; null when it has none. A kAny route falls back to the deterministic
// one.
constexpr const RouteWindows* FindRoute(const BoardWindows& windows, const Route& route) {
  const int place = RoutePlace(route);
  if (place < 0) return nullptr;
  const int index = windows.index[static_cast<std::size_t>(place)];
  return index < 0 ? nullptr : &windows.routes[static_cast<std::size_t>(index)];
}

// The window of a call of `rows` rows, whose outputs overlay inputs or not; null when rows is
// outside 1 to kMaxRows, or no program of the route may run in place.
constexpr const Window* FindWindowFor(const RouteWindows& route, std::int64_t rows, bool in_place) {
  if (rows < 1 || rows > kMaxRows) return nullptr;
  return FindWindow(in_place ? route.in_place : route.windows, rows);
}

// That window's program, an index into kPrograms; -1 when there is no window.
constexpr int FindProgramFor(const RouteWindows& route, std::int64_t rows, bool in_place) {
  const Window* window = FindWindowFor(route, rows, in_place);
  return window == nullptr ? -1 : window->program;
}

// Where a window's time and accuracy come from, as seen by the device that runs it.
struct Bases {
  Basis time = Basis::kNone;
  Basis accuracy = Basis::kNone;

  auto operator<=>(const Bases&) const = default;
};

// Bases of a window found in `windows` on a device of `sm_count` SMs and this product name, rows
// split as on `split` SMs. What was measured or stood in for there is borrowed elsewhere: time when
// SM count, split or product differ, accuracy when the split does.
constexpr Bases BasesOn(const BoardWindows& windows, const Window& window, int sm_count, int split,
                        std::string_view product) {
  const auto borrow = [](Basis basis, bool own) {
    return own || basis == Basis::kNone ? basis : Basis::kBorrowed;
  };
  const bool same_split = windows.board->sm_count == split;
  const bool same_board = same_split && windows.board->sm_count == sm_count &&
                          product.starts_with(windows.board->product);
  return {borrow(window.time, same_board), borrow(window.accuracy, same_split)};
}

}  // namespace fenestra
