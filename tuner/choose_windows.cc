#include "tuner/choose_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fenestra {
namespace {

constexpr double kLeastGain = 0.0005;  // smaller gains print as "0.0 % faster"

// The sample of a segment at which its program gains most over `other`, by how much (0.02: 2 %
// faster); none where `other` is nowhere in it timed and admissible.
struct Gain {
  double gain = 0;
  std::int64_t rows = 0;
};

std::optional<Gain> LargestGain(const RouteTable& table, const Segment& segment,
                                std::size_t other) {
  std::optional<Gain> largest;
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    const Cell& theirs = table.cells[other][i];
    if (!theirs.timed || !theirs.admissible()) continue;
    const double gain =
        std::expm1(theirs.log_over_best - table.cells[segment.program][i].log_over_best);
    if (!largest || gain > largest->gain) largest = Gain{gain, table.rows[i]};
  }
  return largest;
}

// ", by times of h200_132" where they are borrowed.
std::string Lender(const RouteTable& table) {
  return table.borrows() ? fmt::format(", by times of {}", table.timed_on) : "";
}

std::string FasterThan(const RouteTable& table, const Gain& gain, std::string_view other) {
  return fmt::format("{:.1f} % faster than {} at {} rows{}", 100 * gain.gain, other, gain.rows,
                     Lender(table));
}

std::string AsFastAs(const RouteTable& table, std::string_view other) {
  return fmt::format("as fast as {} and preferred for error, then list order{}", other,
                     Lender(table));
}

// The other program that could run the whole segment at least cost; none when there is none.
std::optional<std::size_t> RunnerUp(const RouteTable& table, const Segment& segment) {
  std::optional<std::size_t> best;
  double best_cost = 0;
  for (std::size_t p = 0; p < table.names.size(); ++p) {
    if (p == segment.program) continue;
    double cost = 0;
    bool admissible = true;
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      admissible = admissible && table.cells[p][i].admissible();
      cost += table.weights[i] * table.cells[p][i].log_over_best;
    }
    if (!admissible || (best && cost >= best_cost)) continue;
    best = p;
    best_cost = cost;
  }
  return best;
}

std::string StartReason(const RouteTable& table, const Segment& segment,
                        const PlannedWindow& window) {
  if (!table.timed) {
    if (table.route.pass == Pass::kForward) return "not timed; first in the list of programs";
    return fmt::format("not timed; smallest error: {:.3g} of the budget at {} rows", window.worst,
                       window.worst_rows);
  }
  const std::optional<std::size_t> other = RunnerUp(table, segment);
  if (!other) {
    return fmt::format("the only program timed and accurate enough up to {} rows{}",
                       window.window.hi, Lender(table));
  }
  const std::optional<Gain> gain = LargestGain(table, segment, *other);
  if (gain && gain->gain >= kLeastGain) return FasterThan(table, *gain, table.names[*other]);
  return AsFastAs(table, table.names[*other]);
}

// The first failing reading of `program` in the segment; null when it passes throughout.
const Reading* FirstFailure(const RouteTable& table, const Segment& segment, std::size_t program) {
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    const Cell& cell = table.cells[program][i];
    if (cell.failure) return &*cell.failure;
  }
  return nullptr;
}

// An edge is one of accuracy where the program below fails and nothing else would have ended it.
EdgeKind KindOf(const RouteTable& table, const Segment& segment, std::size_t below, double noise) {
  if (FirstFailure(table, segment, below) == nullptr) return EdgeKind::kSpeed;
  const Cell& theirs = table.cells[below][segment.begin];
  const Cell& own = table.cells[segment.program][segment.begin];
  const bool cheaper = !table.timed || !theirs.timed || theirs.log_over_best < own.log_over_best;
  if (theirs.failure && cheaper) return EdgeKind::kAccuracy;
  const std::optional<Gain> gain = LargestGain(table, segment, below);
  return gain && gain->gain > noise ? EdgeKind::kSpeed : EdgeKind::kAccuracy;
}

std::string EdgeReason(const RouteTable& table, const Segment& segment, std::size_t below,
                       EdgeKind kind) {
  const std::string& name = table.names[below];
  if (kind == EdgeKind::kSpeed) {
    const std::optional<Gain> gain = LargestGain(table, segment, below);
    if (gain && gain->gain >= kLeastGain) return FasterThan(table, *gain, name);
  }
  if (const Reading* failure = FirstFailure(table, segment, below)) {
    return fmt::format("{} {}", name, Describe(*failure));
  }
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    if (table.cells[below][i].timed) continue;
    return fmt::format("{} is not timed at {} rows", name, table.rows[i]);
  }
  return AsFastAs(table, name);
}

// The classes measured at an edge. Two windows of one program differ in nothing the route has.
EdgeClasses ClassesAt(const RouteTable& table, std::int64_t rows, const std::string& below,
                      const std::string& above, std::span<const EdgeRecord> edges) {
  if (below == above) {
    EdgeClasses same;
    if (table.route.pass == Pass::kForward) {
      same.y = same.rstd = EdgeClass::kSame;
      if (table.route.residual) same.residual_out = EdgeClass::kSame;
    } else {
      same.dx = same.dw = EdgeClass::kSame;
    }
    return same;
  }
  const EdgeKey key{table.board, table.route, rows, below, above};
  for (const EdgeRecord& edge : edges) {
    if (edge.key == key) return edge.classes;
  }
  return {};
}

