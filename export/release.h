// A release: the headers of every board, a manifest of what they rest on, and what changed against
// the release before. Pure functions of plans and evidence: repeated, they give the same bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"
#include "export/header_parse.h"

namespace fenestra {

// One board of a release.
struct ReleasedBoard {
  // `evidence`: that `plan` was chosen from. Throws Error as HeaderText does.
  ReleasedBoard(Plan plan, Evidence evidence);

  Plan plan;
  Evidence evidence;
  std::string header;  // HeaderText of the plan
};

// manifest.json: per board its header's and evidence's digests, the environments, the programs, and
// on what basis time and accuracy of its windows rest.
std::string ManifestText(std::string_view name, std::span<const ReleasedBoard> boards);

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

// CHANGES.md: per board the windows that moved, how their times compare, and at which row counts dw
// has other bits, both from evidence that holds both programs. `before`: the headers of the release
// before, in any order; a board that it lacks is new.
std::string ChangesText(std::string_view name, std::string_view before_name,
                        std::span<const ParsedHeader> before,
                        std::span<const ReleasedBoard> boards);

}  // namespace fenestra
