#include "tuner/sweep/task_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "accuracy/error.h"
#include "db/text_line.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

using Json = nlohmann::json;

Json NamesOf(const std::vector<int>& programs) {
  Json names = Json::array();
  for (int program : programs) names.push_back(NameAt(program));
  return names;
}

int ProgramOf(const std::string& name) {
  const int program = FindProgram(name);
  if (program < 0)
    throw Error(fmt::format("worker: no program '{}' in this build", text::Escape(name)));
  return program;
}

std::vector<int> ProgramsOf(const Json& names) {
  std::vector<int> programs;
  for (const auto& name : names) programs.push_back(ProgramOf(name.get<std::string>()));
  return programs;
}

template <typename Enum>
Enum Need(std::optional<Enum> value, const char* what) {
  if (!value) throw Error(fmt::format("worker: unknown {}", what));
  return *value;
}

// A whole number from 0 up that the type can hold: JSON's own conversion of others is undefined.
template <typename Number>
Number NumberOf(const Json& json, const char* name) {
  const Json& value = json.at(name);
  const std::int64_t wide = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (wide < 0 || wide > std::numeric_limits<Number>::max()) {
    throw Error(fmt::format("worker: {}: {} is no whole number from 0 to {}", name,
                            text::Escape(value.dump()), std::numeric_limits<Number>::max()));
  }
  return static_cast<Number>(wide);
}

Json ToJson(const TimeTask& task) {
  return {
      {"kind", "time"},         {"route", ToString(task.route)},      {"view", ToString(task.view)},
      {"tokens", task.tokens},  {"programs", NamesOf(task.programs)}, {"session", task.session},
      {"process", task.process}};
}

Json ToJson(const AccuracyTask& task) {
  return {{"kind", "accuracy"},    {"width", task.width},
          {"rows", task.rows},     {"family", ToString(task.family)},
          {"inputs", task.inputs}, {"programs", NamesOf(task.programs)}};
}

Json ToJson(const EdgeTask& task) {
  return {{"kind", "edge"},
          {"route", ToString(task.route)},
          {"rows", task.rows},
          {"below", NameAt(task.below)},
          {"above", NameAt(task.above)}};
}

Json ToJson(const LaunchTask& task) {
  return {{"kind", "launch"}, {"width", task.width}, {"programs", NamesOf(task.programs)}};
}

Task FromJson(const Json& json) {
  const std::string kind = json.at("kind");
  if (kind == "time") {
    return TimeTask{.route = Need(ParseRoute(json.at("route").get<std::string>()), "route"),
                    .view = Need(ParseView(json.at("view").get<std::string>()), "view"),
                    .tokens = NumberOf<std::int64_t>(json, "tokens"),
                    .programs = ProgramsOf(json.at("programs")),
                    .session = NumberOf<int>(json, "session"),
                    .process = NumberOf<int>(json, "process")};
  }
  if (kind == "accuracy") {
    return AccuracyTask{.width = NumberOf<int>(json, "width"),
                        .rows = NumberOf<std::int64_t>(json, "rows"),
                        .family = Need(ParseFamily(json.at("family").get<std::string>()), "family"),
                        .inputs = NumberOf<int>(json, "inputs"),
                        .programs = ProgramsOf(json.at("programs"))};
  }
  if (kind == "edge") {
    return EdgeTask{.route = Need(ParseRoute(json.at("route").get<std::string>()), "route"),
                    .rows = NumberOf<std::int64_t>(json, "rows"),
                    .below = ProgramOf(json.at("below")),
                    .above = ProgramOf(json.at("above"))};
  }
  if (kind == "launch") {
    return LaunchTask{.width = NumberOf<int>(json, "width"),
                      .programs = ProgramsOf(json.at("programs"))};
  }
  throw Error(fmt::format("worker: unknown task '{}'", text::Escape(kind)));
}

}  // namespace

std::string ToLine(const Task& task) {
  return std::visit([](const auto& value) { return ToJson(value).dump(); }, task);
}

Task ParseTask(const std::string& line) {
  try {
    return FromJson(Json::parse(line));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("worker: not a task: {}", text::Escape(error.what())));
  }
}

}  // namespace fenestra
