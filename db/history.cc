#include "db/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "accuracy/error.h"
#include "db/date.h"
#include "db/text_line.h"
#include "kernels/enum_names.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr EnumNames<HistoryKind, 4> kKinds{{{HistoryKind::kEdge, "edge"},
                                            {HistoryKind::kAccuracy, "accuracy"},
                                            {HistoryKind::kCost, "cost"},
                                            {HistoryKind::kTiming, "timing"}}};

// How far above an edge, as a factor, the points that support it are looked for.
constexpr std::int64_t kReach = 2;

// The readings of the program below a little above the edge: the first row count sampled there.
void AddMeasuredPoints(const Store& store, HistoryEntry* entry) {
  if (!entry->after || entry->kind != EdgeKind::kAccuracy) return;
  const std::int64_t edge = *entry->after;
  const int below = FindProgram(entry->program_below);
  const std::string
      measured =  // the one of its dw twins that is; a program no longer listed, itself
      below < 0 ? entry->program_below : std::string(DwTwinName(below).view());
  for (const AccuracyRecord& record : store.LoadAccuracyAbove(
           entry->board, entry->routes.front().width, measured, edge, edge * kReach)) {
    entry->points.push_back(
        {.source = record.stood_in ? "stood in" : "measured",
         .board = record.key.board,
         .weight = "both",
         .at = std::to_string(record.key.rows),
         .statistic = fmt::format("worst of {} {}", record.key.inputs, ToString(record.key.family)),
         .program = record.key.program,
         .reference = std::string(ToString(record.key.reference)),
         .fraction = text::FieldOf(record.worst),
         .comparator_fraction = "",
         .family = std::string(ToString(record.key.family)),
         .seed = record.worst_seed,
         .column = record.worst_column,
         .environment = record.environment});
  }
}

// What a name on the command line stands for among sources: the ranks that it covers, or a release.
struct Source {
  std::int64_t least = 0;
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  std::optional<std::size_t> release;  // its place among releases; then the ranks are of its plans
};

