// A plan: the windows chosen for a board, why, and from what evidence. Made by tuner/choose.h,
// stored by db/store.h, turned into headers by export/header.h.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/window.h"

namespace fenestra {

// "(64, 4096]", and "(65537, max]" where the rows have no end.
std::string RowsText(std::int64_t lo, std::int64_t hi);

// The outputs of a route that were never compared across an edge of these classes: "dx", "dw", ...
std::vector<std::string_view> UncomparedOutputs(const Route& route, const EdgeClasses& classes);

struct PlannedWindow {
  Window window;
  std::string program;  // name; window.program is its index
  std::string reason;   // one clause: "2.1 % faster than X at 4096 rows", "X reaches 0.31 at 8192"
  double worst = 0;     // largest fraction of the budget sampled in the window; 0 forward
  std::int64_t worst_rows = 0;
  double over_stream = 0;  // mean time over the streaming floor in the window; 0: not timed
  double over_best = 0;    // mean time over the fastest program of any accuracy, less 1

  auto operator<=>(const PlannedWindow&) const = default;
};

struct RoutePlan {
  Route route;
  std::vector<PlannedWindow> windows;
  std::vector<PlannedWindow> in_place;  // empty: no program of the route may run in place
  std::int64_t qualified_rows = 0;      // largest sampled row count; above it: unqualified
};

struct Waiver {
  Route route;
  std::int64_t rows = 0;  // largest row count it covers
  std::string program;
  double fraction = 0;  // allowed, at most 0.8
  std::string reason;

  auto operator<=>(const Waiver&) const = default;
};

// "bwd_w32_h4096 PROGRAM up to 8192 rows to 0.4: REASON", and its inverse: none where the text has
// another form or names no route. That the values make sense is Choose's to check.
std::string ToString(const Waiver& waiver);
std::optional<Waiver> ParseWaiver(std::string_view text);

struct Plan {
  std::string board;
  double margin = 0.25;  // of the budget, against the reference at the program's own rstd
  double noise = 0.014;  // what a window must earn to exist, as a fraction of time
  std::string evidence;  // DigestOf the evidence it was chosen from
  std::vector<std::string> environments;  // ids of those it rests on
  std::vector<Waiver> waivers;
  std::vector<RoutePlan> routes;  // sorted by route
  // Read from the header of a release: its windows tell no errors and no times, and it is history,
  // never a board's plan of now.
  bool imported = false;
};

// visit(route, window) for each window of the plan; those of calls in place where they are others.
template <typename Visit>
void ForEachWindow(const Plan& plan, const Visit& visit) {
  for (const RoutePlan& route : plan.routes) {
    for (const PlannedWindow& planned : route.windows) visit(route.route, planned);
    if (route.in_place == route.windows) continue;
    for (const PlannedWindow& planned : route.in_place) visit(route.route, planned);
  }
}

// Names under which the dw of the backward programs that the plan routes is measured (DwTwinName);
// of a program that this build does not have, its own.
std::set<std::string> RoutedDw(const Plan& plan);

}  // namespace fenestra
