// The cells of one row of the published tables, read with errors that name the row.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/error.h"
#include "db/parse_number.h"
#include "db/records.h"
#include "db/text_line.h"
#include "kernels/board.h"

namespace fenestra {

// The cells of a published row.
class PublishedRow {
 public:
  explicit PublishedRow(const PublishedRecord& record)
      : record_(record), cells_(nlohmann::json::parse(record.json, nullptr, false)) {
    if (!cells_.is_object()) Fail("its cells are no JSON object");
  }

  std::string Cell(const char* column) const {
    const auto cell = cells_.find(column);
    if (cell == cells_.end() || !cell->is_string()) {
      Fail(fmt::format("column {} is missing", column));
    }
    return cell->get<std::string>();
  }

  // Unset where the cell is empty.
  std::optional<std::int64_t> Number(const char* column) const {
    return Parsed<std::int64_t>(column, "a whole number");
  }
  std::optional<double> Fraction(const char* column) const {
    return Parsed<double>(column, "a number");
  }

  // "w16", "w32", "both" or "".
  std::string Weight() const {
    std::string cell = Cell("weight_dtype");
    if (cell == "bf16") return "w16";
    if (cell == "fp32") return "w32";
    if (!cell.empty() && cell != "both") Fail(fmt::format("weight_dtype: '{}' is unknown", cell));
    return cell;
  }

  Arch ArchOfRow() const {
    const auto arch = ParseArch(record_.arch);
    if (!arch) Fail(fmt::format("arch '{}' is unknown", record_.arch));
    return *arch;
  }

  Pass PassOfRow() const {
    const auto pass = ParsePass(Cell("pass"));
    if (!pass) Fail(fmt::format("pass '{}' is unknown", Cell("pass")));
    return *pass;
  }

  // The routes that the row is about: of both weight dtypes, and of every width, where it names
  // none.
  std::vector<Route> Routes(Pass pass, bool residual, bool deterministic) const {
    const std::string weight = Weight();
    std::vector<Route> routes;
    for (const int width : kWidths) {
      for (const Dtype dtype : {Dtype::kBf16, Dtype::kFp32}) {
        if (record_.width != 0 && record_.width != width) continue;
        if (!weight.empty() && weight != "both" && weight != ToString(dtype)) continue;
        routes.push_back(
            {.pass = pass,
             .residual = residual,
             .weight = dtype,
             .width = width,
             .determinism = deterministic ? Determinism::kDeterministic : Determinism::kAny});
      }
    }
    if (routes.empty()) Fail(fmt::format("h: no program has {}", record_.width));
    return routes;
  }

  // "B200, 148 SMs"; without the count where it is not stated.
  std::string BoardText() const {
    const std::string sm_count = Cell("sm_count");
    return sm_count.empty() ? Cell("board") : fmt::format("{}, {} SMs", Cell("board"), sm_count);
  }

  [[noreturn]] void Fail(std::string_view what) const {
    throw Error(fmt::format("published {} row {}: {}; import the table again", record_.table,
                            record_.line, text::Escape(what)));
  }

 private:
  template <typename Value>
  std::optional<Value> Parsed(const char* column, std::string_view what) const {
    const std::string cell = Cell(column);
    if (cell.empty()) return std::nullopt;
    const std::optional<Value> value = ParseNumber<Value>(cell);
    if (!value) Fail(fmt::format("{}: '{}' is not {}", column, cell, what));
    return value;
  }

  const PublishedRecord& record_;
  nlohmann::json cells_;
};

}  // namespace fenestra
