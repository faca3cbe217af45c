#include "db/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "accuracy/error.h"
#include "db/date.h"
#include "db/history_order.h"
#include "db/text_line.h"
#include "kernels/enum_names.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr EnumNames<HistoryKind, 4> kKinds{{{HistoryKind::kEdge, "edge"},
                                            {HistoryKind::kAccuracy, "accuracy"},
                                            {HistoryKind::kCost, "cost"},
                                            {HistoryKind::kTiming, "timing"}}};

// How far above an edge, as a factor, the points that support it are looked for.
constexpr std::int64_t kReach = 2;

// The readings of the program below a little above the edge: the first row count sampled there.
void AddMeasuredPoints(const Store& store, HistoryEntry* entry) {
  if (!entry->after || entry->kind != EdgeKind::kAccuracy) return;
  const std::int64_t edge = *entry->after;
  const int below = FindProgram(entry->program_below);
  const std::string
      measured =  // the one of its dw twins that is; a program no longer listed, itself
      below < 0 ? entry->program_below : std::string(DwTwinName(below).view());
  for (const AccuracyRecord& record : store.LoadAccuracyAbove(
           entry->board, entry->routes.front().width, measured, edge, edge * kReach)) {
    entry->points.push_back(
        {.source = record.stood_in ? "stood in" : "measured",
         .board = record.key.board,
         .weight = "both",
         .at = std::to_string(record.key.rows),
         .statistic = fmt::format("worst of {} {}", record.key.inputs, ToString(record.key.family)),
         .program = record.key.program,
         .reference = std::string(ToString(record.key.reference)),
         .fraction = text::FieldOf(record.worst),
         .comparator_fraction = "",
         .family = std::string(ToString(record.key.family)),
         .seed = record.worst_seed,
         .column = record.worst_column,
         .environment = record.environment});
  }
}

// The first and the last source that the filter asks for.
struct Sources {
  HistorySource first;
  HistorySource last;
};

Sources SourcesOf(const HistoryOrder& order, const HistoryFilter& filter) {
  Sources sources;
  if (!filter.first_source.empty()) sources.first = order.First(filter.first_source);
  if (!filter.last_source.empty()) sources.last = order.Last(filter.last_source);
  // Between two days there need be no release.
  const bool days = IsDate(filter.first_source) && IsDate(filter.last_source);
  const bool turned = days ? filter.first_source > filter.last_source
                      : sources.first.release && sources.last.release
                          ? *sources.first.release > *sources.last.release
                          : sources.first.least > sources.last.greatest;
  if (turned) {
    throw Error(fmt::format("--from {} comes after --to {}: turn them round", filter.first_source,
                            filter.last_source));
  }
  return sources;
}

// Keeps those sources, the oldest first; of each its edges, then its figures.
void SelectSources(const HistoryOrder& order, const Sources& sources,
                   std::vector<HistoryEntry>* entries) {
  std::erase_if(*entries, [&](const HistoryEntry& entry) {
    return !order.IsFrom(sources.first, entry) || !order.IsUpTo(sources.last, entry);
  });
  std::stable_sort(entries->begin(), entries->end(),
                   [&](const HistoryEntry& a, const HistoryEntry& b) {
                     return order.RankOf(a) < order.RankOf(b);
                   });
}

std::vector<HistoryEntry> AllPublished(const std::vector<PublishedRecord>& published) {
  std::vector<HistoryEntry> entries = PublishedHistory(published);
  for (HistoryEntry& figure : PublishedFigures(published, entries)) {
    entries.push_back(std::move(figure));
  }
  return entries;
}

// Whether the row counts an entry speaks of meet from .. to.
bool MeetsRows(const HistoryEntry& entry, std::int64_t from, std::int64_t to) {
  const auto lies_within = [&](const std::optional<std::int64_t>& position) {
    return position && *position >= from && *position <= to;
  };
  if (entry.what == HistoryKind::kEdge) {
    return lies_within(entry.before) || lies_within(entry.after);
  }
  // Of a figure that names no row count, any may be meant.
  return entry.last == 0 || (entry.first <= to && entry.last >= from);
}

