#include "tuner/explain.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "accuracy/error.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

std::optional<PlannedWindow> WindowAt(std::span<const PlannedWindow> windows, std::int64_t rows) {
  for (const PlannedWindow& planned : windows) {
    if (planned.window.lo < rows && rows <= planned.window.hi) return planned;
  }
  return std::nullopt;
}

// Fastest first; untimed ones last.
bool IsBefore(const Candidate& a, const Candidate& b) {
  if (a.time.has_value() != b.time.has_value()) return a.time.has_value();
  if (a.time && a.time->log_over_best != b.time->log_over_best) {
    return a.time->log_over_best < b.time->log_over_best;
  }
  return a.program < b.program;
}

}  // namespace

Explanation Explain(const Evidence& evidence, const ChooseOptions& given, const Route& route,
                    std::int64_t rows) {
  ChooseOptions options = given;
  options.routes = ToString(route);
  Explanation explanation;
  try {
    for (const RoutePlan& plan : Choose(evidence, options).routes) {
      explanation.window = WindowAt(plan.windows, rows);
      explanation.in_place = WindowAt(plan.in_place, rows);
    }
    if (!explanation.window) explanation.no_window = "no evidence of this route";
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kCheckFailed) throw;
    explanation.no_window = error.what();
  }
  // A top window is of programs at the last sampled row count.
  explanation.rows = explanation.window && explanation.window->window.edge == EdgeKind::kTop
                         ? explanation.window->window.lo
                         : rows;
  std::vector<std::string> names;
  for (int i = 0; i < kProgramCount; ++i) {
    if (!Serves(ProgramAt(i), route)) continue;
    names.emplace_back(ProgramName(ProgramAt(i)).view());
    explanation.candidates.emplace_back().program = i;
  }
  const TimeTable times(evidence, options.board, route, names);
  explanation.timed = !times.rows().empty();
  explanation.timed_on = times.timed_on();
  std::vector<std::optional<RelativeTime>> at(names.size());
  if (explanation.timed) at = times.At(std::max(explanation.rows, times.rows().front()));
  const AccuracyTable accuracy(evidence, options.board, route.width);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Candidate& candidate = explanation.candidates[i];
    candidate.routed = explanation.window && explanation.window->program == names[i];
    candidate.time = at[i];
    if (route.pass == Pass::kBackward) {
      candidate.accuracy =
          ReadAccuracy(accuracy, options, route, candidate.program, explanation.rows - 1,
                       explanation.rows, AccuracyEnd(accuracy, options, route, candidate.program));
    }
  }
  std::stable_sort(explanation.candidates.begin(), explanation.candidates.end(), IsBefore);
  return explanation;
}

}  // namespace fenestra