// The order of sources: pull requests as their tables name them, then plans by number. A release
// stands for the plans since the release before it, board by board, up to its own.
class Order {
 public:
  // `entries` are those published, the oldest source first; `releases` as Store::ListReleases has
  // them.
  Order(const std::vector<HistoryEntry>& entries, const std::vector<Release>& releases) {
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
        releases_.push_back(
            {.name = release.name, .date = release.date, .plans = {}, .in_force = {}});
        if (releases_.size() > 1)
          releases_.back().in_force = std::prev(releases_.end(), 2)->in_force;
      }
      releases_.back().plans[release.board] = release.plan;
      releases_.back().in_force[release.board] = release.plan;
    }
  }

  // Whether a plan can be of a source up to `last`.
  bool ReachesPlans(const Source& last) const { return last.greatest >= RankOfPlan(0); }

  std::int64_t RankOf(const HistoryEntry& entry) const {
    if (entry.plan > 0) return RankOfPlan(entry.plan);
    return std::find(published_.begin(), published_.end(), entry.source) - published_.begin();
  }

  // The first source that --from asks for, the last that --to does. A date stands for the first
  // release of that day or later, or for the last of that day or earlier. What was published, and
  // releases that tell no date, come before all dates.
  Source First(std::string_view name) const {
    if (!IsDate(name)) return Find(name, "--from");
    const auto dated = std::ranges::find_if(
        releases_, [&](const OneRelease& release) { return release.date >= name; });
    return SourceOf(static_cast<std::size_t>(dated - releases_.begin()));
  }
  Source Last(std::string_view name) const {
    if (!IsDate(name)) return Find(name, "--to");
    std::size_t count = releases_.size();
    while (count > 0 && releases_[count - 1].date > name) --count;
    if (count > 0) return SourceOf(count - 1);
    return {.least = 0, .greatest = RankOfPlan(0), .release = std::nullopt};
  }

  // `option` leads the Error.
  Source Find(std::string_view name, std::string_view option) const {
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
    if (name.starts_with(kPlan) && text::ReadField(name.substr(kPlan.size()), &plan)) {
      ranks.push_back(RankOfPlan(plan));
    }
    if (ranks.empty()) {
      throw Error(fmt::format("{} '{}': no such source; there are {}, dates, plans as 'plan 3'{}",
                              option, name, fmt::join(published_, ", "), ReleaseNames()));
    }
    const auto [least, greatest] = std::minmax_element(ranks.begin(), ranks.end());
    return {.least = *least, .greatest = *greatest, .release = std::nullopt};
  }

  bool IsFrom(const Source& first, const HistoryEntry& entry) const {
    if (!first.release || entry.plan == 0) return RankOf(entry) >= first.least;
    return *first.release == 0 || entry.plan > PlanAt(*first.release - 1, entry.board);
  }
  bool IsUpTo(const Source& last, const HistoryEntry& entry) const {
    if (!last.release || entry.plan == 0) return RankOf(entry) <= last.greatest;
    return entry.plan <= PlanAt(*last.release, entry.board);
  }

  // Names the first release that ships the entry's plan: "plan 3 (release 0.3, 2026-11-30)".
  void NameRelease(HistoryEntry* entry) const {
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

 private:
  struct OneRelease {
    std::string name;
    std::string date;                              // "" where none was told
    std::map<std::string, std::int64_t> plans;     // by board, of the release itself
    std::map<std::string, std::int64_t> in_force;  // and of the one before where it lacks a board
  };

  // "#8253 interim commit" is a state of "#8253".
  static bool IsStateOf(std::string_view source, std::string_view name) {
    return source.size() > name.size() && source.starts_with(name) && source[name.size()] == ' ';
  }

  // Of a release by its place; one past the last stands for what no release has yet.
  Source SourceOf(std::size_t release) const {
    Source source{.least = std::numeric_limits<std::int64_t>::max(),
                  .greatest = RankOfPlan(0),
                  .release = release};
    if (release == releases_.size()) return source;
    for (const auto& [board, plan] : releases_[release].plans) {
      source.least = std::min(source.least, RankOfPlan(plan));
      source.greatest = std::max(source.greatest, RankOfPlan(plan));
    }
    return source;
  }

  std::int64_t RankOfPlan(std::int64_t plan) const { return std::ssize(published_) + plan; }

  // The plan of a board that a release leaves in force; 0 when there is none.
  std::int64_t PlanAt(std::size_t release, const std::string& board) const {
    const auto found = releases_[release].in_force.find(board);
    return found == releases_[release].in_force.end() ? 0 : found->second;
  }

  std::string ReleaseNames() const {
    std::vector<std::string> names;
    names.reserve(releases_.size());
    for (const OneRelease& release : releases_) names.push_back(release.name);
    return names.empty() ? "" : fmt::format(", and releases {}", fmt::join(names, ", "));
  }

  std::vector<std::string> published_;
  std::vector<OneRelease> releases_;
};

// The first and the last source that the filter asks for.
struct Sources {
  Source first;
  Source last;
};

Sources SourcesOf(const Order& order, const HistoryFilter& filter) {
  Sources sources;
  if (!filter.first_source.empty()) sources.first = order.First(filter.first_source);
  if (!filter.last_source.empty()) sources.last = order.Last(filter.last_source);
  // Between two days there need be no release.
  const bool days = IsDate(filter.first_source) && IsDate(filter.last_source);
  const bool turned = days ? filter.first_source > filter.last_source
                      : sources.first.release && sources.last.release
                          ? *sources.first.release > *sources.last.release
                          : sources.first.least > sources.last.greatest;
  if (turned) {
    throw Error(fmt::format("--from {} comes after --to {}: turn them round", filter.first_source,
                            filter.last_source));
  }
  return sources;
}

// Keeps those sources, the oldest first; of each its edges, then its figures.
void SelectSources(const Order& order, const Sources& sources, std::vector<HistoryEntry>* entries) {
  std::erase_if(*entries, [&](const HistoryEntry& entry) {
    return !order.IsFrom(sources.first, entry) || !order.IsUpTo(sources.last, entry);
  });
  std::stable_sort(entries->begin(), entries->end(),
                   [&](const HistoryEntry& a, const HistoryEntry& b) {
                     return order.RankOf(a) < order.RankOf(b);
                   });
}

std::vector<HistoryEntry> AllPublished(const std::vector<PublishedRecord>& published) {
  std::vector<HistoryEntry> entries = PublishedHistory(published);
  for (HistoryEntry& figure : PublishedFigures(published, entries)) {
    entries.push_back(std::move(figure));
  }
  return entries;
}

