#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accuracy/error.h"
#include "db/history.h"

namespace fenestra {
namespace {

// An edge between two windows of a plan.
struct Edge {
  const PlannedWindow* below = nullptr;
  const PlannedWindow* above = nullptr;
  bool matched = false;  // by an edge of the other plan

  bool BetweenSame(const Edge& other) const {
    return below->program == other.below->program && above->program == other.above->program;
  }
  std::int64_t position() const { return above->window.lo; }
};

std::vector<Edge> EdgesOf(const RoutePlan* route) {
  std::vector<Edge> edges;
  if (route == nullptr) return edges;
  for (std::size_t i = 1; i < route->windows.size(); ++i) {
    edges.push_back({.below = &route->windows[i - 1], .above = &route->windows[i]});
  }
  return edges;
}

HistoryEntry EntryOf(const StoredPlan& stored, const Route& route, const Edge& edge) {
  const Board* board = FindBoard(stored.plan.board);
  if (board == nullptr) {
    throw Error(
        fmt::format("plan {} is of board '{}', which this build does not know; use the "
                    "build that wrote it",
                    stored.id, stored.plan.board));
  }
  return {.source = fmt::format("plan {}", stored.id),
          .plan = stored.id,
          .arch = board->arch,
          .board = stored.plan.board,
          .routes = {route},
          .unit = "rows",
          .before = std::nullopt,
          .after = std::nullopt,
          .kind = edge.above->window.edge,
          .program_below = edge.below->program,
          .program_above = edge.above->program,
          .reason = edge.above->reason,
          .points = {},
          .evidence = stored.plan.evidence,
          .environments = stored.plan.environments};
}

// Entries for the edges that differ between a route's plan and the one before (null: none).
void Compare(const StoredPlan& stored, const RoutePlan& now, const RoutePlan* earlier,
             std::vector<HistoryEntry>* entries) {
  std::vector<Edge> old_edges = EdgesOf(earlier);
  for (const Edge& edge : EdgesOf(&now)) {
    HistoryEntry entry = EntryOf(stored, now.route, edge);
    entry.after = edge.position();
    const auto old = std::find_if(old_edges.begin(), old_edges.end(), [&](const Edge& candidate) {
      return !candidate.matched && candidate.BetweenSame(edge);
    });
    if (old != old_edges.end()) {
      old->matched = true;
      if (old->position() == edge.position()) continue;
      entry.before = old->position();
    }
    entries->push_back(std::move(entry));
  }
  for (const Edge& edge : old_edges) {
    if (edge.matched) continue;
    HistoryEntry entry = EntryOf(stored, now.route, edge);
    entry.before = edge.position();
    entry.reason = "no longer an edge of the plan";
    entries->push_back(std::move(entry));
  }
}

}  // namespace

std::vector<HistoryEntry> PlanHistory(const std::vector<StoredPlan>& plans) {
  std::vector<HistoryEntry> entries;
  std::map<Route, const RoutePlan*> latest;
  for (const StoredPlan& stored : plans) {
    for (const RoutePlan& route : stored.plan.routes) {
      const RoutePlan*& earlier = latest[route.route];
      Compare(stored, route, earlier, &entries);
      earlier = &route;
    }
  }
  return entries;
}

}  // namespace fenestra
