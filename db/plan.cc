#include "db/plan.h"

#include <fmt/format.h>

#include "db/parse_number.h"
#include "kernels/program_list.h"
#include "kernels/route.h"

namespace fenestra {

std::string RowsText(std::int64_t lo, std::int64_t hi) {
  return hi == kMaxRows ? fmt::format("({}, max]", lo) : fmt::format("({}, {}]", lo, hi);
}

std::vector<std::string_view> UncomparedOutputs(const Route& route, const EdgeClasses& classes) {
  std::vector<std::string_view> outputs;
  const auto add = [&](std::string_view name, EdgeClass edge_class) {
    if (edge_class == EdgeClass::kUnmeasured) outputs.push_back(name);
  };
  if (route.pass == Pass::kBackward) {
    add("dx", classes.dx);
    add("dw", classes.dw);
  } else {
    add("y", classes.y);
    add("rstd", classes.rstd);
    if (route.residual) add("residual out", classes.residual_out);
  }
  return outputs;
}

std::string ToString(const Waiver& waiver) {
  return fmt::format("{} {} up to {} rows to {}: {}", ToString(waiver.route), waiver.program,
                     waiver.rows, waiver.fraction, waiver.reason);
}

std::optional<Waiver> ParseWaiver(std::string_view text) {
  // What stands before `end`, taken off the text together with it.
  const auto take = [&text](std::string_view end) -> std::optional<std::string_view> {
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at + end.size());
    return taken;
  };
  const auto route_name = take(" ");
  const auto program = take(" up to ");
  const auto rows_text = take(" rows to ");
  const auto fraction_text = take(": ");
  if (!route_name || !program || !rows_text || !fraction_text || text.empty()) return std::nullopt;
  const std::optional<Route> route = ParseRoute(*route_name);
  const auto rows = ParseNumber<std::int64_t>(*rows_text);
  const auto fraction = ParseNumber<double>(*fraction_text);
  if (!route || !rows || *rows < 0 || !fraction) return std::nullopt;
  if (program->find(' ') != std::string_view::npos) return std::nullopt;
  const std::size_t last = text.find_last_not_of(' ');
  if (text.front() == ' ' || last == std::string_view::npos) return std::nullopt;
  text = text.substr(0, last + 1);
  return Waiver{*route, *rows, std::string(*program), *fraction, std::string(text)};
}

std::set<std::string> RoutedDw(const Plan& plan) {
  std::set<std::string> names;
  ForEachWindow(plan, [&](const Route& route, const PlannedWindow& planned) {
    if (route.pass == Pass::kForward) return;
    const int program = FindProgram(planned.program);
    names.insert(program < 0 ? planned.program : std::string(DwTwinName(program).view()));
  });
  return names;
}

}  // namespace fenestra
