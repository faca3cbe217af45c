// What a generated header (windows/<board>.h) gives the dispatcher: every route's windows on one
// board, and an index so that finding a route takes no search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/board.h"
#include "kernels/program_list.h"
#include "kernels/window.h"

namespace fenestra {

// Places of routes: (determinism, pass, residual, weight, width), each enum's values counted.
inline constexpr std::size_t kRoutePlaces = std::size_t{3} * 2 * 2 * 2 * kWidths.size();

// Every width is a multiple of this; the quotient indexes kWidthPlaces, which a search could not
// beat: its branches are mispredicted.
inline constexpr int kWidthUnit = 256;

// width / kWidthUnit -> index into kWidths, or -1.
inline constexpr auto kWidthPlaces = [] {
  std::array<std::int8_t, kWidths.back() / kWidthUnit + 1> places;
  places.fill(-1);
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    places[static_cast<std::size_t>(kWidths[i] / kWidthUnit)] = static_cast<std::int8_t>(i);
  }
  return places;
}();
static_assert([] {
  for (int width : kWidths) {
    if (width % kWidthUnit != 0 || width > kWidths.back()) return false;
  }
  return true;
}());

// A route's place, or -1 for a width that no route has.
constexpr int RoutePlace(const Route& route) {
  const std::size_t unit = static_cast<std::size_t>(route.width) / kWidthUnit;
  if (route.width % kWidthUnit != 0 || unit >= kWidthPlaces.size() || kWidthPlaces[unit] < 0) {
    return -1;
  }
  int place = static_cast<int>(route.determinism);
  place = place * 2 + static_cast<int>(route.pass);
  place = place * 2 + (route.residual ? 1 : 0);
  place = place * 2 + static_cast<int>(route.weight);
  return place * static_cast<int>(kWidths.size()) + kWidthPlaces[unit];
}

// Place -> index into a table of routes, or -1. A kAny route without windows of its own has the
// deterministic route's: a fixed order is permitted there, not forbidden.
using RouteIndex = std::array<std::int16_t, kRoutePlaces>;

constexpr RouteIndex IndexRoutes(std::span<const RouteWindows> routes) {
  RouteIndex index;
  index.fill(-1);
  for (std::size_t i = 0; i < routes.size(); ++i) {
    index[static_cast<std::size_t>(RoutePlace(routes[i].route))] = static_cast<std::int16_t>(i);
  }
  for (std::size_t i = 0; i < routes.size(); ++i) {
    Route any = routes[i].route;
    if (any.determinism != Determinism::kDeterministic) continue;
    any.determinism = Determinism::kAny;
    std::int16_t& entry = index[static_cast<std::size_t>(RoutePlace(any))];
    if (entry < 0) entry = static_cast<std::int16_t>(i);
  }
  return index;
}

struct BoardWindows {
  const Board* board = nullptr;
  std::span<const RouteWindows> routes;
  const char* evidence_digest = "";  // DigestOf the evidence they were chosen from, 16 hex digits
  double margin = 0;                 // of the budget, that the windows were chosen with
  int protocol = 0;                  // of the accuracy evidence
  RouteIndex index{};                // IndexRoutes(routes)
};

// Every route is listed once, its windows are total and name programs that serve it, those of
// in-place calls only such as may run in place.
constexpr bool AreSound(std::span<const RouteWindows> routes) {
  const auto serve = [](const RouteWindows& route, std::span<const Window> windows, bool in_place) {
    for (const Window& window : windows) {
      if (window.program < 0 || window.program >= kProgramCount) return false;
      const Program& program = ProgramAt(window.program);
      if (!Serves(program, route.route)) return false;
      if (in_place && !AllowsInPlace(program)) return false;
    }
    return IsTotal(windows);
  };
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (RoutePlace(routes[i].route) < 0 || !serve(routes[i], routes[i].windows, false)) {
      return false;
    }
    if (!routes[i].in_place.empty() && !serve(routes[i], routes[i].in_place, true)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (routes[j].route == routes[i].route) return false;
    }
  }
  return true;
}

// Short forms for the generated headers.
namespace windows {
using enum Basis;
using enum EdgeClass;
using enum EdgeKind;
}  // namespace windows

}  // namespace fenestra
