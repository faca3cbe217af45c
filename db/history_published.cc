#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "db/history.h"
#include "db/history_point.h"
#include "db/published_row.h"

namespace fenestra {
namespace {

// Points further from an edge than this factor support it only where its reason names them.
constexpr double kNearby = 2.0;

bool WeightsMeet(const std::string& point_weight, const std::vector<Route>& routes) {
  if (point_weight.empty() || point_weight == "both") return true;
  return std::any_of(routes.begin(), routes.end(),
                     [&](const Route& route) { return ToString(route.weight) == point_weight; });
}

HistoryEntry EntryOf(const PublishedRecord& record) {
  const PublishedRow row(record);
  const bool is_cut = record.table == "small_t_cuts";
  HistoryEntry entry;
  entry.source = record.pr;
  entry.arch = row.ArchOfRow();
  entry.routes = row.Routes(row.PassOfRow(), row.Cell("residual") == "true",
                            row.Cell("deterministic") == "true");
  entry.residual_stated = !row.Cell("residual").empty();
  entry.unit = row.Cell("unit");
  entry.after = row.Number(is_cut ? "cut" : "edge_after");
  if (is_cut) {
    entry.program_below = row.Cell("below");
    entry.program_above = row.Cell("above");
    entry.reason = "the single kernel runs from 1 up to the cut, the pair above it";
    return entry;
  }
  entry.before = row.Number("edge_before");
  entry.kind = ParseEdgeKind(row.Cell("kind"));  // "unstated" is none
  entry.program_below = row.Cell("program_below");
  entry.program_above = row.Cell("program_above");
  entry.reason = row.Cell("reason");
  return entry;
}

// True when the text holds the number as a whole word: "T 8 and 16" names 8 and 16.
bool Names(std::string_view text, std::string_view digits) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  for (std::size_t at = text.find(digits); at != std::string_view::npos;
       at = text.find(digits, at + 1)) {
    const std::size_t end = at + digits.size();
    const bool starts = at == 0 || (!is_part(text[at - 1]) && text[at - 1] != '#');
    const bool ends = end == text.size() || text[end] < '0' || text[end] > '9';
    const bool is_fraction =
        end + 1 < text.size() && text[end] == '.' && text[end + 1] >= '0' && text[end + 1] <= '9';
    if (starts && ends && !is_fraction) return true;
  }
  return false;
}

bool SameWidth(const RangedPoint& point, const HistoryEntry& entry) {
  return point.arch == entry.arch && point.width == entry.routes.front().width &&
         point.pass == ToString(entry.routes.front().pass);
}

// True when the edge's reason gives this very reading, of whichever weight: "reaches 0.890 at T
// 47104".
bool Quotes(const HistoryEntry& entry, const RangedPoint& point) {
  return SameWidth(point, entry) && entry.source == point.shown.source &&
         Names(entry.reason, point.shown.at) && Names(entry.reason, point.shown.fraction);
}

// How far a point is from an edge, as the logarithm of a factor; unset where it says nothing about
// it. A range supports the edges it starts above or ends at.
std::optional<double> DistanceOf(const RangedPoint& point, const HistoryEntry& entry) {
  const bool meets =
      SameWidth(point, entry) && WeightsMeet(point.shown.weight, entry.routes) && entry.after;
  if (!meets) return std::nullopt;
  const std::int64_t edge = *entry.after;
  if (point.first != point.last) {
    if (point.first == edge + 1 || point.last == edge) return 0;
    return std::nullopt;
  }
  if (Names(entry.reason, point.shown.at)) return 0;
  const double distance =
      std::abs(std::log(static_cast<double>(point.first) / static_cast<double>(edge)));
  if (distance > std::log(kNearby)) return std::nullopt;
  return distance;
}

// Entries of one document about the same routes compete for a point: the nearest has it.
bool Compete(const HistoryEntry& a, const HistoryEntry& b) {
  return a.source == b.source && a.arch == b.arch && a.routes == b.routes;
}

void AddPoint(const RangedPoint& point, std::vector<HistoryEntry>* entries) {
  struct Candidate {
    HistoryEntry* entry;
    double distance;
  };
  std::vector<Candidate> candidates;
  bool quoted = false;
  for (HistoryEntry& entry : *entries) {
    if (!Quotes(entry, point)) continue;
    entry.points.push_back(point.shown);
    quoted = true;
  }
  if (quoted) return;
  for (HistoryEntry& entry : *entries) {
    if (entry.kind != EdgeKind::kAccuracy) continue;
    if (const auto distance = DistanceOf(point, entry)) candidates.push_back({&entry, *distance});
  }
  for (const Candidate& one : candidates) {
    const bool nearest =
        std::none_of(candidates.begin(), candidates.end(), [&one](const Candidate& other) {
          return Compete(*one.entry, *other.entry) && other.distance < one.distance;
        });
    if (nearest) one.entry->points.push_back(point.shown);
  }
}

}  // namespace

std::vector<HistoryEntry> PublishedHistory(const std::vector<PublishedRecord>& published) {
  std::vector<HistoryEntry> entries;
  std::vector<RangedPoint> points;
  // Small-T cuts are of the last document, and so come after the edges.
  for (const char* table : {"edges", "small_t_cuts"}) {
    for (const PublishedRecord& record : published) {
      if (record.table == table) entries.push_back(EntryOf(record));
    }
  }
  for (const PublishedRecord& record : published) {
    if (record.table != "accuracy_points" || record.width == 0) continue;
    RangedPoint point = RangedPointOf(record);
    if (point.last > 0) points.push_back(std::move(point));
  }
  std::stable_sort(points.begin(), points.end(), [](const RangedPoint& a, const RangedPoint& b) {
    return std::tie(a.first, a.last) < std::tie(b.first, b.last);
  });
  for (const RangedPoint& point : points) AddPoint(point, &entries);
  return entries;
}

}  // namespace fenestra
