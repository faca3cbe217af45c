#include "db/published_points.h"

#include <algorithm>

#include "db/published_row.h"

namespace fenestra {
namespace {

const Board* BoardOf(Arch arch, std::int64_t sm_count) {
  const auto* board = std::find_if(kBoards.begin(), kBoards.end(), [&](const Board& known) {
    return known.arch == arch && known.sm_count == sm_count;
  });
  return board == kBoards.end() ? nullptr : board;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// A reading at one row count of one width.
bool HasPlace(const PublishedRecord& record, const PublishedRow& row) {
  return record.width != 0 && row.Number("sm_count") && IsNumber(row.Cell("at"));
}

Reference ReferenceOf(const PublishedRow& row) {
  const std::string reference = row.Cell("reference");
  if (reference == "fp64 at kernel rstd") return Reference::kOwnRstd;
  if (reference == "fp64 at torch rstd") return Reference::kEagerRstd;
  row.Fail(
      fmt::format("reference: '{}' is neither fp64 at kernel rstd nor at torch rstd", reference));
}

}  // namespace

std::vector<PublishedPoint> PublishedPoints(const std::vector<PublishedRecord>& published) {
  std::vector<PublishedPoint> points;
  for (const PublishedRecord& record : published) {
    if (record.table != "accuracy_points") continue;
    const PublishedRow row(record);
    if (!HasPlace(record, row)) continue;
    PublishedPoint point;
    point.board = BoardOf(row.ArchOfRow(), *row.Number("sm_count"));
    if (point.board == nullptr) continue;
    point.source = record.pr;
    point.width = record.width;
    point.rows = *row.Number("at");
    point.weight = row.Weight();
    point.statistic = row.Cell("statistic");
    point.program = row.Cell("program");
    point.reference = ReferenceOf(row);
    const std::optional<double> fraction = row.Fraction("budget_ratio");
    if (!fraction) row.Fail("budget_ratio is empty");
    point.fraction = *fraction;
    point.comparator = row.Fraction("eager_budget_ratio");
    points.push_back(std::move(point));
  }
  return points;
}

std::size_t PublishedWithoutPlace(const std::vector<PublishedRecord>& published,
                                  const Board& board) {
  return static_cast<std::size_t>(
      std::count_if(published.begin(), published.end(), [&](const PublishedRecord& record) {
        if (record.table != "accuracy_points") return false;
        const PublishedRow row(record);
        return !HasPlace(record, row) && row.ArchOfRow() == board.arch &&
               row.Number("sm_count").value_or(board.sm_count) == board.sm_count;
      }));
}

}  // namespace fenestra
