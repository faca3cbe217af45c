#include "tuner/sweep/tasks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "accuracy/median.h"
#include "db/published.h"
#include "db/published_points.h"
#include "kernels/program_list.h"
#include "tuner/accuracy_edges.h"
#include "tuner/choose_times.h"
#include "tuner/readings.h"

namespace fenestra {
namespace {

// Screened time over the streaming floor by (route, view, rows, program).
using RatioKey = std::tuple<Route, View, std::int64_t, std::string>;

// Each time over the floor of its own process, which cancels the drift between processes; of
// several processes the median. Environments as FormalTasks says.
std::map<RatioKey, double> RatiosOf(const Evidence& evidence, std::string_view environment) {
  using Place = std::tuple<Route, View, std::int64_t>;
  std::map<std::tuple<Place, Name, int>, std::int64_t> floors;  // by place and process
  std::set<Place> screened_here;
  for (const TimeRecord& time : evidence.times) {
    const TimeKey& key = time.key;
    if (key.session != 0 || key.program != kStream) continue;
    const Place place{key.route, key.view, key.rows};
    floors[{place, key.environment, key.process}] = time.median_ns;
    if (key.environment == environment) screened_here.insert(place);
  }
  std::map<RatioKey, std::vector<double>> ratios;
  for (const TimeRecord& time : evidence.times) {
    const TimeKey& key = time.key;
    const Place place{key.route, key.view, key.rows};
    if (key.session != 0) continue;
    if (key.environment != environment && screened_here.contains(place)) continue;
    const auto floor = floors.find({place, key.environment, key.process});
    if (floor == floors.end()) continue;
    ratios[{key.route, key.view, key.rows, key.program}].push_back(
        static_cast<double>(time.median_ns) / static_cast<double>(floor->second));
  }
  std::map<RatioKey, double> medians;
  for (auto& [key, of_key] : ratios) medians[key] = Median(std::move(of_key));
  return medians;
}

// Worst fraction over families by (width, rows, program).
using WorstKey = std::tuple<int, std::int64_t, std::string>;

std::map<WorstKey, double> WorstFractions(const Evidence& evidence) {
  std::map<WorstKey, double> worst;
  for (const AccuracyRecord& record : evidence.accuracy) {
    if (record.key.reference != Reference::kOwnRstd) continue;
    double& entry = worst[{record.key.width, record.key.rows, record.key.program}];
    entry = std::max(entry, record.worst);
  }
  return worst;
}

void AddProgramsNear(double best, const std::vector<std::pair<int, double>>& ratios,
                     std::set<int>* chosen) {
  for (const auto& [program, ratio] : ratios) {
    if (ratio <= best * (1 + kFormalBand)) chosen->insert(program);
  }
}

std::int64_t RowBytes(int width) { return std::int64_t{width} * 2; }

const std::vector<PublishedPoint>& Published() {
  static const std::vector<PublishedPoint> kPublished = PublishedPoints(BuiltInPublished());
  return kPublished;
}

}  // namespace

std::string NameAt(int program) { return std::string(ProgramName(ProgramAt(program)).view()); }

bool IsMeasuredAt(int program, std::int64_t rows) {
  return ProgramAt(program).structure != Structure::kDual || rows <= kDualRowsMax;
}

std::vector<int> ProgramsOf(const Route& route, std::int64_t rows) {
  std::vector<int> programs;
  for (int i = 0; i < kProgramCount; ++i) {
    if (Serves(ProgramAt(i), route) && IsMeasuredAt(i, rows)) programs.push_back(i);
  }
  return programs;
}

std::vector<int> BackwardProgramsOf(int width, std::int64_t rows) {
  std::vector<int> programs;
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.pass == Pass::kBackward && program.width == width && DwTwinOf(i) == i &&
        IsMeasuredAt(i, rows)) {
      programs.push_back(i);
    }
  }
  return programs;
}

std::vector<TimeTask> ScreeningTasks(const std::vector<Route>& routes, Profile profile) {
  std::vector<TimeTask> tasks;
  for (const Route& route : routes) {
    for (View view : ViewsOf(route.width)) {
      for (std::int64_t tokens : TimedTokenCounts(profile)) {
        TimeTask task{.route = route, .view = view, .tokens = tokens, .programs = {}};
        task.programs = ProgramsOf(route, task.rows());
        tasks.push_back(std::move(task));
      }
    }
  }
  return tasks;
}

