#include "tuner/cli/evidence_counts.h"

#include <array>
#include <utility>

namespace fenestra::cli {
namespace {

constexpr std::array kKinds{"environments", "times", "accuracy", "digests",
                            "edges",        "waits", "kernels",  "failures"};

std::array<std::size_t, kKinds.size()> CountsOf(const Evidence& evidence) {
  return {evidence.environments.size(), evidence.times.size(),   evidence.accuracy.size(),
          evidence.digests.size(),      evidence.edges.size(),   evidence.waits.size(),
          evidence.kernels.size(),      evidence.failures.size()};
}

}  // namespace

Table CountsTable() {
  std::vector<Column> columns{{"file"}};
  for (const char* kind : kKinds) columns.push_back({kind, Align::kRight});
  return Table(std::move(columns));
}

void AddCounts(const std::string& place, const Evidence& evidence, Table* table) {
  std::vector<std::string> cells{place};
  for (std::size_t count : CountsOf(evidence)) {
    cells.push_back(Grouped(static_cast<std::int64_t>(count)));
  }
  table->Add(std::move(cells));
}

Json CountsJson(const std::string& place, const Evidence& evidence) {
  Json json{{"file", place}};
  const auto counts = CountsOf(evidence);
  for (std::size_t i = 0; i < kKinds.size(); ++i) json[kKinds[i]] = counts[i];
  return json;
}

}  // namespace fenestra::cli
