// Time curves of one route on one board, from per-process medians.
//
// A program's time at a view and row count is the median over its processes of its time over the
// streaming kernel's of the same process, times the median streaming time: drift between processes
// cancels. A process without a streaming time is set against that median instead. The times are
// those of the board's lender (lender.h) where the board has none, with its slow FP64 added.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/evidence.h"

namespace fenestra {

// What the streaming kernel is called in TimeKey::program.
inline constexpr std::string_view kStream = "stream";

// A program's time at one row count, as logarithms of ratios, mean over the views timed there.
struct RelativeTime {
  double log_over_best = 0;               // over the fastest program there, of any accuracy
  std::optional<double> log_over_stream;  // over the streaming kernel, where it was timed
};

// What was measured in one view, nothing interpolated: curves in step with `rows`, in nanoseconds,
// 0 where there is no time.
struct MeasuredTimes {
  View view = View::kRows;
  std::vector<std::int64_t> rows;  // timed by any program, ascending
  std::vector<double> stream_ns;
  std::vector<std::vector<double>> program_ns;  // [program of the table]
};

class TimeTable {
 public:
  // Reads the times and failures of `programs` (their names) and the streaming kernel. Throws Error
  // on a record whose time is not positive.
  TimeTable(const Evidence& evidence, std::string_view board, const Route& route,
            std::span<const std::string> programs);

  // Row counts at which any of the programs was timed in any view, ascending.
  const std::vector<std::int64_t>& rows() const { return rows_; }

  // The board whose times these are: of the constructor, or its lender.
  std::string_view timed_on() const { return timed_on_; }

  // One entry per program of the constructor; none where it is no candidate. A program is one where
  // it was timed, or, interpolated log-log, between two row counts at which it was, unless other
  // programs were timed at `rows` and `rows` is one of the protocol's timed counts: a program left
  // out there was not worth trying, while an edge search leaves out all but two. It must be one in
  // every view timed around `rows`, and a failure without a time there excludes it.
  std::vector<std::optional<RelativeTime>> At(std::int64_t rows) const;

  // One entry per view with times.
  std::vector<MeasuredTimes> Measured() const;

 private:
  struct ViewTimes {
    std::vector<std::map<std::int64_t, double>> log_ns;  // per program: rows -> log(ns)
    std::map<std::int64_t, double> stream_log_ns;
    std::set<std::int64_t> rows;  // timed by any program
    std::set<std::pair<std::int64_t, std::size_t>> failed;
  };

  static std::optional<double> LogNs(const ViewTimes& view, std::size_t program, std::int64_t rows,
                                     bool may_bridge);

  std::size_t program_count_;
  std::string_view timed_on_;
  std::map<View, ViewTimes> views_;
  std::vector<std::int64_t> rows_;
};

}  // namespace fenestra
