#include "tuner/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "accuracy/error.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tuner/choose_segments.h"
#include "tuner/choose_table.h"
#include "tuner/choose_windows.h"
#include "tuner/lender.h"
#include "tuner/readings.h"

namespace fenestra {
namespace {

void Validate(const ChooseOptions& options) {
  if (FindBoard(options.board) == nullptr) {
    throw Error(fmt::format("board '{}' is unknown: `fenestra boards` lists them", options.board));
  }
  if (!(options.margin > 0 && options.margin <= kMaxWaiver)) {
    throw Error(
        fmt::format("margin {} is outside (0, {}] of the budget", options.margin, kMaxWaiver));
  }
  if (!(options.noise >= 0 && options.noise < 1)) {
    throw Error(fmt::format("noise {} is outside [0, 1): 0.014 means 1.4 %", options.noise));
  }
  for (const Waiver& waiver : options.waivers) {
    const std::string name =
        fmt::format("waiver of {} on {}", waiver.program, ToString(waiver.route));
    const int index = FindProgram(waiver.program);
    if (index < 0 || !Serves(ProgramAt(index), waiver.route)) {
      throw Error(name + ": no such program: `fenestra programs` lists them");
    }
    if (!(waiver.fraction > 0 && waiver.fraction <= kMaxWaiver)) {
      throw Error(
          fmt::format("{}: fraction {} is outside (0, {}]", name, waiver.fraction, kMaxWaiver));
    }
    if (waiver.fraction <= options.margin) {
      throw Error(fmt::format("{}: fraction {} is within the margin {} already", name,
                              waiver.fraction, options.margin));
    }
    if (waiver.reason.empty()) throw Error(name + ": give a reason");
  }
}

// How near a cell is to being admissible, smaller is nearer: the factor by which it misses a limit;
// without evidence or time there is no telling.
double Distance(const Cell& cell) {
  if (!cell.timed || !cell.failure || cell.failure->rule == Rule::kMeasured) {
    return std::numeric_limits<double>::infinity();
  }
  return cell.failure->value / cell.failure->limit;
}

[[noreturn]] void ThrowInadmissible(const RouteTable& table, std::size_t sample,
                                    std::string_view form) {
  std::size_t closest = 0;
  for (std::size_t p = 1; p < table.names.size(); ++p) {
    if (Distance(table.cells[p][sample]) < Distance(table.cells[closest][sample])) closest = p;
  }
  const Cell& cell = table.cells[closest][sample];
  const std::string why = cell.failure ? Describe(*cell.failure)
                                       : fmt::format("is not timed at {} rows", table.rows[sample]);
  throw Error(
      fmt::format("no program of {}{} on {} is admissible at {} rows; closest: {} {}: sweep "
                  "the route again or waive the reading",
                  ToString(table.route), form, table.board, table.rows[sample],
                  table.names[closest], why),
      ExitCode::kCheckFailed);
}

std::vector<PlannedWindow> ChooseWindows(const RouteTable& table, const ChooseOptions& options,
                                         std::span<const EdgeRecord> edges, std::string_view form) {
  std::vector<CostCurve> curves(table.names.size(), CostCurve(table.rows.size()));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    bool any = false;
    for (std::size_t p = 0; p < table.names.size(); ++p) {
      const Cell& cell = table.cells[p][i];
      if (!cell.admissible()) continue;
      curves[p][i] = SampleCost{cell.log_over_best, cell.worst};
      any = true;
    }
    if (!any) ThrowInadmissible(table, i, form);
  }
  const std::vector<Segment> segments = ChooseSegments(table.rows, curves, options.noise);
  return PlanWindows(table, segments, options.noise, edges);
}

RoutePlan PlanRoute(const RouteTable& table, const ChooseOptions& options,
                    std::span<const EdgeRecord> edges) {
  RoutePlan plan;
  plan.route = table.route;
  plan.qualified_rows = table.rows.back();
  plan.windows = ChooseWindows(table, options, edges, "");
  const RouteTable in_place = InPlaceTable(table);
  if (!in_place.programs.empty()) {
    plan.in_place = ChooseWindows(in_place, options, edges, " in place");
  }
  return plan;
}

// Environments of the times, borrowed or own, and the accuracy that bear on the planned routes.
std::vector<std::string> EnvironmentsOf(const Evidence& evidence, const Plan& plan) {
  std::set<Route> routes;
  std::set<int> widths;
  for (const RoutePlan& route : plan.routes) {
    routes.insert(route.route);
    if (route.route.pass == Pass::kBackward) widths.insert(route.route.width);
  }
  std::set<std::string> ids;
  std::map<Route, std::string_view> timed_on;
  bool borrows = false;
  for (const Route& route : routes) {
    timed_on[route] = LenderOf(evidence, plan.board, route);
    borrows = borrows || timed_on[route] != plan.board;
  }
  for (const TimeRecord& record : evidence.times) {
    const auto found = timed_on.find(record.key.route);
    if (found != timed_on.end() && record.key.board == found->second) {
      ids.insert(record.key.environment);
    }
  }
  for (const KernelRecord& record : evidence.kernels) {
    if (borrows && record.key.board == plan.board) ids.insert(record.key.environment);
  }
  for (const AccuracyRecord& record : evidence.accuracy) {
    if (record.key.board == plan.board && widths.contains(record.key.width)) {
      ids.insert(record.environment);
    }
  }
  ids.erase("");
  return {ids.begin(), ids.end()};
}

}  // namespace

Plan Choose(const Evidence& evidence, const ChooseOptions& given) {
  Validate(given);
  ChooseOptions options = given;
  std::sort(options.waivers.begin(), options.waivers.end());
  Plan plan;
  plan.board = options.board;
  plan.margin = options.margin;
  plan.noise = options.noise;
  plan.evidence = DigestOf(evidence);
  plan.waivers = options.waivers;
  std::vector<Route> routes = AllRoutes();
  std::sort(routes.begin(), routes.end());
  std::map<int, AccuracyTable> accuracy;  // twins and passes of a width share one
  for (const Route& route : routes) {
    if (!MatchesGlob(ToString(route), options.routes)) continue;
    const auto found = accuracy.try_emplace(route.width, evidence, options.board, route.width);
    const auto table = BuildTable(evidence, options, route, found.first->second);
    if (table) plan.routes.push_back(PlanRoute(*table, options, evidence.edges));
  }
  plan.environments = EnvironmentsOf(evidence, plan);
  return plan;
}

}  // namespace fenestra