// Whether the plans of a board can give an entry that matches; PlanHistory refuses a board that is
// not known.
bool PlansMayMatch(const std::string& name, const HistoryFilter& filter) {
  if (filter.what && *filter.what != HistoryKind::kEdge) return false;
  if (!filter.board.empty() && name != filter.board) return false;
  const Board* board = FindBoard(name);
  return !filter.arch || board == nullptr || board->arch == *filter.arch;
}

void CheckBoard(const HistoryFilter& filter) {
  if (filter.board.empty()) return;
  const Board* board = FindBoard(filter.board);
  if (board == nullptr) {
    throw Error(
        fmt::format("--board {}: no such board; 'fenestra boards' lists them", filter.board));
  }
  if (filter.arch && *filter.arch != board->arch) {
    throw Error(fmt::format("--board {} is of {}, and --arch asks for {}: leave one out",
                            filter.board, ToString(board->arch), ToString(*filter.arch)));
  }
}

}  // namespace

std::string_view ToString(HistoryKind kind) { return NameOf(kKinds, kind); }
std::optional<HistoryKind> ParseHistoryKind(std::string_view text) { return ValueOf(kKinds, text); }

bool Matches(const HistoryEntry& entry, const HistoryFilter& filter) {
  if (filter.arch && entry.arch != *filter.arch) return false;
  if (filter.what && entry.what != *filter.what) return false;
  if (!filter.board.empty()) {
    const Board* board = FindBoard(filter.board);
    if (entry.plan == 0 ? board == nullptr || board->arch != entry.arch
                        : entry.board != filter.board) {
      return false;
    }
  }
  if (filter.kind && entry.kind != filter.kind) return false;
  if (!MeetsRows(entry, filter.from, filter.to)) return false;
  return std::any_of(entry.routes.begin(), entry.routes.end(), [&](const Route& route) {
    return MatchesGlob(ToString(route), filter.routes);
  });
}

std::vector<HistoryEntry> History(const std::vector<PublishedRecord>& published,
                                  const HistoryFilter& filter) {
  CheckBoard(filter);
  std::vector<HistoryEntry> entries = AllPublished(published);
  const HistoryOrder order(entries, {}, 0);
  std::erase_if(entries, [&](const HistoryEntry& entry) { return !Matches(entry, filter); });
  SelectSources(order, SourcesOf(order, filter), &entries);
  return entries;
}

std::vector<HistoryEntry> History(const Store& store, const HistoryFilter& filter) {
  CheckBoard(filter);
  std::vector<HistoryEntry> entries = AllPublished(store.LoadPublished());
  const HistoryOrder order(entries, store.ListReleases(), store.LastPlan());
  const Sources sources = SourcesOf(order, filter);
  for (const std::string& board : store.PlannedBoards()) {
    if (!order.ReachesPlans(sources.last) || !PlansMayMatch(board, filter)) continue;
    for (HistoryEntry& entry : PlanHistory(store.LoadPlans(board, filter.routes))) {
      entries.push_back(std::move(entry));
    }
  }
  std::erase_if(entries, [&](const HistoryEntry& entry) { return !Matches(entry, filter); });
  SelectSources(order, sources, &entries);
  for (HistoryEntry& entry : entries) {
    if (entry.plan == 0) continue;
    AddMeasuredPoints(store, &entry);
    order.NameRelease(&entry);
  }
  return entries;
}

std::vector<std::int64_t> PositionsOf(const std::vector<HistoryEntry>& entries) {
  std::vector<std::int64_t> positions;
  const auto add = [&positions](const std::optional<std::int64_t>& position) {
    if (position && (positions.empty() || positions.back() != *position)) {
      positions.push_back(*position);
    }
  };
  for (const HistoryEntry& entry : entries) {
    add(entry.before);
    add(entry.after);
  }
  return positions;
}

}  // namespace fenestra
