// Gathers the errors of an accuracy task over its inputs, the same for GPU and host.
#pragma once

#include <string>
#include <vector>

#include "accuracy/budget.h"
#include "db/store.h"
#include "tuner/sweep/meter.h"

namespace fenestra {

class AccuracyGroup {
 public:
  AccuracyGroup(const MeterContext& context, const AccuracyTask& task);

  // Errors of subject i (the task's programs in order, then the comparator) for one input.
  void Add(std::size_t subject, Reference reference, std::int64_t seed, const WorstError& worst);
  void AddDigest(std::size_t program, std::int64_t seed, std::uint64_t digest);

  std::size_t subjects() const { return names_.size(); }
  Group Take();

 private:
  AccuracyRecord RecordOf(std::size_t subject, Reference reference,
                          const FamilyResult& result) const;

  const MeterContext& context_;
  const AccuracyTask& task_;
  std::vector<std::string> names_;
  std::vector<FamilyResult> own_;
  std::vector<FamilyResult> eager_;
  Group group_;
};

// Index of the forward program whose rstd the backward programs of a width are measured at: the
// first in the list.
int RstdProgramOf(int width);

// Whether the dw digest of this input is recorded: that of seed 0 of the normal family, at the row
// counts that RecordsAllAt names.
bool HasDigest(const AccuracyTask& task, std::int64_t seed);

}  // namespace fenestra
