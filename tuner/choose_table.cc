#include "tuner/choose_table.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "kernels/program_list.h"
#include "tuner/choose_segments.h"
#include "tuner/choose_times.h"

namespace fenestra {
namespace {

// The row counts of accuracy evidence at which a window may end: those measured for a program
// without an accuracy edge, and both sides of the edges of the others. What else was measured for
// those alone, while their edges were searched, says nothing of what runs there. Above the last of
// the former all count.
std::set<std::int64_t> AccuracyRows(const AccuracyTable& accuracy, const std::vector<int>& programs,
                                    const std::vector<std::optional<std::int64_t>>& ends) {
  std::set<std::int64_t> rows;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const auto& measured = accuracy.RowsOf(DwTwinName(programs[p]).view());
    if (!ends[p]) rows.insert(measured.begin(), measured.end());
  }
  const auto& all = accuracy.rows();
  rows.insert(rows.empty() ? all.begin() : std::ranges::upper_bound(all, *rows.rbegin()),
              all.end());
  for (std::size_t p = 0; p < programs.size(); ++p) {
    if (!ends[p]) continue;
    const auto& measured = accuracy.RowsOf(DwTwinName(programs[p]).view());
    const auto end = std::ranges::lower_bound(measured, *ends[p]);
    rows.insert(*end);
    if (end != measured.begin()) rows.insert(*std::prev(end));
  }
  return rows;
}

std::vector<std::int64_t> SampledRows(const Route& route, const TimeTable& times,
                                      std::set<std::int64_t> measured) {
  const std::vector<std::int64_t>& timed = times.rows();
  if (!timed.empty() && (route.pass == Pass::kForward || measured.empty())) return timed;
  if (!timed.empty()) {
    const std::int64_t last = std::min(timed.back(), *measured.rbegin());
    measured.insert(timed.begin(), timed.end());
    measured.erase(measured.upper_bound(last), measured.end());
  }
  return {measured.begin(), measured.end()};
}

// The margin that holds for a program of a route, waivers included.
class MarginOf {
 public:
  MarginOf(const ChooseOptions& options, const Route& route, int program)
      : options_(options), route_(route), name_(ProgramName(ProgramAt(program)).view()) {}

  // The waiver that lets it exceed the plan's margin at `rows`; null when none does.
  const Waiver* WaiverAt(std::int64_t rows) const {
    return FindWaiver(options_.waivers, route_, name_, rows, options_.margin);
  }
  double operator()(std::int64_t rows) const {
    const Waiver* waiver = WaiverAt(rows);
    return waiver == nullptr ? options_.margin : waiver->fraction;
  }

 private:
  const ChooseOptions& options_;
  const Route& route_;
  std::string name_;
};

void FillAccuracy(const AccuracyAt& accuracy, Cell* cell) {
  if (accuracy.worst) {
    cell->worst = accuracy.worst->worst;
  }
  if (accuracy.own_worst) {
    cell->own_worst = accuracy.own_worst->worst;
    cell->own_worst_rows = accuracy.own_worst->key.rows;
  }
  cell->stood_in = accuracy.stood_in;
  cell->waiver = accuracy.waiver;
  cell->failure = accuracy.failure;
}

}  // namespace

std::optional<std::int64_t> AccuracyEnd(const AccuracyTable& accuracy, const ChooseOptions& options,
                                        const Route& route, int program) {
  if (route.pass == Pass::kForward) return std::nullopt;
  const MarginOf margin_of(options, route, program);
  const std::string twin(DwTwinName(program).view());
  for (std::int64_t rows : accuracy.RowsOf(twin)) {
    if (accuracy.Worst(twin, rows)->worst > margin_of(rows)) return rows;
  }
  return std::nullopt;
}

AccuracyAt ReadAccuracy(const AccuracyTable& accuracy, const ChooseOptions& options,
                        const Route& route, int program, std::int64_t after, std::int64_t rows,
                        std::optional<std::int64_t> end) {
  const MarginOf margin_of(options, route, program);
  const std::string twin(DwTwinName(program).view());  // whose accuracy is that of both
  AccuracyAt at;
  const std::vector<std::int64_t>& measured = accuracy.RowsOf(twin);
  const std::span between(std::ranges::upper_bound(measured, after),
                          std::ranges::upper_bound(measured, rows));
  std::ranges::set_union(between, accuracy.PlacesFor(twin, rows), std::back_inserter(at.places));
  const auto is_place = [&](std::int64_t place) {
    return std::find(at.places.begin(), at.places.end(), place) != at.places.end();
  };
  if (end && *end <= rows && !is_place(*end)) {
    for (const Reading& reading : ReadingsAt(accuracy, route, twin, *end, margin_of(*end))) {
      if (reading.rule == Rule::kMargin && !reading.passes) at.readings.push_back(reading);
    }
  }
  for (std::int64_t place : at.places) {
    const Waiver* waiver = margin_of.WaiverAt(place);
    for (const Reading& reading : ReadingsAt(accuracy, route, twin, place, margin_of(place))) {
      if (waiver != nullptr && reading.rule == Rule::kMargin && reading.passes &&
          reading.value > options.margin) {
        at.waiver = *waiver;
      }
      at.readings.push_back(reading);
    }
    const AccuracyRecord* worst = accuracy.Worst(twin, place);
    if (worst != nullptr && (!at.worst || worst->worst >= at.worst->worst)) at.worst = *worst;
    if (worst != nullptr && place > after && place <= rows &&
        (!at.own_worst || worst->worst >= at.own_worst->worst)) {
      at.own_worst = *worst;
    }
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
  std::vector<std::optional<std::int64_t>> ends;
  ends.reserve(table.programs.size());
  for (int program : table.programs) {
    ends.push_back(AccuracyEnd(accuracy, options, route, program));
  }
  table.rows = SampledRows(route, times, AccuracyRows(accuracy, table.programs, ends));
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
        FillAccuracy(ReadAccuracy(accuracy, options, route, table.programs[p],
                                  i == 0 ? 0 : table.rows[i - 1], table.rows[i], ends[p]),
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