std::vector<TimeTask> FormalTasks(const std::vector<TimeTask>& screening, const Evidence& evidence,
                                  std::string_view environment, int session) {
  const auto ratios = RatiosOf(evidence, environment);
  const auto fractions = WorstFractions(evidence);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<TimeTask> tasks;
  for (const TimeTask& screened : screening) {
    std::vector<std::pair<int, double>> of_task;
    double best = kNone;
    double best_exact = kNone;  // stays so in the forward, which has no dw
    for (int program : screened.programs) {
      const auto ratio =
          ratios.find({screened.route, screened.view, screened.rows(), NameAt(program)});
      if (ratio == ratios.end()) continue;
      of_task.emplace_back(program, ratio->second);
      best = std::min(best, ratio->second);
      const auto worst = fractions.find(
          {screened.route.width, screened.rows(), std::string(DwTwinName(program).view())});
      if (worst != fractions.end() && worst->second <= kExactFraction) {
        best_exact = std::min(best_exact, ratio->second);
      }
    }
    std::set<int> chosen;
    AddProgramsNear(best, of_task, &chosen);
    if (best_exact != kNone) AddProgramsNear(best_exact, of_task, &chosen);
    if (chosen.empty()) continue;
    TimeTask task = screened;
    task.programs.assign(chosen.begin(), chosen.end());
    task.session = session;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::set<int> BackwardWidths(const std::vector<Route>& routes) {
  std::set<int> widths;
  for (const Route& route : routes) {
    if (route.pass == Pass::kBackward) widths.insert(route.width);
  }
  return widths;
}

std::vector<AccuracyTask> AccuracyTasks(const std::vector<Route>& routes, Profile profile,
                                        std::string_view board) {
  std::vector<AccuracyTask> tasks;
  for (int width : BackwardWidths(routes)) {
    std::set<std::int64_t> row_counts;
    for (View view : ViewsOf(width)) {
      for (std::int64_t tokens : TokenCounts(profile)) row_counts.insert(tokens * HeadsOf(view));
    }
    if (profile != Profile::kQuick) {
      for (const PublishedPoint& point : Published()) {
        if (point.board->name == board && point.width == width) row_counts.insert(point.rows);
      }
    }
    for (std::int64_t rows : row_counts) {
      for (Family family : kFamilies) {
        tasks.push_back({width, rows, family, InputsOf(profile), BackwardProgramsOf(width, rows)});
      }
    }
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const AccuracyTask& a, const AccuracyTask& b) {
    return a.rows * a.width < b.rows * b.width;
  });
  return tasks;
}

std::vector<AccuracyTask> ProbeTasks(const std::vector<AccuracyProbe>& probes) {
  std::map<std::pair<int, std::int64_t>, std::set<int>> programs;
  for (const AccuracyProbe& probe : probes) {
    programs[{ProgramAt(probe.program).width, probe.rows}].insert(probe.program);
  }
  std::vector<AccuracyTask> tasks;
  for (const auto& [place, of_place] : programs) {
    const auto [width, rows] = place;
    for (Family family : kFamilies) {
      tasks.push_back({width, rows, family, kInputsPerFamily, {of_place.begin(), of_place.end()}});
    }
  }
  return tasks;
}

std::vector<AccuracyTask> EdgeSearchTasks(const std::vector<Route>& routes,
                                          const Evidence& evidence, std::string_view board,
                                          const std::vector<double>& margins) {
  std::vector<AccuracyTask> tasks;
  for (int width : BackwardWidths(routes)) {
    const AccuracyTable table(evidence, board, width);
    std::map<EdgeProbe, std::set<int>> probes;
    for (int program : BackwardProgramsOf(width, 1)) {
      for (double margin : margins) {
        for (const EdgeProbe& probe :
             NextProbes(FindAccuracyEdge(table, NameAt(program), margin))) {
          if (IsMeasuredAt(program, probe.rows)) probes[probe].insert(program);
        }
      }
    }
    for (const auto& [probe, programs] : probes) {
      for (Family family : kFamilies) {
        tasks.push_back(
            {width, probe.rows, family, probe.inputs, {programs.begin(), programs.end()}});
      }
    }
  }
  return tasks;
}

std::vector<LaunchTask> LaunchTasks(const std::vector<Route>& routes) {
  std::map<int, std::set<int>> programs;
  for (const Route& route : routes) {
    for (int program : ProgramsOf(route, 1)) programs[route.width].insert(program);
  }
  std::vector<LaunchTask> tasks;
  tasks.reserve(programs.size());
  for (const auto& [width, of_width] : programs) {
    tasks.push_back({width, {of_width.begin(), of_width.end()}});
  }
  return tasks;
}

bool RecordsAllAt(int width, std::int64_t rows) {
  const std::vector<View> views = ViewsOf(width);
  return std::any_of(views.begin(), views.end(), [&](View view) { return IsTimed(view, rows); }) ||
         std::any_of(Published().begin(), Published().end(), [&](const PublishedPoint& point) {
           return point.width == width && point.rows == rows &&
                  point.reference == Reference::kEagerRstd;
         });
}

double CostOf(const TimeTask& task) {
  const double calls = 80.0 * static_cast<double>(task.programs.size() + 1);
  const int tensors = (task.route.pass == Pass::kBackward ? 3 : 2) +
                      (task.route.residual ? (task.route.pass == Pass::kBackward ? 1 : 2) : 0);
  const double bytes = static_cast<double>(task.rows() * RowBytes(task.route.width)) * tensors;
  return calls * (100e-6 + bytes / 4.2e12);
}

double CostOf(const AccuracyTask& task) {
  const auto elements = static_cast<double>(task.rows * task.width);
  const auto programs = static_cast<double>(task.programs.size());
  return task.inputs * (100e-6 + 10e-6 * programs + elements * (12e-12 + 1.5e-12 * programs));
}

// A program that waits is given up on after 20 ms, twice.
double CostOf(const LaunchTask& task) {
  return 0.2 + 0.05 * static_cast<double>(task.programs.size());
}

}  // namespace fenestra
