// Tables of published figures, and the history that is read from their cells.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "accuracy/error.h"
#include "db/history.h"
#include "db/published.h"
#include "db/published_points.h"
#include "tests/db/hand_made.h"
#include "tests/fuzz/target.h"

namespace fenestra::fuzz {
namespace {

// A text's first byte, from '0' on, says which table it is.
constexpr std::array kTables{"accuracy_points", "costs", "edges", "small_t_cuts", "timings"};

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < kTables.size(); ++i) {
    const auto file = std::filesystem::path(FENESTRA_SOURCES) / "db/published" /
                      fmt::format("{}.csv", kTables[i]);
    const std::string text = hand_made::ReadBytes(file);
    constexpr std::size_t kExcerptBytes = 3000;
    seeds.push_back(fmt::format("{}{}", i, text.substr(0, text.rfind('\n', kExcerptBytes) + 1)));
  }
  return seeds;
}

void TestOne(std::string_view text) {
  const std::size_t number = text.empty() ? 0 : static_cast<unsigned char>(text[0]) % 8;
  const char* table = kTables[number % kTables.size()];
  try {
    const auto records = ParsePublished(text.substr(text.empty() ? 0 : 1), table);
    (void)History(records, {});
    (void)PublishedPoints(records);
  } catch (const Error& error) {
    // By line of the text, or by row of the table.
    RequireErrorLine(error.what(), table, false);
  }
}

}  // namespace fenestra::fuzz
