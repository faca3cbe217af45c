#include "tuner/cli/stored.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accuracy/error.h"
#include "tuner/cli/options.h"
#include "tuner/gpu_info.h"
#include "tuner/lender.h"

namespace fenestra::cli {

const Board& ResolveStoredBoard(const std::string& name, const Store& store) {
  std::string why_not;
  if (name != "auto" || QueryGpu(&why_not)) return ResolveBoard(name);
  const std::vector<std::string> boards = store.Boards();
  if (boards.size() == 1) return ResolveBoard(boards.front());
  throw Error(
      fmt::format("--board auto: no GPU, and the database holds {}: name one with --board",
                  boards.empty() ? "no board" : fmt::format("{}", fmt::join(boards, ", "))));
}

void ThrowNoEvidence(const std::string& db, std::string_view board) {
  throw Error(
      fmt::format("'{}' holds no evidence of {}: 'fenestra sweep' measures it, 'fenestra "
                  "import' reads it from text",
                  db, board));
}

Evidence LoadEvidence(const Store& store, const Board& board, const std::string& db) {
  Evidence evidence = store.Load(board.name);
  if (evidence.times.empty() && evidence.accuracy.empty() && evidence.kernels.empty()) {
    ThrowNoEvidence(db, board.name);
  }
  return evidence;
}

Evidence LoadForChoice(const Store& store, const Board& board, const std::string& db) {
  return WithLender(store, board.name, LoadEvidence(store, board, db));
}

Evidence LoadWidthForChoice(const Store& store, std::string_view board, std::string_view lender,
                            int width) {
  Evidence evidence = store.LoadWidth(board, width);
  if (lender != board) {
    const Evidence lent = store.LoadWidth(lender, width);
    evidence.failures.insert(evidence.failures.end(), lent.failures.begin(), lent.failures.end());
  }
  return evidence;
}

void LoadRouteForChoice(const Store& store, std::string_view board, std::string_view lender,
                        const Route& route, Evidence* evidence) {
  Evidence own = store.LoadRoute(board, route);
  evidence->edges = std::move(own.edges);
  evidence->times = own.times.empty() && lender != board ? store.LoadRoute(lender, route).times
                                                         : std::move(own.times);
}

Plan LoadCurrentPlan(const Store& store, const Board& board, const Evidence& evidence,
                     const std::string& routes) {
  ResolveRoutes(routes);
  std::optional<Plan> plan = store.LoadPlan(board.name);
  if (!plan) {
    throw Error(
        fmt::format("no plan of {}: run 'fenestra plan --board {}'", board.name, board.name));
  }
  if (plan->evidence != DigestOf(evidence)) {
    throw Error(
        fmt::format("the plan of {} is older than its evidence: run 'fenestra plan --board "
                    "{}' again",
                    board.name, board.name));
  }
  std::erase_if(plan->routes, [&](const RoutePlan& route) {
    return !MatchesGlob(ToString(route.route), routes);
  });
  if (plan->routes.empty()) {
    throw Error(
        fmt::format("--routes: the plan of {} has no route that matches '{}'", board.name, routes));
  }
  return *std::move(plan);
}

std::set<std::string> ReleaseNames(const Store& store) {
  std::set<std::string> names;
  for (const Release& release : store.ListReleases()) names.insert(release.name);
  return names;
}

}  // namespace fenestra::cli
