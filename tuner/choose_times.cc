#include "tuner/choose_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>

#include "accuracy/error.h"
#include "accuracy/median.h"
#include "accuracy/protocol.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tuner/lender.h"

namespace fenestra {
namespace {

struct Process {
  std::string environment;
  int session;
  int process;
  auto operator<=>(const Process&) const = default;
};

// One row count of one view: times per process in nanoseconds.
struct Point {
  std::map<Process, double> stream;
  std::map<std::size_t, std::map<Process, double>> programs;
};

double MedianOf(const std::map<Process, double>& times) {
  std::vector<double> values;
  values.reserve(times.size());
  for (const auto& [process, ns] : times) values.push_back(ns);
  return Median(std::move(values));
}

// Paired against the stream of the same process, see the header.
double PairedNs(const std::map<Process, double>& times, const std::map<Process, double>& stream) {
  if (stream.empty()) return MedianOf(times);
  const double stream_ns = MedianOf(stream);
  std::vector<double> ratios;
  for (const auto& [process, ns] : times) {
    const auto paired = stream.find(process);
    ratios.push_back(ns / (paired != stream.end() ? paired->second : stream_ns));
  }
  return Median(std::move(ratios)) * stream_ns;
}

// What a program's times elsewhere become on `board`.
class Loan {
 public:
  Loan(const Evidence& evidence, std::string_view board, std::string_view timed_on, Dtype weight,
       std::span<const std::string> programs)
      : board_(*FindBoard(board)) {
    const Board& lender = *FindBoard(timed_on);
    if (lender.name == board_.name) return;
    adds_fp64_ = lender.arch != board_.arch;
    for (const std::string& program : programs) {
      const bool spills = SpillsOn(evidence, board_.name, program, weight);
      borrowers_.push_back({FindProgram(program), spills ? kSpillFactor : 1.0});
    }
  }

  // `program`: its place among the programs given.
  double Ns(std::size_t program, std::int64_t rows, double ns) const {
    if (borrowers_.empty() || borrowers_[program].index < 0) return ns;
    if (adds_fp64_) ns += SlowFp64Ns(ProgramAt(borrowers_[program].index), rows, board_);
    return ns * borrowers_[program].factor;
  }

