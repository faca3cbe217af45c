#include "tuner/sweep/accuracy_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "accuracy/digest.h"
#include "accuracy/error.h"
#include "db/text.h"
#include "kernels/program_list.h"

namespace fenestra {

AccuracyGroup::AccuracyGroup(const MeterContext& context, const AccuracyTask& task)
    : context_(context), task_(task) {
  for (int program : task.programs) {
    names_.push_back(NameAt(program));
  }
  names_.emplace_back("eager");
  own_.resize(names_.size());
  eager_.resize(names_.size());
}

void AccuracyGroup::Add(std::size_t subject, Reference reference, std::int64_t seed,
                        const WorstError& worst) {
  (reference == Reference::kOwnRstd ? own_ : eager_).at(subject).Add(seed, worst);
}

void AccuracyGroup::AddDigest(std::size_t program, std::int64_t seed, std::uint64_t digest) {
  DigestRecord record;
  record.key.board = context_.board->name;
  record.key.width = task_.width;
  record.key.rows = task_.rows;
  record.key.program = names_.at(program);
  record.key.seed = seed;
  record.dw = DigestText(digest);
  group_.evidence.digests.push_back(record);
}

AccuracyRecord AccuracyGroup::RecordOf(std::size_t subject, Reference reference,
                                       const FamilyResult& result) const {
  AccuracyRecord record;
  record.key.board = context_.board->name;
  record.key.width = task_.width;
  record.key.rows = task_.rows;
  record.key.program = names_.at(subject);
  record.key.family = task_.family;
  record.key.reference = reference;
  record.key.inputs = result.inputs();
  record.worst = RoundFraction(result.worst());
  record.worst_column = result.worst_column();
  record.worst_seed = result.worst_seed();
  record.median = RoundFraction(result.median());
  record.stood_in = context_.stood_in;
  record.environment = context_.environment.id;
  return record;
}

Group AccuracyGroup::Take() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    group_.evidence.accuracy.push_back(RecordOf(i, Reference::kOwnRstd, own_[i]));
    if (!RecordsAllAt(task_.width, task_.rows)) continue;
    group_.evidence.accuracy.push_back(RecordOf(i, Reference::kEagerRstd, eager_[i]));
  }
  group_.evidence.environments = {context_.environment};
  return std::move(group_);
}

Group EdgeGroup(const MeterContext& context, const EdgeTask& task, const EdgeClasses& at,
                const EdgeClasses& above) {
  EdgeRecord record;
  record.key.board = context.board->name;
  record.key.route = task.route;
  record.key.rows = task.rows;
  record.key.below = NameAt(task.below);
  record.key.above = NameAt(task.above);
  // kDiffers is the greater value, kUnmeasured the least.
  record.classes = {std::max(at.y, above.y), std::max(at.rstd, above.rstd),
                    std::max(at.residual_out, above.residual_out), std::max(at.dx, above.dx),
                    std::max(at.dw, above.dw)};
  record.environment = context.environment.id;
  Group group;
  group.evidence.environments = {context.environment};
  group.evidence.edges.push_back(record);
  return group;
}

int RstdProgramOf(int width) {
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.pass == Pass::kForward && !program.residual && program.width == width) return i;
  }
  throw Error(fmt::format("no forward program of width {}", width));
}

bool HasDigest(const AccuracyTask& task, std::int64_t seed) {
  return task.family == Family::kNormal && seed == 0 && RecordsAllAt(task.width, task.rows);
}

}  // namespace fenestra
