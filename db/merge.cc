#include "db/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

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

template <typename Record>
void Report(const Sourced<Record>& list, std::size_t one, std::size_t other,
            const std::vector<std::string>& names, Conflicts* conflicts) {
  if (++conflicts->count > 1) return;
  conflicts->first =
      fmt::format("{} and {} disagree on {}: {} against {}", PlaceName(list.where[one], names),
                  PlaceName(list.where[other], names), Describe(list.records[one]),
                  DescribeMeasured(list.records[one]), DescribeMeasured(list.records[other]));
}

// Puts a list in the order of its keys, and its places with it; within a key the order of arrival.
template <typename Record>
void SortByKey(Sourced<Record>* list) {
  std::vector<std::size_t> from(list->records.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  std::stable_sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) {
    return fields::KeyOf(list->records[a]) < fields::KeyOf(list->records[b]);
  });
  // In place, cycle by cycle: a second set of a million records would double the memory.
  for (std::size_t start = 0; start < from.size(); ++start) {
    std::size_t to = start;
    while (from[to] != start) {
      std::swap(list->records[to], list->records[from[to]]);
      std::swap(list->where[to], list->where[from[to]]);
      to = std::exchange(from[to], to);
    }
    from[to] = to;
  }
}

template <typename Record>
std::vector<Record> Unite(Sourced<Record> list, const std::vector<std::string>& names,
                          Conflicts* conflicts) {
  SortByKey(&list);
  std::size_t kept = 0;  // records before it are united; it is the last of them
  for (std::size_t next = 1; next < list.records.size(); ++next) {
    Record& record = list.records[next];
    Record& last = list.records[kept];
    if (fields::KeyOf(last) != fields::KeyOf(record)) {
      ++kept;
      if (kept == next) continue;
      list.records[kept] = std::move(record);
      list.where[kept] = list.where[next];
    } else if (last == record) {
      continue;
    } else if (DescribeValue(last) != DescribeValue(record)) {
      Report(list, kept, next, names, conflicts);
    } else if (OriginText(record) < OriginText(last)) {
      last = std::move(record);
    }
  }
  if (!list.records.empty()) list.records.resize(kept + 1);
  return std::move(list.records);
}

}  // namespace

std::string PlaceName(Where where, const std::vector<std::string>& names) {
  const std::string& name = names[static_cast<std::size_t>(where.source)];
  return where.line > 0 ? fmt::format("{}:{}", name, where.line) : name;
}

Evidence MergeSources(SourcedEvidence evidence, const std::vector<std::string>& names) {
  Evidence merged;
  Conflicts conflicts;
  fields::ForEachPair(evidence, merged, [&](auto& list, auto& into) {
    into = Unite(std::move(list), names, &conflicts);
  });
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
  Evidence merged = MergeSources(std::move(all), {"the first set", "the second set"});
  merged.published = a.published;
  merged.published.insert(merged.published.end(), b.published.begin(), b.published.end());
  std::sort(merged.published.begin(), merged.published.end());
  const auto end = std::unique(merged.published.begin(), merged.published.end());
  merged.published.erase(end, merged.published.end());
  return merged;
}

}  // namespace fenestra