// Whether the row counts an entry speaks of meet from .. to.
bool MeetsRows(const HistoryEntry& entry, std::int64_t from, std::int64_t to) {
  const auto lies_within = [&](const std::optional<std::int64_t>& position) {
    return position && *position >= from && *position <= to;
  };
  if (entry.what == HistoryKind::kEdge) {
    return lies_within(entry.before) || lies_within(entry.after);
  }
  // Of a figure that names no row count, any may be meant.
  return entry.last == 0 || (entry.first <= to && entry.last >= from);
}

// Whether the plans of a board can give an entry that matches; PlanHistory refuses a board that is
// not known.
bool PlansMayMatch(const std::string& name, const HistoryFilter& filter) {
  if (filter.what && *filter.what != HistoryKind::kEdge) return false;
  if (!filter.board.empty() && name != filter.board) return false;
  const Board* board = FindBoard(name);
  return !filter.arch || board == nullptr || board->arch == *filter.arch;
}

void CheckBoard(const HistoryFilter& filter) {
  if (filter.board.empty()) return;
  const Board* board = FindBoard(filter.board);
  if (board == nullptr) {
    throw Error(
        fmt::format("--board {}: no such board; 'fenestra boards' lists them", filter.board));
  }
  if (filter.arch && *filter.arch != board->arch) {
    throw Error(fmt::format("--board {} is of {}, and --arch asks for {}: leave one out",
                            filter.board, ToString(board->arch), ToString(*filter.arch)));
  }
}

}  // namespace

std::string_view ToString(HistoryKind kind) { return NameOf(kKinds, kind); }
std::optional<HistoryKind> ParseHistoryKind(std::string_view text) { return ValueOf(kKinds, text); }

bool Matches(const HistoryEntry& entry, const HistoryFilter& filter) {
  if (filter.arch && entry.arch != *filter.arch) return false;
  if (filter.what && entry.what != *filter.what) return false;
  if (!filter.board.empty()) {
    const Board* board = FindBoard(filter.board);
    if (entry.plan == 0 ? board == nullptr || board->arch != entry.arch
                        : entry.board != filter.board) {
      return false;
    }
  }
  if (filter.kind && entry.kind != filter.kind) return false;
  if (!MeetsRows(entry, filter.from, filter.to)) return false;
  return std::any_of(entry.routes.begin(), entry.routes.end(), [&](const Route& route) {
    return MatchesGlob(ToString(route), filter.routes);
  });
}

std::vector<HistoryEntry> History(const std::vector<PublishedRecord>& published,
                                  const HistoryFilter& filter) {
  CheckBoard(filter);
  std::vector<HistoryEntry> entries = AllPublished(published);
  const Order order(entries, {});
  std::erase_if(entries, [&](const HistoryEntry& entry) { return !Matches(entry, filter); });
  SelectSources(order, SourcesOf(order, filter), &entries);
  return entries;
}

std::vector<HistoryEntry> History(const Store& store, const HistoryFilter& filter) {
  CheckBoard(filter);
  std::vector<HistoryEntry> entries = AllPublished(store.LoadPublished());
  const Order order(entries, store.ListReleases());
  const Sources sources = SourcesOf(order, filter);
  for (const std::string& board : store.PlannedBoards()) {
    if (!order.ReachesPlans(sources.last) || !PlansMayMatch(board, filter)) continue;
    for (HistoryEntry& entry : PlanHistory(store.LoadPlans(board, filter.routes))) {
      entries.push_back(std::move(entry));
    }
  }
  std::erase_if(entries, [&](const HistoryEntry& entry) { return !Matches(entry, filter); });
  SelectSources(order, sources, &entries);
  for (HistoryEntry& entry : entries) {
    if (entry.plan == 0) continue;
    AddMeasuredPoints(store, &entry);
    order.NameRelease(&entry);
  }
  return entries;
}

std::vector<std::int64_t> PositionsOf(const std::vector<HistoryEntry>& entries) {
  std::vector<std::int64_t> positions;
  const auto add = [&positions](const std::optional<std::int64_t>& position) {
    if (position && (positions.empty() || positions.back() != *position)) {
      positions.push_back(*position);
    }
  };
  for (const HistoryEntry& entry : entries) {
    add(entry.before);
    add(entry.after);
  }
  return positions;
}

}  // namespace fenestra
