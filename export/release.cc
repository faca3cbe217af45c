#include "export/release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "accuracy/median.h"
#include "accuracy/protocol.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

// Programs at ascending ends of windows.
using Ends = std::map<std::int64_t, std::string>;

// Of one route's table, in order of rows.
std::vector<RouteChange> Changes(const Route& route, const Ends& before, const Ends& after) {
  std::set<std::int64_t> ends;
  for (const auto& [hi, program] : before) ends.insert(hi);
  for (const auto& [hi, program] : after) ends.insert(hi);
  const auto program_at = [](const Ends& windows, std::int64_t hi) {
    const auto found = windows.lower_bound(hi);
    return found == windows.end() ? std::string() : found->second;
  };
  std::vector<RouteChange> changes;
  std::int64_t lo = 0;
  for (std::int64_t hi : ends) {
    RouteChange change{route, lo, hi, program_at(before, hi), program_at(after, hi)};
    lo = hi;
    if (change.before == change.after) continue;
    RouteChange* last = changes.empty() ? nullptr : &changes.back();
    if (last != nullptr && last->hi == change.lo && last->before == change.before &&
        last->after == change.after) {
      last->hi = change.hi;
    } else {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

// The windows of a route before and now, of calls out of place or in place.
struct Tables {
  Ends before;
  Ends after;
};

Ends EndsOf(const std::vector<ParsedWindow>& windows) {
  Ends ends;
  for (const ParsedWindow& parsed : windows) ends[parsed.window.hi] = parsed.program;
  return ends;
}

Ends EndsOf(const std::vector<PlannedWindow>& windows) {
  Ends ends;
  for (const PlannedWindow& planned : windows) ends[planned.window.hi] = planned.program;
  return ends;
}

std::string RowCounts(std::size_t count) {
  return count == 1 ? "1 row count" : fmt::format("{} row counts", count);
}

// Time now over time before, at each (view, rows) in the change that has both, in one process where
// there is one: the smallest and the largest, or "not timed".
std::string TimesText(const Evidence& evidence, std::string_view board, const RouteChange& change) {
  using Place = std::tuple<View, std::int64_t>;
  using Process = std::tuple<std::string, int, int>;
  std::map<Place, std::map<Process, std::pair<double, double>>> times;
  for (const TimeRecord& record : evidence.times) {
    const TimeKey& key = record.key;
    if (key.board != board || key.route != change.route || key.rows <= change.lo ||
        key.rows > change.hi) {
      continue;
    }
    auto& [before, after] =
        times[{key.view, key.rows}][{key.environment, key.session, key.process}];
    if (key.program == change.before) before = static_cast<double>(record.median_ns);
    if (key.program == change.after) after = static_cast<double>(record.median_ns);
  }
  std::vector<double> ratios;
  for (const auto& [place, processes] : times) {
    std::vector<double> paired;
    for (const auto& [process, pair] : processes) {
      if (pair.first > 0 && pair.second > 0) paired.push_back(pair.second / pair.first);
    }
    if (!paired.empty()) ratios.push_back(Median(std::move(paired)));
  }
  if (ratios.empty()) return "not timed";
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return fmt::format("{:.3f} to {:.3f} at {}", *least, *most, RowCounts(ratios.size()));
}

// dw digests of a program, named by its twin, at rows (lo, hi]; none where there is no such
// program.
std::map<std::int64_t, std::string> DigestsIn(const DwDigests& digests, const std::string& program,
                                              std::int64_t lo, std::int64_t hi) {
  const int index = FindProgram(program);
  if (index < 0) return {};
  const auto found = digests.find(std::string(DwTwinName(index).view()));
  if (found == digests.end()) return {};
  return {found->second.upper_bound(lo), found->second.upper_bound(hi)};
}

// Row counts at which both have digests.
struct DwComparison {
  std::size_t same = 0;
  std::vector<std::int64_t> differ;
};

DwComparison Compare(const std::map<std::int64_t, std::string>& before,
                     const std::map<std::int64_t, std::string>& after) {
  DwComparison comparison;
  for (const auto& [rows, dw] : after) {
    const auto old_dw = before.find(rows);
    if (old_dw == before.end()) continue;
    if (old_dw->second == dw) {
      ++comparison.same;
    } else {
      comparison.differ.push_back(rows);
    }
  }
  return comparison;
}

// Those of the board's part of a manifest, where they are of the inputs of now.
const DwDigests* ComparableDigests(const ManifestBoard* before) {
  return before != nullptr && before->protocol == kProtocolVersion ? &before->dw_digests : nullptr;
}

// The row counts in the change at which dw of the same input has other bits. The old bits are those
// that were released, where the manifest has them.
std::string BitsText(const DwDigests& measured, const ManifestBoard* before,
                     const RouteChange& change) {
  if (change.route.pass == Pass::kForward) return "-";
  const DwDigests* released = ComparableDigests(before);
  auto old_digests = released == nullptr
                         ? std::map<std::int64_t, std::string>()
                         : DigestsIn(*released, change.before, change.lo, change.hi);
  old_digests.merge(DigestsIn(measured, change.before, change.lo, change.hi));
  const DwComparison comparison =
      Compare(old_digests, DigestsIn(measured, change.after, change.lo, change.hi));
  if (comparison.same == 0 && comparison.differ.empty()) return "not measured";
  if (comparison.differ.empty()) return "same at " + RowCounts(comparison.same);
  return fmt::format("differ at {}", fmt::join(comparison.differ, ", "));
}

// Whether programs of the release before give the bits that they gave.
std::string StayedText(const DwDigests& measured, const ManifestBoard* before,
                       std::string_view before_name) {
  const DwDigests* released = ComparableDigests(before);
  if (released == nullptr) {
    return fmt::format(
        "Whether programs give the bits of dw that they gave is not told: the manifest of {} holds "
        "no digests of the inputs of now.\n",
        before_name);
  }
  std::size_t same = 0;
  std::size_t programs = 0;
  std::string others;
  for (const auto& [program, of_rows] : *released) {
    const auto found = measured.find(program);
    if (found == measured.end()) continue;
    const DwComparison comparison = Compare(of_rows, found->second);
    same += comparison.same;
    programs += comparison.same > 0 || !comparison.differ.empty() ? 1 : 0;
    if (comparison.differ.empty()) continue;
    others += fmt::format("- `{}` gives other bits of dw than it gave, at {}\n", program,
                          fmt::join(comparison.differ, ", "));
  }
  if (!others.empty()) return others;
  return fmt::format("Programs of {} give the bits of dw that they gave: {} of {} programs.\n",
                     before_name, RowCounts(same), programs);
}

}  // namespace

const ParsedHeader* FindHeader(std::span<const ParsedHeader> headers, std::string_view board) {
  const auto header = std::find_if(headers.begin(), headers.end(), [&](const ParsedHeader& one) {
    return one.code_board == board;
  });
  return header == headers.end() ? nullptr : &*header;
}

std::vector<RouteChange> ChangesOf(const ParsedHeader& before, const Plan& plan) {
  std::map<Route, std::pair<Tables, Tables>> routes;  // out of place, in place
  for (const ParsedRoute& route : before.routes) {
    auto& [out_of_place, in_place] = routes[route.route];
    out_of_place.before = EndsOf(route.windows);
    in_place.before = EndsOf(route.in_place);
  }
  for (const RoutePlan& route : plan.routes) {
    auto& [out_of_place, in_place] = routes[route.route];
    out_of_place.after = EndsOf(route.windows);
    in_place.after = EndsOf(route.in_place);
  }
  std::vector<RouteChange> changes;
  for (const auto& [route, tables] : routes) {
    const std::vector<RouteChange> of_all = Changes(route, tables.first.before, tables.first.after);
    changes.insert(changes.end(), of_all.begin(), of_all.end());
    for (RouteChange& change : Changes(route, tables.second.before, tables.second.after)) {
      if (std::find(of_all.begin(), of_all.end(), change) != of_all.end()) continue;
      change.in_place = true;
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

namespace {

std::string NewBoardText(const ReleasedBoard& board) {
  return fmt::format("\n## {}\n\nNew: {} routes.\n", board.plan.board, board.plan.routes.size());
}

// What changed of a board that the release before had.
std::string ChangedBoardText(const ReleasedBoard& board, const ParsedHeader& header,
                             const FrozenRelease& previous) {
  const DwDigests measured = MeasuredDwDigests(board.evidence, board.plan.board);
  const ManifestBoard* before = FindBoard(previous.manifest, board.plan.board);
  std::string text;
  const std::vector<RouteChange> changes = ChangesOf(header, board.plan);
  if (changes.empty()) {
    text += "Every call runs what it ran before.\n";
  } else {
    text +=
        "| route | rows | before | now | time now over before | dw bits |\n"
        "| --- | --- | --- | --- | --- | --- |\n";
  }
  for (const RouteChange& change : changes) {
    const bool both = !change.before.empty() && !change.after.empty();
    text += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", ToString(change.route),
                        change.in_place ? " in place" : "", RowsText(change.lo, change.hi),
                        change.before.empty() ? "-" : change.before,
                        change.after.empty() ? "-" : change.after,
                        both ? TimesText(board.evidence, board.plan.board, change) : "-",
                        both ? BitsText(measured, before, change) : "-");
  }
  return text + "\n" + StayedText(measured, before, previous.manifest.release);
}

}  // namespace

std::string ChangesText(std::string_view name, const FrozenRelease* previous,
                        std::span<const ReleasedBoard> boards) {
  if (previous == nullptr) {
    std::string text = fmt::format("# {}\n\nThe first release.\n", name);
    for (const ReleasedBoard& board : boards) text += NewBoardText(board);
    return text;
  }
  std::string text = fmt::format("# {} against {}\n", name, previous->manifest.release);
  for (const ReleasedBoard& board : boards) {
    const ParsedHeader* header = FindHeader(previous->headers, board.plan.board);
    text += header == nullptr ? NewBoardText(board)
                              : fmt::format("\n## {}\n\n{}", board.plan.board,
                                            ChangedBoardText(board, *header, *previous));
  }
  for (const ParsedHeader& gone : previous->headers) {
    const bool kept = std::any_of(boards.begin(), boards.end(), [&](const ReleasedBoard& board) {
      return board.plan.board == gone.code_board;
    });
    if (!kept) text += fmt::format("\n## {}\n\nGone.\n", gone.code_board);
  }
  return text;
}

}  // namespace fenestra
