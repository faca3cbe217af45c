#include "db/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "accuracy/error.h"
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

// Names the releases that ship a plan: "plan 3 (release 1.2)".
void NameReleases(const std::vector<Release>& releases, HistoryEntry* entry) {
  for (const Release& release : releases) {
    if (release.plan == entry->plan) entry->source += fmt::format(" (release {})", release.name);
  }
}

// The order of sources: pull requests as their tables name them, then plans by number.
class Order {
 public:
  // `entries` are those published, the oldest source first.
  Order(const std::vector<HistoryEntry>& entries, std::vector<Release> releases)
      : releases_(std::move(releases)) {
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
  }

  // Whether a plan can be of a rank up to `last`.
  bool ReachesPlans(std::int64_t last) const { return last >= RankOfPlan(0); }

  std::int64_t RankOf(const HistoryEntry& entry) const {
    if (entry.plan > 0) return RankOfPlan(entry.plan);
    return std::find(published_.begin(), published_.end(), entry.source) - published_.begin();
  }

  // The least and the greatest rank that a name stands for. `option` leads the Error.
  std::pair<std::int64_t, std::int64_t> RanksOf(std::string_view name,
                                                std::string_view option) const {
    std::vector<std::int64_t> ranks;
    for (const Release& release : releases_) {
      if (release.name == name) ranks.push_back(RankOfPlan(release.plan));
    }
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
      throw Error(fmt::format("{} '{}': no such source; there are {}, plans as 'plan 3'{}", option,
                              name, fmt::join(published_, ", "), ReleaseNames()));
    }
    const auto [least, greatest] = std::minmax_element(ranks.begin(), ranks.end());
    return {*least, *greatest};
  }

 private:
  // "#8253 interim commit" is a state of "#8253".
  static bool IsStateOf(std::string_view source, std::string_view name) {
    return source.size() > name.size() && source.starts_with(name) && source[name.size()] == ' ';
  }

  std::int64_t RankOfPlan(std::int64_t plan) const { return std::ssize(published_) + plan; }

  std::string ReleaseNames() const {
    std::vector<std::string> names;
    for (const Release& release : releases_) {
      if (names.empty() || names.back() != release.name) names.push_back(release.name);
    }
    return names.empty() ? "" : fmt::format(", and releases {}", fmt::join(names, ", "));
  }

  std::vector<std::string> published_;
  std::vector<Release> releases_;
};

// Ranks of sources, both included.
struct Sources {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// The sources that the filter asks for.
Sources SourcesOf(const Order& order, const HistoryFilter& filter) {
  Sources sources;
  if (!filter.first_source.empty()) {
    sources.first = order.RanksOf(filter.first_source, "--from").first;
  }
  if (!filter.last_source.empty()) sources.last = order.RanksOf(filter.last_source, "--to").second;
  if (sources.first > sources.last) {
    throw Error(fmt::format("--from {} comes after --to {}: turn them round", filter.first_source,
                            filter.last_source));
  }
  return sources;
}

// Keeps those sources, the oldest first; of each its edges, then its figures.
void SelectSources(const Order& order, const Sources& sources, std::vector<HistoryEntry>* entries) {
  std::erase_if(*entries, [&](const HistoryEntry& entry) {
    const std::int64_t rank = order.RankOf(entry);
    return rank < sources.first || rank > sources.last;
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
  if (filter.board.empty() || FindBoard(filter.board) != nullptr) return;
  throw Error(fmt::format("--board {}: no such board; 'fenestra boards' lists them", filter.board));
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
  const std::vector<Release> releases = store.ListReleases();
  const Order order(entries, releases);
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
    NameReleases(releases, &entry);
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
