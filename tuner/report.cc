#include "tuner/report.h"

#include <algorithm>
#include <cmath>

#include "kernels/program_list.h"
#include "tuner/choose_times.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

std::vector<std::int64_t> WholeNs(const std::vector<double>& ns) {
  std::vector<std::int64_t> whole;
  whole.reserve(ns.size());
  for (double value : ns) whole.push_back(std::llround(value));
  return whole;
}

bool HasCurve(const ReportErrors& errors, std::string_view program) {
  return std::any_of(errors.curves.begin(), errors.curves.end(),
                     [&](const ReportErrorCurve& curve) { return curve.program == program; });
}

void AddCurve(const AccuracyTable& accuracy, std::string_view program, ReportErrors* errors) {
  const std::vector<std::int64_t>& row_counts = accuracy.RowsOf(program);
  if (row_counts.empty()) return;
  ReportErrorCurve& curve = errors->curves.emplace_back();
  curve.program = program;
  for (std::int64_t rows : row_counts) {
    const AccuracyRecord& worst = *accuracy.Worst(program, rows);
    curve.points.push_back({.rows = rows,
                            .worst = worst.worst,
                            .family = worst.key.family,
                            .seed = worst.worst_seed,
                            .column = worst.worst_column,
                            .inputs = worst.key.inputs});
  }
}

}  // namespace

ReportErrors ReportErrorsOf(const AccuracyTable& accuracy, int width) {
  ReportErrors errors;
  errors.width = width;
  for (int program : BackwardProgramsOf(width, 1)) AddCurve(accuracy, NameAt(program), &errors);
  AddCurve(accuracy, kComparator, &errors);
  return errors;
}

ReportRoute ReportRouteOf(const Evidence& evidence, std::string_view board, const Route& route,
                          const ReportErrors& errors) {
  std::vector<std::string> names;
  std::vector<ReportProgram> serving;
  for (int index = 0; index < kProgramCount; ++index) {
    if (!Serves(ProgramAt(index), route)) continue;
    names.emplace_back(ProgramName(ProgramAt(index)).view());
    ReportProgram& program = serving.emplace_back();
    program.name = names.back();
    if (route.pass == Pass::kBackward) program.measured_as = DwTwinName(index).view();
  }
  const TimeTable table(evidence, board, route, names);
  const std::vector<MeasuredTimes> measured = table.Measured();
  ReportRoute report;
  report.route = route;
  report.timed_on = table.timed_on();
  for (const MeasuredTimes& view : measured) {
    report.times.push_back({.view = view.view,
                            .rows = view.rows,
                            .stream_ns = WholeNs(view.stream_ns),
                            .program_ns = {}});
  }
  for (std::size_t p = 0; p < names.size(); ++p) {
    const bool timed =
        std::any_of(measured.begin(), measured.end(), [&](const MeasuredTimes& view) {
          return std::any_of(view.program_ns[p].begin(), view.program_ns[p].end(),
                             [](double ns) { return ns > 0; });
        });
    if (!timed && !HasCurve(errors, serving[p].measured_as)) continue;
    report.programs.push_back(serving[p]);
    for (std::size_t v = 0; v < measured.size(); ++v) {
      report.times[v].program_ns.push_back(WholeNs(measured[v].program_ns[p]));
    }
  }
  return report;
}

}  // namespace fenestra
