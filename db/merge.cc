#include "db/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "accuracy/error.h"
#include "db/fields.h"
#include "db/record_check.h"

namespace fenestra {
namespace {

// The first pair of records that differ under one key, and how many pairs there are.
struct Conflicts {
  std::string first;
  int count = 0;
};

std::string PlaceName(Where where, const std::vector<std::string>& names) {
  const std::string& name = names[static_cast<std::size_t>(where.source)];
  return where.line > 0 ? fmt::format("{}:{}", name, where.line) : name;
}

template <typename Record>
void Report(const Sourced<Record>& list, std::size_t one, std::size_t other,
            const std::vector<std::string>& names, Conflicts* conflicts) {
  if (++conflicts->count > 1) return;
  conflicts->first =
      fmt::format("{} and {} disagree on {}: {} against {}", PlaceName(list.where[one], names),
                  PlaceName(list.where[other], names), Describe(list.records[one]),
                  DescribeValue(list.records[one]), DescribeValue(list.records[other]));
}

template <typename Record>
std::vector<Record> Unite(const Sourced<Record>& list, const std::vector<std::string>& names,
                          Conflicts* conflicts) {
  std::vector<std::size_t> order(list.records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return fields::KeyOf(list.records[a]) < fields::KeyOf(list.records[b]);
  });
  std::vector<Record> united;
  united.reserve(order.size());
  std::size_t kept = 0;  // index in the list of united.back()
  for (std::size_t index : order) {
    const Record& record = list.records[index];
    if (united.empty() || fields::KeyOf(united.back()) != fields::KeyOf(record)) {
      united.push_back(record);
      kept = index;
    } else if (DescribeValue(united.back()) != DescribeValue(record)) {
      Report(list, kept, index, names, conflicts);
    } else if (OriginText(record) < OriginText(united.back())) {
      united.back() = record;
    }
  }
  return united;
}

}  // namespace

Evidence MergeSources(const SourcedEvidence& evidence, const std::vector<std::string>& names) {
  Evidence merged;
  Conflicts conflicts;
  fields::ForEachPair(evidence, merged,
                      [&](const auto& list, auto& into) { into = Unite(list, names, &conflicts); });
  if (conflicts.count > 0) {
    throw Error(
        fmt::format(
            "{}{}; remove the wrong line", conflicts.first,
            conflicts.count > 1 ? fmt::format(" (and {} more differ)", conflicts.count - 1) : ""),
        ExitCode::kCheckFailed);
  }
  return merged;
}

Evidence Merge(const Evidence& a, const Evidence& b) {
  SourcedEvidence all;
  for (const Evidence* evidence : {&a, &b}) {
    const Where where{.source = evidence == &a ? 0 : 1};
    fields::ForEachPair(*evidence, all, [&](const auto& list, auto& into) {
      for (const auto& record : list) into.Add(record, where);
    });
  }
  Evidence merged = MergeSources(all, {"the first set", "the second set"});
  merged.published = a.published;
  merged.published.insert(merged.published.end(), b.published.begin(), b.published.end());
  std::sort(merged.published.begin(), merged.published.end());
  const auto end = std::unique(merged.published.begin(), merged.published.end());
  merged.published.erase(end, merged.published.end());
  return merged;
}

}  // namespace fenestra
