#include "export/json.h"

#include <cmath>

namespace fenestra {
namespace {

OrderedJson JsonOf(const EdgeClasses& classes) {
  return {{"y", ToString(classes.y)},
          {"rstd", ToString(classes.rstd)},
          {"residual_out", ToString(classes.residual_out)},
          {"dx", ToString(classes.dx)},
          {"dw", ToString(classes.dw)}};
}

OrderedJson OrNull(const auto& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }

OrderedJson JsonOf(const HistoryPoint& point) {
  return {{"source", point.source},
          {"board", point.board},
          {"weight", point.weight},
          {"at", point.at},
          {"statistic", point.statistic},
          {"program", point.program},
          {"reference", point.reference},
          {"fraction", point.fraction},
          {"comparator_fraction", point.comparator_fraction},
          {"family", point.family},
          {"seed", OrNull(point.seed)},
          {"column", OrNull(point.column)},
          {"environment", point.environment}};
}

}  // namespace

OrderedJson FractionJson(double fraction) {
  return std::isfinite(fraction) ? OrderedJson(fraction) : OrderedJson("inf");
}

OrderedJson JsonOf(const std::vector<PlannedWindow>& windows) {
  OrderedJson list = OrderedJson::array();
  for (const PlannedWindow& planned : windows) {
    const Window& window = planned.window;
    list.push_back({{"lo", window.lo},
                    {"hi", window.hi},
                    {"program", planned.program},
                    {"edge", ToString(window.edge)},
                    {"classes", JsonOf(window.classes)},
                    {"time", ToString(window.time)},
                    {"accuracy", ToString(window.accuracy)},
                    {"worst", planned.worst},
                    {"worst_rows", planned.worst_rows},
                    {"over_stream", planned.over_stream},
                    {"over_best", planned.over_best},
                    {"reason", planned.reason}});
  }
  return list;
}

OrderedJson JsonOf(const Waiver& waiver) {
  return {{"route", ToString(waiver.route)},
          {"rows", waiver.rows},
          {"program", waiver.program},
          {"fraction", waiver.fraction},
          {"reason", waiver.reason}};
}

OrderedJson JsonOf(const Environment& environment) {
  return {{"id", environment.id},
          {"gpu", environment.gpu},
          {"driver", environment.driver},
          {"toolkit", environment.toolkit},
          {"compiler", environment.compiler},
          {"host", environment.host},
          {"commit", environment.commit}};
}

OrderedJson JsonOf(const HistoryEntry& entry) {
  OrderedJson points = OrderedJson::array();
  for (const HistoryPoint& point : entry.points) points.push_back(JsonOf(point));
  OrderedJson routes = OrderedJson::array();
  for (const Route& route : entry.routes) routes.push_back(ToString(route));
  OrderedJson json{{"what", ToString(entry.what)},
                   {"source", entry.source},
                   {"plan", entry.plan > 0 ? OrderedJson(entry.plan) : OrderedJson(nullptr)},
                   {"release", entry.release},
                   {"date", entry.date},
                   {"arch", ToString(entry.arch)},
                   {"board", entry.board},
                   {"routes", routes},
                   {"residual_stated", entry.residual_stated},
                   {"unit", entry.unit}};
  if (entry.what == HistoryKind::kEdge) {
    json["before"] = OrNull(entry.before);
    json["after"] = OrNull(entry.after);
    json["kind"] = entry.kind ? OrderedJson(ToString(*entry.kind)) : OrderedJson(nullptr);
    json["program_below"] = entry.program_below;
    json["program_above"] = entry.program_above;
  } else {
    json["first"] = entry.last > 0 ? OrderedJson(entry.first) : OrderedJson(nullptr);
    json["last"] = entry.last > 0 ? OrderedJson(entry.last) : OrderedJson(nullptr);
  }
  json["reason"] = entry.reason;
  json["points"] = points;
  json["evidence"] = entry.evidence;
  json["environments"] = entry.environments;
  return json;
}

}  // namespace fenestra
