// Windows: half-open row ranges (lo, hi] in which a route runs one program, and the tables that
// generated headers (kernels/dispatch/windows/<board>.h) are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/route.h"

namespace fenestra {

// Why a window's lower edge is where it is. On-disk values: append only.
enum class EdgeKind : int {
  kStart = 0,     // rows 1: nothing below
  kSpeed = 1,     // this program is faster here than the one below
  kAccuracy = 2,  // the program below stops being accurate enough
  kTop = 3,       // above the largest sampled row count: the most accurate program, unqualified
};

// How two programs' outputs compare at an edge, measured by running both. Append only.
enum class EdgeClass : int { kUnmeasured = 0, kSame = 1, kDiffers = 2 };

struct EdgeClasses {
  EdgeClass y = EdgeClass::kUnmeasured;
  EdgeClass rstd = EdgeClass::kUnmeasured;
  EdgeClass residual_out = EdgeClass::kUnmeasured;
  EdgeClass dx = EdgeClass::kUnmeasured;
  EdgeClass dw = EdgeClass::kUnmeasured;

  auto operator<=>(const EdgeClasses&) const = default;
};

// Where a window's time or accuracy came from. Append only.
enum class Basis : int {
  kNone = 0,      // not timed / not measured
  kMeasured = 1,  // on the board itself
  kStoodIn = 2,   // this board's row split, run elsewhere (accuracy only)
  kBorrowed = 3,  // another board's
};

struct Window {
  std::int64_t lo = 0;  // exclusive
  std::int64_t hi = 0;  // inclusive
  int program = -1;     // index into kPrograms (program_list.h)
  EdgeKind edge = EdgeKind::kStart;
  EdgeClasses classes;  // against the window below; kUnmeasured in the first
  Basis time = Basis::kNone;
  Basis accuracy = Basis::kNone;

  auto operator<=>(const Window&) const = default;
};

// A route's windows. `in_place` holds the windows of calls whose y overlays x or dx dy, chosen
// from the programs that allow it; empty when no program does.
struct RouteWindows {
  Route route;
  std::span<const Window> windows;
  std::span<const Window> in_place;
};

// Sorted, gap-free and total: the first lo is 0, each lo is the hi before it, the last hi kMaxRows.
constexpr bool IsTotal(std::span<const Window> windows) {
  std::int64_t end = 0;
  for (const Window& window : windows) {
    if (window.lo != end || window.hi <= window.lo) return false;
    end = window.hi;
  }
  return end == kMaxRows;
}

// The window holding `rows` (1 to kMaxRows) in a total table. At most log2(size) comparisons.
constexpr const Window* FindWindow(std::span<const Window> windows, std::int64_t rows) {
  std::size_t low = 0;
  std::size_t high = windows.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (windows[middle].hi < rows) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < windows.size() ? &windows[low] : nullptr;
}

std::string_view ToString(EdgeKind kind);  // "start", "speed", "accuracy", "top"
std::optional<EdgeKind> ParseEdgeKind(std::string_view text);
std::string_view ToString(EdgeClass edge_class);  // "unmeasured", "same", "differs"
std::optional<EdgeClass> ParseEdgeClass(std::string_view text);
std::string_view ToString(Basis basis);  // "none", "measured", "stood_in", "borrowed"
std::optional<Basis> ParseBasis(std::string_view text);

}  // namespace fenestra
