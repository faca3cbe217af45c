// The history of windows: first what the source documents published, in their order (#8293, #8319,
// #8253), then what the stored plans of each board changed, in theirs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "kernels/board.h"

namespace fenestra {

// What an entry tells of. Append only.
enum class HistoryKind : int {
  kEdge = 0,      // an edge that was stated, moved or removed
  kAccuracy = 1,  // a published dw error that stands beside no edge
  kCost = 2,      // a published range of speed over a range of rows
  kTiming = 3,    // a published time
};
inline constexpr std::array kHistoryKinds{HistoryKind::kEdge, HistoryKind::kAccuracy,
                                          HistoryKind::kCost, HistoryKind::kTiming};
std::string_view ToString(HistoryKind kind);  // "edge", "accuracy", "cost", "timing"
std::optional<HistoryKind> ParseHistoryKind(std::string_view text);

// A dw error that was read at a row count, as a fraction of the budget.
struct HistoryPoint {
  std::string source;  // "#8253", "measured", "stood in"
  std::string board;   // "B200, 148 SMs" as published, or a board's name
  std::string weight;  // "w16", "w32", "both"; "" where not stated
  std::string at;      // row count or range, in the entry's unit: "44544", "49153 to 65537"
  std::string statistic;
  std::string program;
  std::string reference;
  std::string fraction;             // as printed: "0.909"
  std::string comparator_fraction;  // of the FP32 eager reduction there; "" where not stated
  // What published points do not state: the input that gave the fraction, and where it was read.
  std::string family = {};
  std::optional<std::int64_t> seed = std::nullopt;
  std::optional<std::int64_t> column = std::nullopt;
  std::string environment = {};  // id

  bool operator==(const HistoryPoint&) const = default;
};

struct HistoryEntry {
  HistoryKind what = HistoryKind::kEdge;
  std::string source;     // the pull request, "#8293", or "plan 3" and the release that ships it
  std::int64_t plan = 0;  // its number; 0 where published
  Arch arch = Arch::kSm90a;
  std::string board;            // of a plan, or a published figure's; "" for edges by arch
  std::vector<Route> routes;    // one, or both weight dtypes
  bool residual_stated = true;  // false: the text does not say; `routes` then are without residual
  std::string unit;             // "rows" or "tokens" (equal but for the views of H 256)
  // Of an edge.
  std::optional<std::int64_t> before;  // largest row count of the window below; unset: not stated
  std::optional<std::int64_t> after;   // unset: the edge is gone
  std::optional<EdgeKind> kind;        // unset: not stated
  std::string program_below;
  std::string program_above;
  std::string reason;  // why the edge is there; of a figure: what it says
  // Of a figure: the row counts it covers, in `unit`.
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::vector<HistoryPoint> points;       // that support it, by row count
  std::string evidence;                   // digest of what the plan was chosen from
  std::vector<std::string> environments;  // ids of those the plan rests on
  std::string release = {};               // the first that ships the plan; "" where none does
  std::string date = {};                  // of that release; "" where none is told
};

struct HistoryFilter {
  std::optional<Arch> arch = std::nullopt;
  std::string board = {};    // of plans; published entries then are those of its arch
  std::string routes = "*";  // glob over route names
  std::optional<EdgeKind> kind = std::nullopt;
  std::int64_t from = 0;  // edges with a position, before or after, in from .. to; figures that
  std::int64_t to = kMaxRows;  // cover a row count there
  std::optional<HistoryKind> what = std::nullopt;
  // The sources between these two, both included: a pull request, "#8253", "plan 3", or a release's
  // name, which stands for all its plans; "" leaves that end open.
  std::string first_source = {};
  std::string last_source = {};
};

// Entries that match, oldest source first: of each its edges, then its figures. Throws Error on a
// board or source that is not known.
std::vector<HistoryEntry> History(const Store& store, const HistoryFilter& filter);
// What there is without a store.
std::vector<HistoryEntry> History(const std::vector<PublishedRecord>& published,
                                  const HistoryFilter& filter);

// The parts, as functions of what they rest on, unfiltered. Throw Error on a published row whose
// cells cannot be read.
std::vector<HistoryEntry> PublishedHistory(const std::vector<PublishedRecord>& published);  // edges
// Costs, timings, and the accuracy points that stand beside none of `edges`.
std::vector<HistoryEntry> PublishedFigures(const std::vector<PublishedRecord>& published,
                                           const std::vector<HistoryEntry>& edges);
// `plans` of one board, oldest first. Entries for each edge that a plan adds, moves or removes
// against the plan before it that had the route; `points` stay empty.
std::vector<HistoryEntry> PlanHistory(const std::vector<StoredPlan>& plans);

// True when the entry passes; sources are not looked at.
bool Matches(const HistoryEntry& entry, const HistoryFilter& filter);

// The positions an edge has had, in order, from its entries: {52736, 44032}.
std::vector<std::int64_t> PositionsOf(const std::vector<HistoryEntry>& entries);

}  // namespace fenestra
