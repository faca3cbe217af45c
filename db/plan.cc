#include "db/plan.h"

#include <fmt/format.h>

#include <regex>

#include "db/parse_number.h"
#include "kernels/route.h"

namespace fenestra {

std::string RowsText(std::int64_t lo, std::int64_t hi) {
  return hi == kMaxRows ? fmt::format("({}, max]", lo) : fmt::format("({}, {}]", lo, hi);
}

std::string ToString(const Waiver& waiver) {
  return fmt::format("{} {} up to {} rows to {}: {}", ToString(waiver.route), waiver.program,
                     waiver.rows, waiver.fraction, waiver.reason);
}

std::optional<Waiver> ParseWaiver(std::string_view text) {
  static const std::regex kForm("(\\S+) (\\S+) up to ([0-9]+) rows to ([-+.0-9e]+): (.+)");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(text.begin(), text.end(), match, kForm)) return std::nullopt;
  const std::optional<Route> route = ParseRoute(match[1].str());
  const auto rows = ParseNumber<std::int64_t>(match[3].str());
  const auto fraction = ParseNumber<double>(match[4].str());
  if (!route || !rows || !fraction) return std::nullopt;
  return Waiver{*route, *rows, match[2].str(), *fraction, match[5].str()};
}

}  // namespace fenestra
