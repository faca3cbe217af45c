#include "tuner/accuracy_edges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace fenestra {
namespace {

EdgeSide SideAt(const AccuracyTable& table, std::string_view program, std::int64_t rows) {
  EdgeSide side;
  side.rows = rows;
  for (Family family : kFamilies) {
    const AccuracyRecord* record = table.Find(program, rows, family, Reference::kOwnRstd);
    side.inputs = side.inputs == 0 ? record->key.inputs : std::min(side.inputs, record->key.inputs);
    if (family != kFamilies.front() && record->worst <= side.worst) continue;
    side.worst = record->worst;
    side.family = family;
    side.seed = record->worst_seed;
    side.column = record->worst_column;
  }
  return side;
}

// How far from `within` to `beyond` the margin is reached, in log rows.
double CrossingOf(const AccuracyEdge& edge) {
  constexpr double kLeast = 1.0 / 8;
  const double low = std::log(edge.within->worst);
  const double high = std::log(edge.beyond->worst);
  // An error of 0 or infinity says nothing of growth.
  if (!std::isfinite(low) || !std::isfinite(high)) return 0.5;
  return std::clamp((std::log(edge.margin) - low) / (high - low), kLeast, 1 - kLeast);
}

std::vector<std::int64_t> SearchedBelow(std::int64_t rows) {
  const std::vector<std::int64_t>& all = SearchRowCounts();
  const auto end = std::ranges::lower_bound(all, rows);
  return {end - std::min<std::ptrdiff_t>(end - all.begin(), kSearchedBelow), end};
}

}  // namespace

bool AccuracyEdge::resolved() const {
  if (!within || !beyond) return false;
  const auto gap = static_cast<double>(beyond->rows - within->rows);
  return gap <= std::max(1.0, kEdgeResolution * static_cast<double>(within->rows));
}

AccuracyEdge FindAccuracyEdge(const AccuracyTable& table, std::string_view program, double margin) {
  AccuracyEdge edge;
  edge.margin = margin;
  for (std::int64_t rows : table.RowsOf(program)) {
    const EdgeSide side = SideAt(table, program, rows);
    if (side.worst > margin) {
      edge.beyond = side;
      break;
    }
    edge.within = side;
    if (side.worst > kCloseShare * margin && side.inputs < kInputsNearEdge) {
      edge.close.push_back(rows);
    }
    if (!edge.largest || side.worst > edge.largest->worst) edge.largest = side;
  }
  if (edge.within && (edge.beyond || edge.largest->worst > kExactFraction)) {
    edge.searched = SearchedBelow(edge.within->rows);
    const std::vector<std::int64_t>& measured = table.RowsOf(program);
    std::ranges::set_difference(edge.searched, measured, std::back_inserter(edge.unsearched));
  }
  return edge;
}

std::vector<EdgeProbe> NextProbes(const AccuracyEdge& edge) {
  if (!edge.within) return {};
  if (!edge.beyond || edge.resolved()) {
    std::vector<EdgeProbe> probes;
    for (std::int64_t rows : edge.unsearched) probes.push_back({rows, kInputsPerFamily});
    if (!probes.empty()) return probes;
    for (std::int64_t rows : edge.close) probes.push_back({rows, kInputsNearEdge});
    if (!edge.beyond) return probes;
    for (const EdgeSide& side : {*edge.within, *edge.beyond}) {
      const EdgeProbe probe{side.rows, kInputsNearEdge};
      if (side.inputs < kInputsNearEdge && std::ranges::find(probes, probe) == probes.end()) {
        probes.push_back(probe);
      }
    }
    return probes;
  }
  const double low = std::log(static_cast<double>(edge.within->rows));
  const double high = std::log(static_cast<double>(edge.beyond->rows));
  const std::int64_t rows = std::llround(std::exp(low + CrossingOf(edge) * (high - low)));
  return {{std::clamp(rows, edge.within->rows + 1, edge.beyond->rows - 1), kInputsPerFamily}};
}

double NoticedShare(std::size_t drawn) {
  return 1 - std::pow(0.05, 1.0 / static_cast<double>(drawn));
}

}  // namespace fenestra
