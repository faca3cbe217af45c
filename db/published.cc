#include "db/published.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "accuracy/error.h"
#include "db/csv.h"
#include "db/parse_number.h"
#include "db/published_data.h"
#include "db/text_line.h"
#include "kernels/board.h"

namespace fenestra {
namespace {

std::string CellOf(const nlohmann::json& row, const char* column) {
  return row.value(column, std::string{});
}

// Throws Error on cells that JSON cannot hold.
std::string JsonOf(const nlohmann::json& row, std::string_view table, std::size_t line) {
  try {
    return row.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{} row {}: a cell is no UTF-8 text; correct the table", table, line));
  }
}

}  // namespace

std::vector<PublishedRecord> ParsePublished(std::string_view csv, std::string_view table) {
  const auto rows = ParseCsv(csv, table);
  const std::vector<std::string>& titles = rows.front();
  std::vector<PublishedRecord> records;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    nlohmann::json row = nlohmann::json::object();
    for (std::size_t c = 0; c < titles.size(); ++c) row[titles[c]] = rows[i][c];
    PublishedRecord record{.table = std::string(table),
                           .line = static_cast<std::int64_t>(i),
                           .pr = CellOf(row, "pr"),
                           .arch = CellOf(row, "arch"),
                           .json = JsonOf(row, table, i)};
    const std::string width = CellOf(row, "h");
    const std::optional<int> number = ParseNumber<int>(width);
    record.width = number.value_or(0);
    if (!width.empty() && !number) {
      throw Error(fmt::format("{} row {}: h: '{}' is not a whole number; correct the table", table,
                              i, text::Escape(width)));
    }
    if (record.pr.empty() || !ParseArch(record.arch)) {
      throw Error(
          fmt::format("{} row {}: pr '{}' or arch '{}' is missing or unknown; correct the "
                      "table",
                      table, i, text::Escape(record.pr), text::Escape(record.arch)));
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<PublishedRecord> BuiltInPublished() {
  std::vector<PublishedRecord> all;
  for (const PublishedTable& table : kPublishedTables) {
    for (PublishedRecord& record : ParsePublished(table.csv, table.name)) {
      all.push_back(std::move(record));
    }
  }
  return all;
}

void WritePublished(sqlite::Connection* connection, const std::vector<PublishedRecord>& records) {
  sqlite::Statement insert =
      connection->Prepare("INSERT OR REPLACE INTO published VALUES (?, ?, ?, ?, ?, ?)");
  for (const PublishedRecord& record : records) {
    insert.Bind(1, record.table);
    insert.Bind(2, record.line);
    insert.Bind(3, record.pr);
    insert.Bind(4, record.arch);
    insert.Bind(5, record.width);
    insert.Bind(6, record.json);
    insert.Run();
  }
}

std::vector<PublishedRecord> ReadPublished(sqlite::Connection* connection) {
  sqlite::Statement select = connection->Prepare(
      "SELECT source, line, pr, arch, width, json FROM published ORDER BY source, line");
  std::vector<PublishedRecord> records;
  while (select.Step()) {
    records.push_back({.table = std::string(select.Text(0)),
                       .line = select.Int64(1),
                       .pr = std::string(select.Text(2)),
                       .arch = std::string(select.Text(3)),
                       .width = static_cast<int>(select.Int64(4)),
                       .json = std::string(select.Text(5))});
  }
  return records;
}

}  // namespace fenestra
