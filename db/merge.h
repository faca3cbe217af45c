// Union of records from several sources. The order of the sources does not matter; records of one
// key must agree.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/evidence.h"

namespace fenestra {

// Where a record stood, for messages.
struct Where {
  int source = 0;  // index into the names that MergeSources was given
  int line = 0;    // from 1; 0 when the source has no lines
};

// "h200_132.tsv:37".
std::string PlaceName(Where where, const std::vector<std::string>& names);

template <typename Record>
struct Sourced {
  std::vector<Record> records;
  std::vector<Where> where;  // of records, in step

  void Add(Record record, Where place) {
    records.push_back(std::move(record));
    where.push_back(place);
  }
};

// All records of all sources, in any order.
struct SourcedEvidence {
  Sourced<Environment> environments;
  Sourced<TimeRecord> times;
  Sourced<AccuracyRecord> accuracy;
  Sourced<DigestRecord> digests;
  Sourced<EdgeRecord> edges;
  Sourced<WaitRecord> waits;
  Sourced<KernelRecord> kernels;
  Sourced<FailureRecord> failures;
};

// The union, sorted, each key once. `names` are the sources' ("h200_132.tsv"). Throws Error when
// two records of one key differ: it names both places, both values, and how many more differ.
Evidence MergeSources(SourcedEvidence evidence, const std::vector<std::string>& names);

// Union of two sets: Merge(a, b) equals Merge(b, a). Throws as MergeSources does.
Evidence Merge(const Evidence& a, const Evidence& b);

}  // namespace fenestra
