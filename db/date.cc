#include "db/date.h"

#include <fmt/format.h>

#include <chrono>

#include "db/parse_number.h"

namespace fenestra {

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = ParseNumber<int>(text.substr(0, 4));
  const auto month = ParseNumber<unsigned>(text.substr(5, 2));
  const auto day = ParseNumber<unsigned>(text.substr(8, 2));
  if (!year || *year < 0 || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(*year), std::chrono::month(*month),
                                     std::chrono::day(*day))
      .ok();
}

std::string Today() {
  const std::chrono::year_month_day today(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(today.year()),
                     static_cast<unsigned>(today.month()), static_cast<unsigned>(today.day()));
}

}  // namespace fenestra
