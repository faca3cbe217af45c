// The store: one SQLite file of evidence, plans and releases (schema: db/schema.h).
//
// A store may be used by one thread; several processes may have the same file open, and write it in
// turn. Every change is one transaction: after a kill it is there whole or not at all. All
// functions throw Error, with the file's name and what to do, when SQLite fails.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/location.h"
#include "db/merge.h"
#include "db/plan.h"

namespace fenestra {

// The samples behind one TimeRecord.
struct TimeSamples {
  TimeKey key;
  std::vector<Sample> samples;
};

// What one comparison group adds: times with samples and failures, or accuracy with digests.
struct Group {
  Evidence evidence;  // `published` is not looked at
  std::vector<TimeSamples> samples;
};

// The programs compared in one session at one row count.
struct TimeGroup {
  std::string board;
  Route route;
  View view = View::kRows;
  std::int64_t rows = 0;
  std::string environment;
  int session = 0;
};

// A plan with its number in the store; later plans have greater ones.
struct StoredPlan {
  std::int64_t id = 0;
  Plan plan;
};

// A plan that was shipped.
struct Release {
  std::string name;           // "1.2"
  std::string board;          // of the plan
  std::int64_t plan = 0;      // StoredPlan::id
  std::string header_digest;  // of the exported header, 16 hex digits
  std::string commit;         // of the sources it went into; "" of an imported one
  std::string date = {};      // as db/date.h has it; "" where its manifest told none

  auto operator<=>(const Release&) const = default;
};

// The digest that TimeRecord::samples_digest holds: 16 hex digits over every field, in order.
std::string DigestOfSamples(std::span<const Sample> samples);

class Store {
 public:
  // See OpenStoreFile (db/location.h) for what is refused.
  static Store Open(const std::filesystem::path& path, OpenMode mode);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Adds a group in one transaction. What is there with equal values is ignored, so a repeated
  // group changes nothing; of the environments in which one accuracy value was seen, the least is
  // kept. Throws Error, with nothing added, when a value differs from the one stored under its key
  // (it names both), when a record is faulty (db/record_check.h), when its environment is neither
  // in the group nor stored, or when samples belong to no record.
  void Append(const Group& group);
  // The same for a set of evidence, its published figures included.
  void Append(const Evidence& evidence);

  // The first record that Append refuses because another value is stored under its key: its place
  // (see MergeSources for `names`) and both values; "" when there is none.
  std::string FirstConflict(const SourcedEvidence& evidence,
                            const std::vector<std::string>& names) const;

  // Throws Error when a file of text evidence holds a record that is not stored, or that is stored
  // with another value: a dump over it would lose that.
  void CheckHolds(const std::filesystem::path& file) const;

  // All evidence of a board, sorted, with the environments it names and all published figures.
  Evidence Load(std::string_view board) const;
  // Parts of it, sorted, which name environments but do not hold them: times and edges of a route;
  // accuracy and failures of a width, and the kernels.
  Evidence LoadRoute(std::string_view board, const Route& route) const;
  Evidence LoadWidth(std::string_view board, int width) const;
  // The environments that a board's records name, by id.
  std::vector<Environment> LoadEnvironments(std::string_view board) const;
  // DigestOf(Load(board)), with the records of one route or width in memory at a time. Where
  // `lender` is another board, with its times and failures beside. REQUIRES: there is evidence.
  std::string EvidenceDigest(std::string_view board, std::string_view lender) const;
  // Boards with evidence, by name.
  std::vector<std::string> Boards() const;

  // Whether every program has records of `processes` processes in the group, or has failed there.
  bool HasTimes(const TimeGroup& group, std::span<const std::string> programs, int processes) const;
  // Routes that have times on the board, sorted.
  std::vector<Route> TimedRoutes(std::string_view board) const;
  // By as many inputs as the key has, or more: the first are the same.
  bool HasAccuracy(const AccuracyKey& key) const;
  bool HasEdge(const EdgeKey& key) const;
  bool HasWait(const WaitKey& key) const;
  bool HasKernel(const KernelKey& key) const;
  // Whether the program failed in this measurement, for whatever reason.
  bool HasFailure(const TimeGroup& group, std::string_view program) const;
  // Samples of a time, in call order; empty when there are none.
  std::vector<Sample> LoadSamples(const TimeKey& key) const;
  // Accuracy of one program at the least row count above `above`, up to `to`, that was sampled.
  std::vector<AccuracyRecord> LoadAccuracyAbove(std::string_view board, int width,
                                                std::string_view program, std::int64_t above,
                                                std::int64_t to) const;

  // Stores a plan and returns its number; a plan equal to the board's latest keeps that one's.
  std::int64_t SavePlan(const Plan& plan);
  // The board's latest plan that is not imported. A program that this build does not have gets the
  // index -1.
  std::optional<Plan> LoadPlan(std::string_view board) const;
  // The greatest number of a plan; 0 when there is none.
  std::int64_t LastPlan() const;
  // Boards that have plans, by name.
  std::vector<std::string> PlannedBoards() const;
  // Every plan of a board, imported ones included, oldest first; of all boards when it is empty.
  // `routes` is a glob: what does not match is left out.
  std::vector<StoredPlan> LoadPlans(std::string_view board, std::string_view routes = "*") const;

  // A release that is there without a date takes this one's. Throws Error when another release has
  // this name and board, or the plan is not stored.
  void SaveRelease(const Release& release);
  // As they followed one another: by their last plan, then by name, 0.9 before 0.10. Those of one
  // name lie together.
  std::vector<Release> ListReleases() const;

  std::vector<PublishedRecord> LoadPublished() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fenestra
