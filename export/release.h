// What a release changes against the one before. Pure functions of plans and evidence: repeated,
// they give the same bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/plan.h"
#include "export/header_parse.h"
#include "export/manifest.h"

namespace fenestra {

// The same route's program before and now over rows (lo, hi].
struct RouteChange {
  Route route;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  std::string before;  // "" where the route had no windows, or has none now
  std::string after;
  bool in_place = false;  // of calls in place alone

  bool operator==(const RouteChange&) const = default;
};

// The header of a board; null when there is none.
const ParsedHeader* FindHeader(std::span<const ParsedHeader> headers, std::string_view board);

// What calls run otherwise than before, in order of route and rows: of a route first what calls out
// of place do, then what calls in place do alone.
std::vector<RouteChange> ChangesOf(const ParsedHeader& before, const Plan& plan);

// A release as its folder has it.
struct FrozenRelease {
  std::vector<ParsedHeader> headers;  // in any order
  Manifest manifest;
};

// CHANGES.md: per board the windows that moved, how their times compare and at which row counts dw
// has other bits (from evidence that holds both programs, and what the manifest before says of the
// old bits), and where programs that stayed give other bits than they did. `previous`: null for the
// first release; a board that it lacks is new.
std::string ChangesText(std::string_view name, const FrozenRelease* previous,
                        std::span<const ReleasedBoard> boards);

}  // namespace fenestra
