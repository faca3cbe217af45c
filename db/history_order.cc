#include "db/history_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "accuracy/error.h"
#include "db/date.h"
#include "db/text_line.h"

namespace fenestra {
namespace {

// "#8253 interim commit" is a state of "#8253".
bool IsStateOf(std::string_view source, std::string_view name) {
  return source.size() > name.size() && source.starts_with(name) && source[name.size()] == ' ';
}

}  // namespace

HistoryOrder::HistoryOrder(const std::vector<HistoryEntry>& entries,
                           const std::vector<Release>& releases, std::int64_t last_plan)
    : last_plan_(last_plan) {
  for (const HistoryEntry& entry : entries) {
    if (std::find(published_.begin(), published_.end(), entry.source) != published_.end()) {
      continue;
    }
    // "#8253 interim commit" was before #8253 was done.
    published_.insert(
        std::find_if(published_.begin(), published_.end(),
                     [&](const std::string& name) { return IsStateOf(entry.source, name); }),
        entry.source);
  }
  for (const Release& release : releases) {
    if (releases_.empty() || releases_.back().name != release.name) {
      OneRelease next{.name = release.name, .date = release.date, .plans = {}, .in_force = {}};
      if (!releases_.empty()) next.in_force = releases_.back().in_force;
      releases_.push_back(std::move(next));
    }
    releases_.back().plans[release.board] = release.plan;
    releases_.back().in_force[release.board] = release.plan;
  }
}

std::int64_t HistoryOrder::RankOf(const HistoryEntry& entry) const {
  if (entry.plan > 0) return RankOfPlan(entry.plan);
  return std::find(published_.begin(), published_.end(), entry.source) - published_.begin();
}

HistorySource HistoryOrder::First(std::string_view name) const {
  if (!IsDate(name)) return Find(name, "--from");
  const auto dated = std::ranges::find_if(
      releases_, [&](const OneRelease& release) { return release.date >= name; });
  return SourceOf(static_cast<std::size_t>(dated - releases_.begin()));
}

HistorySource HistoryOrder::Last(std::string_view name) const {
  if (!IsDate(name)) return Find(name, "--to");
  std::size_t count = releases_.size();
  while (count > 0 && releases_[count - 1].date > name) --count;
  if (count > 0) return SourceOf(count - 1);
  return {.least = 0, .greatest = RankOfPlan(0), .release = std::nullopt};
}

// `option` leads the Error.
HistorySource HistoryOrder::Find(std::string_view name, std::string_view option) const {
  for (std::size_t i = 0; i < releases_.size(); ++i) {
    if (releases_[i].name == name) return SourceOf(i);
  }
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0; i < published_.size(); ++i) {
    if (published_[i] == name || IsStateOf(published_[i], name)) {
      ranks.push_back(static_cast<std::int64_t>(i));
    }
  }
  constexpr std::string_view kPlan = "plan ";
  std::int64_t plan = 0;
  if (name.starts_with(kPlan) && text::ReadField(name.substr(kPlan.size()), &plan) && plan >= 1 &&
      plan <= last_plan_) {
    ranks.push_back(RankOfPlan(plan));
  }
  if (ranks.empty()) {
    throw Error(fmt::format("{} '{}': no such source; there are {}, dates, plans as 'plan 3'{}",
                            option, name, fmt::join(published_, ", "), ReleaseNames()));
  }
  const auto [least, greatest] = std::minmax_element(ranks.begin(), ranks.end());
  return {.least = *least, .greatest = *greatest, .release = std::nullopt};
}

bool HistoryOrder::IsFrom(const HistorySource& first, const HistoryEntry& entry) const {
  if (!first.release || entry.plan == 0) return RankOf(entry) >= first.least;
  return *first.release == 0 || entry.plan > PlanAt(*first.release - 1, entry.board);
}

bool HistoryOrder::IsUpTo(const HistorySource& last, const HistoryEntry& entry) const {
  if (!last.release || entry.plan == 0) return RankOf(entry) <= last.greatest;
  return entry.plan <= PlanAt(*last.release, entry.board);
}

void HistoryOrder::NameRelease(HistoryEntry* entry) const {
  for (const OneRelease& release : releases_) {
    const auto found = release.plans.find(entry->board);
    if (found == release.plans.end() || found->second != entry->plan) continue;
    entry->release = release.name;
    entry->date = release.date;
    entry->source += fmt::format(" (release {}{}{})", release.name,
                                 release.date.empty() ? "" : ", ", release.date);
    return;
  }
}

HistorySource HistoryOrder::SourceOf(std::size_t release) const {
  HistorySource source{.least = std::numeric_limits<std::int64_t>::max(),
                       .greatest = RankOfPlan(0),
                       .release = release};
  if (release == releases_.size()) return source;
  for (const auto& [board, plan] : releases_[release].plans) {
    source.least = std::min(source.least, RankOfPlan(plan));
    source.greatest = std::max(source.greatest, RankOfPlan(plan));
  }
  return source;
}

std::int64_t HistoryOrder::PlanAt(std::size_t release, const std::string& board) const {
  const auto found = releases_[release].in_force.find(board);
  return found == releases_[release].in_force.end() ? 0 : found->second;
}

std::string HistoryOrder::ReleaseNames() const {
  std::vector<std::string> names;
  names.reserve(releases_.size());
  for (const OneRelease& release : releases_) names.push_back(release.name);
  return names.empty() ? "" : fmt::format(", and releases {}", fmt::join(names, ", "));
}

}  // namespace fenestra
