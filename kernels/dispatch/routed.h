// Which programs the production library compiles: those that a window of some board names.
#pragma once

#include <span>

#include "kernels/dispatch/board_windows.h"
#include "kernels/dispatch/windows/all.h"

namespace fenestra {

constexpr bool NamesProgram(std::span<const Window> windows, int program) {
  for (const Window& window : windows) {
    if (window.program == program) return true;
  }
  return false;
}

// Whether any window of the given boards, in place or not, names the program (an index into
// kPrograms).
constexpr bool IsRouted(std::span<const BoardWindows* const> boards, int program) {
  for (const BoardWindows* board : boards) {
    for (const RouteWindows& route : board->routes) {
      if (NamesProgram(route.windows, program) || NamesProgram(route.in_place, program)) {
        return true;
      }
    }
  }
  return false;
}

constexpr bool IsRouted(int program) { return IsRouted(windows::kBoardWindows, program); }

}  // namespace fenestra
