#include "db/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accuracy/error.h"
#include "db/text_line.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

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
         .comparator_fraction = ""});
  }
}

// Names the releases that ship a plan: "plan 3 (release 1.2)".
void NameReleases(const std::vector<Release>& releases, std::int64_t plan, HistoryEntry* entry) {
  for (const Release& release : releases) {
    if (release.plan == plan) entry->source += fmt::format(" (release {})", release.name);
  }
}

}  // namespace

bool Matches(const HistoryEntry& entry, const HistoryFilter& filter) {
  if (filter.arch && entry.arch != *filter.arch) return false;
  if (!filter.board.empty()) {
    const Board* board = FindBoard(filter.board);
    if (entry.board.empty() ? board == nullptr || board->arch != entry.arch
                            : entry.board != filter.board) {
      return false;
    }
  }
  if (filter.kind && entry.kind != filter.kind) return false;
  const auto lies_within = [&](const std::optional<std::int64_t>& position) {
    return position && *position >= filter.from && *position <= filter.to;
  };
  if (!lies_within(entry.before) && !lies_within(entry.after)) return false;
  return std::any_of(entry.routes.begin(), entry.routes.end(), [&](const Route& route) {
    return MatchesGlob(ToString(route), filter.routes);
  });
}

std::vector<HistoryEntry> History(const Store& store, const HistoryFilter& filter) {
  if (!filter.board.empty() && FindBoard(filter.board) == nullptr) {
    throw Error(
        fmt::format("--board {}: no such board; 'fenestra boards' lists them", filter.board));
  }
  std::vector<HistoryEntry> entries;
  for (HistoryEntry& entry : PublishedHistory(store.LoadPublished())) {
    if (Matches(entry, filter)) entries.push_back(std::move(entry));
  }
  const std::vector<Release> releases = store.ListReleases();
  std::map<std::string, std::vector<StoredPlan>> by_board;
  for (StoredPlan& plan : store.LoadPlans(filter.board)) {
    by_board[plan.plan.board].push_back(std::move(plan));
  }
  for (const auto& [board, plans] : by_board) {
    for (HistoryEntry& entry : PlanHistory(plans)) {
      if (!Matches(entry, filter)) continue;
      AddMeasuredPoints(store, &entry);
      NameReleases(releases, std::stoll(entry.source.substr(entry.source.find(' ') + 1)), &entry);
      entries.push_back(std::move(entry));
    }
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
