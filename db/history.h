// The history of window edges: first what the source documents published, in the order of their
// tables (#8293, #8319, #8253), then what the stored plans of each board changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernels/board.h"

namespace fenestra {

// A dw error that was read at a row count, as a fraction of the budget.
struct HistoryPoint {
  std::string source;  // "#8253", "measured"
  std::string board;   // "B200, 148 SMs" as published, or a board's name
  std::string weight;  // "w16", "w32", "both"; "" where not stated
  std::string at;      // row count or range, in the entry's unit: "44544", "49153 to 65537"
  std::string statistic;
  std::string program;
  std::string reference;
  std::string fraction;             // as printed: "0.909"
  std::string comparator_fraction;  // of the FP32 eager reduction there; "" where not stated

  bool operator==(const HistoryPoint&) const = default;
};

// One edge that was stated, moved or removed.
struct HistoryEntry {
  std::string source;  // the pull request, "#8293", or "plan 3" and the releases that hold it
  Arch arch = Arch::kSm90a;
  std::string board;            // of a plan; "" where published, which is by arch
  std::vector<Route> routes;    // one, or both weight dtypes
  bool residual_stated = true;  // false: the text does not say; `routes` then are without residual
  std::string unit;             // "rows" or "tokens" (equal but for the views of H 256)
  std::optional<std::int64_t> before;  // largest row count of the window below; unset: not stated
  std::optional<std::int64_t> after;   // unset: the edge is gone
  std::optional<EdgeKind> kind;        // unset: not stated
  std::string program_below;
  std::string program_above;
  std::string reason;
  std::vector<HistoryPoint> points;  // that support it, by row count
};

struct HistoryFilter {
  std::optional<Arch> arch = std::nullopt;
  std::string board = {};    // of plans; published entries then are those of its arch
  std::string routes = "*";  // glob over route names
  std::optional<EdgeKind> kind = std::nullopt;
  std::int64_t from = 0;  // entries with a position, before or after, in from .. to
  std::int64_t to = kMaxRows;
};

// Entries that match, oldest first.
std::vector<HistoryEntry> History(const Store& store, const HistoryFilter& filter);

// The two halves, as functions of what they rest on, unfiltered. Throws Error on a published row
// whose cells cannot be read.
std::vector<HistoryEntry> PublishedHistory(const std::vector<PublishedRecord>& published);
// `plans` of one board, oldest first. Entries for each edge that a plan adds, moves or removes
// against the plan before it that had the route; `points` stay empty.
std::vector<HistoryEntry> PlanHistory(const std::vector<StoredPlan>& plans);

// True when the entry passes.
bool Matches(const HistoryEntry& entry, const HistoryFilter& filter);

// The positions an edge has had, in order, from its entries: {52736, 44032}.
std::vector<std::int64_t> PositionsOf(const std::vector<HistoryEntry>& entries);

}  // namespace fenestra
