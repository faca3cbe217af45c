// Published figures that are no edges: costs, timings, and accuracy points that stand beside none.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "db/history.h"
#include "db/history_point.h"
#include "db/published_row.h"

namespace fenestra {
namespace {

// Reads the row counts of "44544" or "49153 to 65537"; leaves 0 on other texts.
void ReadRange(std::string_view at, RangedPoint* point) {
  const char* end = at.data() + at.size();
  std::int64_t first = 0;
  const auto [next, error] = std::from_chars(at.data(), end, first);
  if (error != std::errc{}) return;
  std::int64_t last = first;
  if (next != end) {
    constexpr std::string_view kTo = " to ";
    at.remove_prefix(static_cast<std::size_t>(next - at.data()));
    if (!at.starts_with(kTo)) return;
    const auto rest = std::from_chars(at.data() + kTo.size(), end, last);
    if (rest.ec != std::errc{} || rest.ptr != end) return;
  }
  point->first = first;
  point->last = last;
}

HistoryEntry FigureOf(const PublishedRecord& record, const PublishedRow& row, HistoryKind what) {
  HistoryEntry entry;
  entry.what = what;
  entry.source = record.pr;
  entry.arch = row.ArchOfRow();
  entry.board = row.BoardText();
  return entry;
}

HistoryEntry CostOf(const PublishedRecord& record) {
  const PublishedRow row(record);
  HistoryEntry entry = FigureOf(record, row, HistoryKind::kCost);
  // The texts speak of backward programs alone.
  entry.routes = row.Routes(Pass::kBackward, row.Cell("residual") == "true",
                            row.Cell("deterministic") == "true");
  entry.residual_stated = !row.Cell("residual").empty();
  entry.unit = row.Cell("unit");
  entry.first = row.Number("from").value_or(0);
  entry.last = row.Number("to").value_or(entry.first);
  entry.reason = fmt::format("{} {} to {} against {}", row.Cell("meaning"), row.Cell("ratio_low"),
                             row.Cell("ratio_high"), row.Cell("against"));
  return entry;
}

HistoryEntry TimingOf(const PublishedRecord& record) {
  const PublishedRow row(record);
  HistoryEntry entry = FigureOf(record, row, HistoryKind::kTiming);
  // Of the deterministic package, which the document is about; residual is not stated.
  entry.routes = row.Routes(row.PassOfRow(), false, true);
  entry.residual_stated = false;
  entry.unit = "rows";
  entry.first = row.Number("rows").value_or(0);
  entry.last = entry.first;
  entry.reason = fmt::format(
      "{} us; before {} us (speedup {}), torch.compile {} us (speedup {}); {}, {} tokens",
      row.Cell("cake_us"), row.Cell("previous_us"), row.Cell("speedup_vs_previous"),
      row.Cell("torch_compile_us"), row.Cell("speedup_vs_torch_compile"), row.Cell("view"),
      row.Cell("tokens"));
  return entry;
}

HistoryEntry PointEntryOf(const PublishedRecord& record, const RangedPoint& point) {
  const PublishedRow row(record);
  HistoryEntry entry = FigureOf(record, row, HistoryKind::kAccuracy);
  entry.routes = row.Routes(row.PassOfRow(), row.Cell("residual") == "true",
                            row.Cell("deterministic") == "true");
  entry.residual_stated = !row.Cell("residual").empty();
  entry.unit = row.Cell("unit");
  entry.first = point.first;
  entry.last = point.last;
  entry.points = {point.shown};
  return entry;
}

bool StandsBeside(const HistoryPoint& point, const std::vector<HistoryEntry>& edges) {
  return std::any_of(edges.begin(), edges.end(), [&point](const HistoryEntry& edge) {
    return std::find(edge.points.begin(), edge.points.end(), point) != edge.points.end();
  });
}

}  // namespace

RangedPoint RangedPointOf(const PublishedRecord& record) {
  const PublishedRow row(record);
  RangedPoint point{.arch = row.ArchOfRow(),
                    .width = record.width,
                    .pass = row.Cell("pass"),
                    .unit = row.Cell("unit"),
                    .shown = {.source = record.pr,
                              .board = row.BoardText(),
                              .weight = row.Weight(),
                              .at = row.Cell("at"),
                              .statistic = row.Cell("statistic"),
                              .program = row.Cell("program"),
                              .reference = row.Cell("reference"),
                              .fraction = row.Cell("budget_ratio"),
                              .comparator_fraction = row.Cell("eager_budget_ratio")}};
  ReadRange(point.shown.at, &point);
  return point;
}

std::vector<HistoryEntry> PublishedFigures(const std::vector<PublishedRecord>& published,
                                           const std::vector<HistoryEntry>& edges) {
  std::vector<HistoryEntry> entries;
  for (const PublishedRecord& record : published) {
    if (record.table == "accuracy_points") {
      const RangedPoint point = RangedPointOf(record);
      if (!StandsBeside(point.shown, edges)) entries.push_back(PointEntryOf(record, point));
    } else if (record.table == "costs") {
      entries.push_back(CostOf(record));
    } else if (record.table == "timings") {
      entries.push_back(TimingOf(record));
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const HistoryEntry& a, const HistoryEntry& b) { return a.what < b.what; });
  return entries;
}

}  // namespace fenestra