// Error, time over the floor and over the fastest, and the waiver of a window's samples.
void Summarise(const RouteTable& table, const Segment& segment, PlannedWindow* window) {
  double weight = 0;
  double stream_weight = 0;
  bool stood_in = false;
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    const Cell& cell = table.cells[segment.program][i];
    if (cell.own_worst_rows > 0 && cell.own_worst >= window->worst) {
      window->worst = cell.own_worst;
      window->worst_rows = cell.own_worst_rows;
    }
    stood_in = stood_in || cell.stood_in;
    weight += table.weights[i];
    window->over_best += table.weights[i] * std::expm1(cell.log_over_best);
    if (!cell.log_over_stream) continue;
    stream_weight += table.weights[i];
    window->over_stream += table.weights[i] * std::exp(*cell.log_over_stream);
  }
  window->over_best = table.timed ? window->over_best / weight : 0;
  if (stream_weight > 0) window->over_stream /= stream_weight;
  window->window.time = !table.timed      ? Basis::kNone
                        : table.borrows() ? Basis::kBorrowed
                                          : Basis::kMeasured;
  if (table.route.pass == Pass::kBackward) {
    window->window.accuracy = stood_in ? Basis::kStoodIn : Basis::kMeasured;
  }
}

std::string WaiverNote(const RouteTable& table, const Segment& segment) {
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    const std::optional<Waiver>& waiver = table.cells[segment.program][i].waiver;
    if (!waiver) continue;
    return fmt::format("; waived to {:.3g} up to {} rows: {}", waiver->fraction, waiver->rows,
                       waiver->reason);
  }
  return "";
}

// Largest worst error of a program over the top octave of the sampled row counts.
double WorstNearTop(const RouteTable& table, std::size_t program) {
  double worst = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i] > table.rows.back() / 2) {
      worst = std::max(worst, table.cells[program][i].worst);
    }
  }
  return worst;
}

std::size_t TopProgram(const RouteTable& table, std::size_t below) {
  const auto admissible = [&](std::size_t p) { return table.cells[p].back().admissible(); };
  double smallest = WorstNearTop(table, below);
  for (std::size_t p = 0; p < table.names.size(); ++p) {
    if (admissible(p)) smallest = std::min(smallest, WorstNearTop(table, p));
  }
  const double allowed = AllowedBeside(smallest);
  if (WorstNearTop(table, below) <= allowed) return below;
  std::size_t top = table.names.size();
  for (std::size_t p = 0; p < table.names.size(); ++p) {
    if (!admissible(p) || WorstNearTop(table, p) > allowed) continue;
    const double cost = table.cells[p].back().log_over_best;
    if (top == table.names.size() || cost < table.cells[top].back().log_over_best) top = p;
  }
  return top;
}

PlannedWindow TopWindow(const RouteTable& table, std::size_t below,
                        std::span<const EdgeRecord> edges) {
  const std::size_t top = TopProgram(table, below);
  const std::int64_t lo = table.rows.back();
  PlannedWindow window;
  window.window = {.lo = lo,
                   .hi = kMaxRows,
                   .program = table.programs[top],
                   .edge = EdgeKind::kTop,
                   .classes = ClassesAt(table, lo, table.names[below], table.names[top], edges)};
  window.program = table.names[top];
  window.reason = table.route.pass == Pass::kForward
                      ? fmt::format("unqualified: nothing is sampled above {} rows", lo)
                      : fmt::format(
                            "unqualified: the most accurate up to {} rows, {:.3g} of the "
                            "budget",
                            lo, WorstNearTop(table, top));
  return window;
}

}  // namespace

std::vector<PlannedWindow> PlanWindows(const RouteTable& table, std::span<const Segment> segments,
                                       double noise, std::span<const EdgeRecord> edges) {
  std::vector<PlannedWindow> windows;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Segment& segment = segments[s];
    PlannedWindow planned;
    planned.program = table.names[segment.program];
    planned.window.program = table.programs[segment.program];
    planned.window.hi = table.rows[segment.end - 1];
    Summarise(table, segment, &planned);
    if (s == 0) {
      planned.reason = StartReason(table, segment, planned);
    } else {
      const std::size_t below = segments[s - 1].program;
      planned.window.lo = windows.back().window.hi;
      planned.window.edge = KindOf(table, segment, below, noise);
      planned.window.classes =
          ClassesAt(table, planned.window.lo, table.names[below], planned.program, edges);
      planned.reason = EdgeReason(table, segment, below, planned.window.edge);
    }
    planned.reason += WaiverNote(table, segment);
    windows.push_back(std::move(planned));
  }
  if (windows.back().window.hi < kMaxRows) {
    windows.push_back(TopWindow(table, segments.back().program, edges));
  }
  return windows;
}

}  // namespace fenestra
