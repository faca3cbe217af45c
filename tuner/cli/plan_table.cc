#include "tuner/cli/plan_table.h"

#include <fmt/format.h>

#include "export/json.h"

namespace fenestra::cli {
namespace {

// How the output that accuracy is about compares with that of the window below: y forward, dw
// backward. The first window has none below.
std::string ClassText(const Route& route, const Window& window) {
  if (window.lo == 0) return "-";
  const EdgeClasses& classes = window.classes;
  return std::string(ToString(route.pass == Pass::kForward ? classes.y : classes.dw));
}

void AddWindows(const Route& route, const char* calls, const std::vector<PlannedWindow>& windows,
                Table* table) {
  for (const PlannedWindow& planned : windows) {
    table->Add({ToString(route), calls, RowsText(planned.window.lo, planned.window.hi),
                planned.program, std::string(ToString(planned.window.edge)),
                ClassText(route, planned.window),
                planned.worst > 0 ? fmt::format("{:.4f}", planned.worst) : "-",
                planned.over_stream > 0 ? fmt::format("{:.3f}", planned.over_stream) : "-",
                planned.reason});
  }
}

}  // namespace

Table TableOf(const Plan& plan) {
  Table table({{"route"},
               {"calls"},
               {"rows", Align::kRight},
               {"program"},
               {"edge"},
               {"y or dw at edge"},
               {"worst (budget)", Align::kRight},
               {"time (stream)", Align::kRight},
               {"reason"}});
  for (const RoutePlan& route : plan.routes) {
    const bool same = route.windows == route.in_place;
    AddWindows(route.route, same ? "all" : "out of place", route.windows, &table);
    if (!same) AddWindows(route.route, "in place", route.in_place, &table);
  }
  return table;
}

Json JsonOf(const Plan& plan) {
  Json routes = Json::array();
  for (const RoutePlan& route : plan.routes) {
    routes.push_back({{"route", ToString(route.route)},
                      {"qualified_rows", route.qualified_rows},
                      {"windows", fenestra::JsonOf(route.windows)},
                      {"in_place", fenestra::JsonOf(route.in_place)}});
  }
  Json waivers = Json::array();
  for (const Waiver& waiver : plan.waivers) waivers.push_back(fenestra::JsonOf(waiver));
  return {{"board", plan.board},
          {"margin", plan.margin},
          {"noise", plan.noise},
          {"evidence", plan.evidence},
          {"environments", plan.environments},
          {"waivers", waivers},
          {"routes", routes}};
}

}  // namespace fenestra::cli
