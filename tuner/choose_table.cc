#include "tuner/choose_table.h"

#include <algorithm>
#include <set>

#include "kernels/program_list.h"
#include "tuner/choose_segments.h"
#include "tuner/choose_times.h"

namespace fenestra {
namespace {

std::vector<std::int64_t> SampledRows(const Route& route, const TimeTable& times,
                                      const AccuracyTable& accuracy) {
  const std::vector<std::int64_t>& timed = times.rows();
  const std::vector<std::int64_t>& measured = accuracy.rows();
  if (timed.empty()) return measured;
  if (route.pass == Pass::kForward || measured.empty()) return timed;
  const std::int64_t last = std::min(timed.back(), measured.back());
  std::set<std::int64_t> rows(timed.begin(), timed.end());
  rows.insert(measured.begin(), measured.end());
  rows.erase(rows.upper_bound(last), rows.end());
  return {rows.begin(), rows.end()};
}

void FillAccuracy(const AccuracyAt& accuracy, Cell* cell) {
  if (accuracy.worst) {
    cell->worst = accuracy.worst->worst;
    cell->worst_rows = accuracy.worst->key.rows;
  }
  cell->stood_in = accuracy.stood_in;
  cell->waiver = accuracy.waiver;
  cell->failure = accuracy.failure;
}

}  // namespace

AccuracyAt ReadAccuracy(const AccuracyTable& accuracy, const ChooseOptions& options,
                        const Route& route, int program, std::int64_t rows) {
  const std::string own(ProgramName(ProgramAt(program)).view());
  const std::string twin(DwTwinName(program).view());  // whose accuracy is that of both
  AccuracyAt at;
  at.places = accuracy.PlacesFor(twin, rows);
  for (std::int64_t place : at.places) {
    const Waiver* waiver = FindWaiver(options.waivers, route, own, place, options.margin);
    const double margin = waiver == nullptr ? options.margin : waiver->fraction;
    for (const Reading& reading : ReadingsAt(accuracy, route, twin, place, margin)) {
      if (waiver != nullptr && reading.rule == Rule::kMargin && reading.passes &&
          reading.value > options.margin) {
        at.waiver = *waiver;
      }
      at.readings.push_back(reading);
    }
    const AccuracyRecord* worst = accuracy.Worst(twin, place);
    if (worst != nullptr && (!at.worst || worst->worst >= at.worst->worst)) at.worst = *worst;
    at.stood_in = at.stood_in || accuracy.StoodIn(twin, place);
  }
  if (const Reading* failure = WorstFailure(at.readings)) at.failure = *failure;
  return at;
}

std::optional<RouteTable> BuildTable(const Evidence& evidence, const ChooseOptions& options,
                                     const Route& route, const AccuracyTable& accuracy) {
  RouteTable table;
  table.board = options.board;
  table.route = route;
  for (int index = 0; index < kProgramCount; ++index) {
    if (!Serves(kPrograms[index], route)) continue;
    table.programs.push_back(index);
    table.names.emplace_back(ProgramName(kPrograms[index]).view());
  }
  const TimeTable times(evidence, options.board, route, table.names);
  table.timed = !times.rows().empty();
  table.timed_on = times.timed_on();
  if (!table.timed && route.pass == Pass::kForward && !evidence.times.empty()) return std::nullopt;
  table.rows = SampledRows(route, times, accuracy);
  if (table.programs.empty() || table.rows.empty()) return std::nullopt;
  table.weights = LogWeights(table.rows);
  table.cells.resize(table.programs.size(), std::vector<Cell>(table.rows.size()));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::optional<RelativeTime>> at(table.programs.size(), RelativeTime{});
    if (table.timed) at = times.At(std::max(table.rows[i], times.rows().front()));
    for (std::size_t p = 0; p < table.programs.size(); ++p) {
      Cell& cell = table.cells[p][i];
      cell.timed = at[p].has_value();
      if (cell.timed) {
        cell.log_over_best = at[p]->log_over_best;
        cell.log_over_stream = at[p]->log_over_stream;
      }
      if (route.pass == Pass::kBackward) {
        FillAccuracy(ReadAccuracy(accuracy, options, route, table.programs[p], table.rows[i]),
                     &cell);
      }
    }
  }
  return table;
}

RouteTable InPlaceTable(const RouteTable& table) {
  RouteTable result = table;
  result.names.clear();
  result.programs.clear();
  result.cells.clear();
  for (std::size_t p = 0; p < table.programs.size(); ++p) {
    if (!AllowsInPlace(ProgramAt(table.programs[p]))) continue;
    result.programs.push_back(table.programs[p]);
    result.names.push_back(table.names[p]);
    result.cells.push_back(table.cells[p]);
  }
  return result;
}

}  // namespace fenestra
