#include "tuner/explain.h"

#include <algorithm>
#include <string_view>

#include "accuracy/error.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

std::optional<PlannedWindow> WindowAt(const Plan& plan, std::int64_t rows) {
  for (const RoutePlan& route : plan.routes) {
    for (const PlannedWindow& planned : route.windows) {
      if (planned.window.lo < rows && rows <= planned.window.hi) return planned;
    }
  }
  return std::nullopt;
}

void AddAccuracy(const AccuracyTable& accuracy, const ChooseOptions& options, const Route& route,
                 std::int64_t rows, Candidate* candidate) {
  const std::string own(ProgramName(ProgramAt(candidate->program)).view());
  const std::string twin(DwTwinName(candidate->program).view());
  candidate->places = accuracy.PlacesFor(twin, rows);
  for (std::int64_t place : candidate->places) {
    const Waiver* waiver = FindWaiver(options.waivers, route, own, place, options.margin);
    const double margin = waiver == nullptr ? options.margin : waiver->fraction;
    for (const Reading& reading : ReadingsAt(accuracy, route, twin, place, margin)) {
      candidate->readings.push_back(reading);
    }
    const AccuracyRecord* worst = accuracy.Worst(twin, place);
    if (worst != nullptr && (!candidate->worst || worst->worst > candidate->worst->worst)) {
      candidate->worst = *worst;
    }
  }
  if (const Reading* failure = WorstFailure(candidate->readings)) candidate->failure = *failure;
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
    explanation.window = WindowAt(Choose(evidence, options), rows);
    if (!explanation.window) explanation.no_window = "no evidence of this route";
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kCheckFailed) throw;
    explanation.no_window = error.what();
  }
  std::vector<std::string> names;
  for (int i = 0; i < kProgramCount; ++i) {
    if (!Serves(ProgramAt(i), route)) continue;
    names.emplace_back(ProgramName(ProgramAt(i)).view());
    explanation.candidates.emplace_back().program = i;
  }
  const TimeTable times(evidence, options.board, route, names);
  explanation.timed = !times.rows().empty();
  std::vector<std::optional<RelativeTime>> at(names.size());
  if (explanation.timed) at = times.At(std::max(rows, times.rows().front()));
  const AccuracyTable accuracy(evidence, options.board, route.width);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Candidate& candidate = explanation.candidates[i];
    candidate.routed = explanation.window && explanation.window->program == names[i];
    candidate.time = at[i];
    if (route.pass == Pass::kBackward) AddAccuracy(accuracy, options, route, rows, &candidate);
  }
  std::stable_sort(explanation.candidates.begin(), explanation.candidates.end(), IsBefore);
  return explanation;
}

}  // namespace fenestra
