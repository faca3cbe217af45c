#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "accuracy/error.h"
#include "db/text.h"
#include "export/json.h"
#include "export/report_html.h"
#include "kernels/board.h"

namespace fenestra {
namespace {

using Json = OrderedJson;

Json JsonOf(const ReportTimes& times) {
  return {{"view", ToString(times.view)},
          {"rows", times.rows},
          {"stream_ns", times.stream_ns},
          {"program_ns", times.program_ns}};
}

// Columns instead of points: a third of the bytes.
Json JsonOf(const ReportErrorCurve& curve) {
  Json json{{"program", curve.program}};
  for (const char* column : {"rows", "worst", "family", "seed", "column", "inputs"}) {
    json[column] = Json::array();
  }
  for (const ReportError& point : curve.points) {
    json["rows"].push_back(point.rows);
    json["worst"].push_back(FractionJson(RoundFraction(point.worst)));
    json["family"].push_back(static_cast<int>(point.family));
    json["seed"].push_back(point.seed);
    json["column"].push_back(point.column);
    json["inputs"].push_back(point.inputs);
  }
  return json;
}

Json JsonOf(const ReportRoute& route) {
  Json programs = Json::array();
  for (const ReportProgram& program : route.programs) {
    programs.push_back({{"name", program.name}, {"measured_as", program.measured_as}});
  }
  Json times = Json::array();
  for (const ReportTimes& view : route.times) times.push_back(JsonOf(view));
  Json json{{"name", ToString(route.route)},
            {"pass", ToString(route.route.pass)},
            {"width", route.route.width},
            {"programs", programs},
            {"times", times},
            {"timed_on", route.timed_on}};
  json["qualified_rows"] = route.plan ? Json(route.plan->qualified_rows) : Json(nullptr);
  json["windows"] = route.plan ? JsonOf(route.plan->windows) : Json::array();
  // One copy where calls in place run the same.
  json["in_place"] = route.plan && route.plan->in_place != route.plan->windows
                         ? JsonOf(route.plan->in_place)
                         : Json(nullptr);
  json["no_plan"] = route.no_plan;
  return json;
}

Json JsonOf(const ReportDoubt& doubt) {
  Json routes = Json::array();
  for (const Route& route : doubt.routes) routes.push_back(ToString(route));
  return {{"kind", ToString(doubt.kind)}, {"routes", routes},   {"rows", doubt.rows},
          {"program", doubt.program},     {"text", doubt.text}, {"remedy", doubt.remedy}};
}

template <typename Item>
Json ListOf(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(JsonOf(item));
  return list;
}

Json JsonOf(const ReportBoard& board) {
  const Board* known = FindBoard(board.name);
  if (known == nullptr) {
    throw Error(fmt::format("board '{}' is unknown: `fenestra boards` lists them", board.name));
  }
  Json errors = Json::object();
  for (const ReportErrors& width : board.errors) {
    errors[std::to_string(width.width)] = ListOf(width.curves);
  }
  return {{"name", board.name},
          {"product", known->product},
          {"arch", ToString(known->arch)},
          {"sm_count", known->sm_count},
          {"plan", board.plan_name},
          {"margin", board.margin},
          {"noise", board.noise},
          {"evidence", board.evidence},
          {"waivers", ListOf(board.waivers)},
          {"environments", ListOf(board.environments)},
          {"routes", ListOf(board.routes)},
          {"errors", errors},
          {"doubts", ListOf(board.doubts)}};
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json families = Json::array();
  for (Family family : kFamilies) families.push_back(ToString(family));
  Json boards = Json::array();
  for (const ReportBoard& board : report.boards) boards.push_back(JsonOf(board));
  const Json json{{"max_rows", kMaxRows},
                  {"families", families},
                  {"boards", boards},
                  {"history", ListOf(report.history)}};
  // A name from elsewhere may hold any bytes.
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace fenestra
