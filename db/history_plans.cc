#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "accuracy/error.h"
#include "db/history.h"

namespace fenestra {
namespace {

// An edge between two windows of a plan.
struct Edge {
  const PlannedWindow* below = nullptr;
  const PlannedWindow* above = nullptr;
  std::optional<std::int64_t> twin = std::nullopt;  // where the edge that it matches is

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

// Matches the edges of two plans that are between the same programs, the nearest first: one that
// stayed where it was is itself.
void Match(std::vector<Edge>* now, std::vector<Edge>* old) {
  struct Pair {
    std::int64_t distance;
    Edge* now;
    Edge* old;
  };
  std::vector<Pair> pairs;
  for (Edge& edge : *now) {
    for (Edge& candidate : *old) {
      if (!edge.BetweenSame(candidate)) continue;
      pairs.push_back({std::abs(edge.position() - candidate.position()), &edge, &candidate});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
  for (const Pair& pair : pairs) {
    if (pair.now->twin || pair.old->twin) continue;
    pair.now->twin = pair.old->position();
    pair.old->twin = pair.now->position();
  }
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
  std::vector<Edge> new_edges = EdgesOf(&now);
  std::vector<Edge> old_edges = EdgesOf(earlier);
  Match(&new_edges, &old_edges);
  for (const Edge& edge : new_edges) {
    if (edge.twin == edge.position()) continue;
    HistoryEntry entry = EntryOf(stored, now.route, edge);
    entry.before = edge.twin;
    entry.after = edge.position();
    entries->push_back(std::move(entry));
  }
  for (const Edge& edge : old_edges) {
    if (edge.twin) continue;
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
