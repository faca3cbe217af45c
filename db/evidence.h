// A set of evidence in memory: what a store holds of one board, or one text evidence file.
#pragma once

#include <vector>

#include "db/records.h"

namespace fenestra {

struct Evidence {
  std::vector<Environment> environments;
  std::vector<TimeRecord> times;
  std::vector<AccuracyRecord> accuracy;
  std::vector<DigestRecord> digests;
  std::vector<EdgeRecord> edges;
  std::vector<WaitRecord> waits;
  std::vector<KernelRecord> kernels;
  std::vector<FailureRecord> failures;
  std::vector<PublishedRecord> published;
};

// Sorts every list by key, so that equal evidence compares equal and prints the same bytes.
void Sort(Evidence* evidence);

// FNV-1a over the sorted text form (db/text.h) of everything but `published`: 16 hex digits.
std::string DigestOf(const Evidence& evidence);

}  // namespace fenestra
