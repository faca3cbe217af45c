#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "accuracy/error.h"
#include "db/history.h"
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

std::vector<Route> RoutesOf(const PublishedRow& row, const PublishedRecord& record) {
  const auto pass = ParsePass(row.Cell("pass"));
  if (!pass) row.Fail(fmt::format("pass '{}' is unknown", row.Cell("pass")));
  Route route{.pass = *pass,
              .residual = row.Cell("residual") == "true",
              .weight = Dtype::kBf16,
              .width = record.width,
              .determinism = row.Cell("deterministic") == "true" ? Determinism::kDeterministic
                                                                 : Determinism::kAny};
  const std::string weight = row.Weight();
  std::vector<Route> routes;
  for (Dtype dtype : {Dtype::kBf16, Dtype::kFp32}) {
    route.weight = dtype;
    if (weight == "both" || weight == ToString(dtype)) routes.push_back(route);
  }
  return routes;
}

HistoryEntry EntryOf(const PublishedRecord& record) {
  const PublishedRow row(record);
  const bool is_cut = record.table == "small_t_cuts";
  HistoryEntry entry;
  entry.source = record.pr;
  entry.arch = row.ArchOfRow();
  entry.routes = RoutesOf(row, record);
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

// A published accuracy point with what decides which edges it supports.
struct Point {
  Arch arch = Arch::kSm90a;
  int width = 0;
  std::string pass;
  std::string unit;
  std::int64_t first = 0;  // row count, or the ends of a range
  std::int64_t last = 0;
  HistoryPoint shown;
};

// The row counts of "44544" or "49153 to 65537"; false for other texts.
bool ReadRange(std::string_view at, Point* point) {
  const char* end = at.data() + at.size();
  auto [next, error] = std::from_chars(at.data(), end, point->first);
  if (error != std::errc{}) return false;
  point->last = point->first;
  if (next == end) return true;
  constexpr std::string_view kTo = " to ";
  at.remove_prefix(static_cast<std::size_t>(next - at.data()));
  if (!at.starts_with(kTo)) return false;
  return std::from_chars(at.data() + kTo.size(), end, point->last).ptr == end;
}

std::optional<Point> PointOf(const PublishedRecord& record) {
  const PublishedRow row(record);
  Point point{.arch = row.ArchOfRow(),
              .width = record.width,
              .pass = row.Cell("pass"),
              .unit = row.Cell("unit"),
              .shown = {}};
  const std::string sm_count = row.Cell("sm_count");
  point.shown = {.source = record.pr,
                 .board = sm_count.empty() ? row.Cell("board")
                                           : fmt::format("{}, {} SMs", row.Cell("board"), sm_count),
                 .weight = row.Weight(),
                 .at = row.Cell("at"),
                 .statistic = row.Cell("statistic"),
                 .program = row.Cell("program"),
                 .reference = row.Cell("reference"),
                 .fraction = row.Cell("budget_ratio"),
                 .comparator_fraction = row.Cell("eager_budget_ratio")};
  if (record.width == 0 || !ReadRange(point.shown.at, &point)) return std::nullopt;
  return point;
}

// True when the text holds the number as a whole word: "T 8 and 16" names 8 and 16.
bool Names(std::string_view text, std::int64_t number) {
  const std::string digits = std::to_string(number);
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

// How far a point is from an edge, as the logarithm of a factor; unset where it says nothing about
// it. A range supports the edges it starts above or ends at.
std::optional<double> DistanceOf(const Point& point, const HistoryEntry& entry) {
  const bool meets = point.arch == entry.arch && point.width == entry.routes.front().width &&
                     point.pass == ToString(entry.routes.front().pass) &&
                     WeightsMeet(point.shown.weight, entry.routes) && entry.after;
  if (!meets) return std::nullopt;
  const std::int64_t edge = *entry.after;
  if (point.first != point.last) {
    if (point.first == edge + 1 || point.last == edge) return 0;
    return std::nullopt;
  }
  if (Names(entry.reason, point.first)) return 0;
  const double distance =
      std::abs(std::log(static_cast<double>(point.first) / static_cast<double>(edge)));
  if (distance > std::log(kNearby)) return std::nullopt;
  return distance;
}

// Entries of one document about the same routes compete for a point: the nearest has it.
bool Compete(const HistoryEntry& a, const HistoryEntry& b) {
  return a.source == b.source && a.arch == b.arch && a.routes == b.routes;
}

void AddPoint(const Point& point, std::vector<HistoryEntry>* entries) {
  struct Candidate {
    HistoryEntry* entry;
    double distance;
  };
  std::vector<Candidate> candidates;
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
  std::vector<Point> points;
  // Small-T cuts are of the last document, and so come after the edges.
  for (const char* table : {"edges", "small_t_cuts"}) {
    for (const PublishedRecord& record : published) {
      if (record.table == table) entries.push_back(EntryOf(record));
    }
  }
  for (const PublishedRecord& record : published) {
    if (record.table != "accuracy_points") continue;
    if (auto point = PointOf(record)) points.push_back(std::move(*point));
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::tie(a.first, a.last) < std::tie(b.first, b.last);
  });
  for (const Point& point : points) AddPoint(point, &entries);
  return entries;
}

}  // namespace fenestra