 private:
  struct Borrower {
    int index;  // in kPrograms; below 0 for a program that is gone
    double factor;
  };
  const Board& board_;
  bool adds_fp64_ = false;
  std::vector<Borrower> borrowers_;  // none where times are the board's own
};

std::optional<std::size_t> IndexOf(std::span<const std::string> programs, std::string_view name) {
  const auto found = std::find(programs.begin(), programs.end(), name);
  if (found == programs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - programs.begin());
}

// Linear in log(rows) between two points of a curve.
double Interpolate(std::pair<std::int64_t, double> below, std::pair<std::int64_t, double> above,
                   std::int64_t rows) {
  const double from = std::log(static_cast<double>(below.first));
  const double to = std::log(static_cast<double>(above.first));
  const double share = (std::log(static_cast<double>(rows)) - from) / (to - from);
  return below.second + share * (above.second - below.second);
}

// The curve at `rows`: its own point, or interpolated between its neighbours where that is allowed.
std::optional<double> ValueAt(const std::map<std::int64_t, double>& curve, std::int64_t rows,
                              bool may_bridge) {
  const auto above = curve.lower_bound(rows);
  if (above == curve.end()) return std::nullopt;
  if (above->first == rows) return above->second;
  if (above == curve.begin() || !may_bridge) return std::nullopt;
  return Interpolate(*std::prev(above), *above, rows);
}

}  // namespace

TimeTable::TimeTable(const Evidence& evidence, std::string_view board, const Route& route,
                     std::span<const std::string> programs)
    : program_count_(programs.size()), timed_on_(LenderOf(evidence, board, route)) {
  const Loan loan(evidence, board, timed_on_, route.weight, programs);
  std::map<std::pair<View, std::int64_t>, Point> points;
  for (const TimeRecord& record : evidence.times) {
    const TimeKey& key = record.key;
    if (key.board != timed_on_ || key.route != route) continue;
    const std::optional<std::size_t> program = IndexOf(programs, key.program);
    if (!program && key.program != kStream) continue;
    if (record.median_ns <= 0 || key.rows <= 0) {
      throw Error(
          fmt::format("time record of {} at {} rows of {} on {} has {} ns: delete it and "
                      "sweep again",
                      key.program, key.rows, ToString(route), key.board, record.median_ns));
    }
    Point& point = points[{key.view, key.rows}];
    const Process process{key.environment, key.session, key.process};
    (program ? point.programs[*program] : point.stream)[process] =
        static_cast<double>(record.median_ns);
  }
  std::set<std::int64_t> rows;
  for (const auto& [place, point] : points) {
    if (point.programs.empty()) continue;
    ViewTimes& view = views_[place.first];
    view.log_ns.resize(program_count_);
    view.rows.insert(place.second);
    rows.insert(place.second);
    for (const auto& [program, times] : point.programs) {
      view.log_ns[program][place.second] =
          std::log(loan.Ns(program, place.second, PairedNs(times, point.stream)));
    }
    if (!point.stream.empty()) view.stream_log_ns[place.second] = std::log(MedianOf(point.stream));
  }
  rows_.assign(rows.begin(), rows.end());
  for (const FailureRecord& failure : evidence.failures) {
    const std::optional<std::size_t> program = IndexOf(programs, failure.program);
    const auto view = views_.find(failure.view);
    if (failure.board != timed_on_ || failure.route != route || !program || view == views_.end()) {
      continue;
    }
    if (view->second.log_ns[*program].contains(failure.rows)) continue;
    view->second.failed.insert({failure.rows, *program});
  }
}

std::optional<double> TimeTable::LogNs(const ViewTimes& view, std::size_t program,
                                       std::int64_t rows, bool may_bridge) {
  if (view.failed.contains({rows, program})) return std::nullopt;
  return ValueAt(view.log_ns[program], rows, may_bridge);
}

std::vector<std::optional<RelativeTime>> TimeTable::At(std::int64_t rows) const {
  struct Sums {
    bool everywhere = true;  // in every view timed around `rows`
    double over_best = 0;
    double over_stream = 0;
    int stream_views = 0;
  };
  std::vector<Sums> sums(program_count_);
  int view_count = 0;
  for (const auto& [name, view] : views_) {
    if (rows < *view.rows.begin() || rows > *view.rows.rbegin()) continue;
    ++view_count;
    // At a count of the protocol every program worth trying has been timed.
    const bool may_bridge = !view.rows.contains(rows) || !IsTimed(name, rows);
    std::vector<std::optional<double>> times;
    std::optional<double> best;
    for (std::size_t p = 0; p < program_count_; ++p) {
      times.push_back(LogNs(view, p, rows, may_bridge));
      if (times[p] && (!best || *times[p] < *best)) best = times[p];
    }
    const std::optional<double> stream = ValueAt(view.stream_log_ns, rows, true);
    for (std::size_t p = 0; p < program_count_; ++p) {
      if (!times[p]) {
        sums[p].everywhere = false;
        continue;
      }
      sums[p].over_best += *times[p] - *best;
      if (stream) {
        sums[p].over_stream += *times[p] - *stream;
        ++sums[p].stream_views;
      }
    }
  }
  std::vector<std::optional<RelativeTime>> result(program_count_);
  for (std::size_t p = 0; p < program_count_; ++p) {
    if (view_count == 0 || !sums[p].everywhere) continue;
    result[p].emplace();
    result[p]->log_over_best = sums[p].over_best / view_count;
    if (sums[p].stream_views > 0) {
      result[p]->log_over_stream = sums[p].over_stream / sums[p].stream_views;
    }
  }
  return result;
}

std::vector<MeasuredTimes> TimeTable::Measured() const {
  std::vector<MeasuredTimes> views;
  for (const auto& [name, view] : views_) {
    MeasuredTimes measured{.view = name,
                           .rows = {view.rows.begin(), view.rows.end()},
                           .stream_ns = {},
                           .program_ns = {}};
    const auto curve = [&](const std::map<std::int64_t, double>& log_ns) {
      std::vector<double> ns(measured.rows.size());
      for (std::size_t i = 0; i < ns.size(); ++i) {
        const auto found = log_ns.find(measured.rows[i]);
        if (found != log_ns.end()) ns[i] = std::exp(found->second);
      }
      return ns;
    };
    measured.stream_ns = curve(view.stream_log_ns);
    for (const auto& log_ns : view.log_ns) measured.program_ns.push_back(curve(log_ns));
    views.push_back(std::move(measured));
  }
  return views;
}

}  // namespace fenestra
