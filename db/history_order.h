// The order of what history comes from: pull requests as their tables name them, then plans by
// number. A release stands for the plans since the release before it, board by board, up to its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/history.h"
#include "db/store.h"

namespace fenestra {

// What a name that was asked for stands for: the ranks that it covers, or a release.
struct HistorySource {
  std::int64_t least = 0;
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  std::optional<std::size_t> release;  // its place among releases; then the ranks are of its plans
};

class HistoryOrder {
 public:
  // `entries` are those published, the oldest source first; `releases` as Store::ListReleases has
  // them; `last_plan` is the greatest number of a plan, 0 where there is none.
  HistoryOrder(const std::vector<HistoryEntry>& entries, const std::vector<Release>& releases,
               std::int64_t last_plan);

  // Whether a plan can be of a source up to `last`.
  bool ReachesPlans(const HistorySource& last) const { return last.greatest >= RankOfPlan(0); }

  std::int64_t RankOf(const HistoryEntry& entry) const;

  // The first source that --from asks for, the last that --to does. A date stands for the first
  // release of that day or later, or for the last of that day or earlier. What was published, and
  // releases that tell no date, come before all dates. Throws Error when there is no such source.
  HistorySource First(std::string_view name) const;
  HistorySource Last(std::string_view name) const;

  bool IsFrom(const HistorySource& first, const HistoryEntry& entry) const;
  bool IsUpTo(const HistorySource& last, const HistoryEntry& entry) const;

  // Names the first release that ships the entry's plan: "plan 3 (release 0.3, 2026-11-30)".
  void NameRelease(HistoryEntry* entry) const;

 private:
  struct OneRelease {
    std::string name;
    std::string date;                              // "" where none was told
    std::map<std::string, std::int64_t> plans;     // by board, of the release itself
    std::map<std::string, std::int64_t> in_force;  // and of the one before where it lacks a board
  };

  HistorySource Find(std::string_view name, std::string_view option) const;
  // Of a release by its place; one past the last stands for what no release has yet.
  HistorySource SourceOf(std::size_t release) const;
  std::int64_t RankOfPlan(std::int64_t plan) const { return std::ssize(published_) + plan; }
  // The plan of a board that a release leaves in force; 0 when there is none.
  std::int64_t PlanAt(std::size_t release, const std::string& board) const;
  std::string ReleaseNames() const;

  std::int64_t last_plan_;
  std::vector<std::string> published_;
  std::vector<OneRelease> releases_;
};

}  // namespace fenestra
