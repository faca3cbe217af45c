#include "export/release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "accuracy/median.h"
#include "db/digest.h"
#include "export/header.h"
#include "export/json.h"
#include "kernels/board.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

using Json = OrderedJson;

constexpr int kManifestVersion = 1;

// Windows by what their time, or accuracy, rests on.
template <typename BasisOf>
Json CountBases(const Plan& plan, const BasisOf& basis_of) {
  std::map<Basis, int> counts;
  for (const RoutePlan& route : plan.routes) {
    for (const PlannedWindow& planned : route.windows) ++counts[basis_of(planned.window)];
  }
  Json json = Json::object();
  for (const auto& [basis, count] : counts) json[std::string(ToString(basis))] = count;
  return json;
}

Json EnvironmentsOf(const ReleasedBoard& board) {
  Json list = Json::array();
  for (const Environment& environment : board.evidence.environments) {
    if (std::find(board.plan.environments.begin(), board.plan.environments.end(), environment.id) ==
        board.plan.environments.end()) {
      continue;
    }
    list.push_back(JsonOf(environment));
  }
  return list;
}

Json ProgramsOf(const Plan& plan) {
  std::set<std::string> programs;
  for (const RoutePlan& route : plan.routes) {
    for (const auto* windows : {&route.windows, &route.in_place}) {
      for (const PlannedWindow& planned : *windows) programs.insert(planned.program);
    }
  }
  return Json(programs);
}

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

// The row counts in the change at which dw of the same input has other bits.
std::string BitsText(const Evidence& evidence, std::string_view board, const RouteChange& change) {
  if (change.route.pass == Pass::kForward) return "-";
  const int before = FindProgram(change.before);
  const int after = FindProgram(change.after);
  if (before < 0 || after < 0) return "not measured";
  std::map<std::int64_t, std::map<std::string, std::string>> digests;
  for (const DigestRecord& record : evidence.digests) {
    const DigestKey& key = record.key;
    if (key.board != board || key.width != change.route.width || key.rows <= change.lo ||
        key.rows > change.hi || key.seed != 0) {
      continue;
    }
    digests[key.rows][key.program] = record.dw;
  }
  std::size_t same = 0;
  std::vector<std::int64_t> differ;
  for (const auto& [rows, of_program] : digests) {
    const auto old_dw = of_program.find(std::string(DwTwinName(before).view()));
    const auto new_dw = of_program.find(std::string(DwTwinName(after).view()));
    if (old_dw == of_program.end() || new_dw == of_program.end()) continue;
    if (old_dw->second == new_dw->second) {
      ++same;
    } else {
      differ.push_back(rows);
    }
  }
  if (same == 0 && differ.empty()) return "not measured";
  if (differ.empty()) return "same at " + RowCounts(same);
  return fmt::format("differ at {}", fmt::join(differ, ", "));
}

}  // namespace

ReleasedBoard::ReleasedBoard(Plan chosen, Evidence chosen_from)
    : plan(std::move(chosen)),
      evidence(std::move(chosen_from)),
      header(HeaderText(plan, evidence.environments)) {}

std::string ManifestText(std::string_view name, std::span<const ReleasedBoard> boards) {
  Json manifest{{"release", name},
                {"manifest_version", kManifestVersion},
                {"fenestra", FENESTRA_VERSION},
                {"exact_arithmetic_flags", FENESTRA_EXACT_FLAGS},
                {"boards", Json::array()}};
  std::set<std::string> released;
  for (const ReleasedBoard& board : boards) {
    const Plan& plan = board.plan;
    const Board* known = FindBoard(plan.board);
    released.insert(plan.board);
    std::size_t windows = 0;
    for (const RoutePlan& route : plan.routes) windows += route.windows.size();
    manifest["boards"].push_back(
        {{"board", plan.board},
         {"arch", ToString(known->arch)},
         {"sm_count", known->sm_count},
         {"header", fmt::format("windows/{}.h", plan.board)},
         {"header_digest", HexDigest(board.header)},
         {"evidence_digest", plan.evidence},
         {"margin", plan.margin},
         {"noise", plan.noise},
         {"waivers", plan.waivers.size()},
         {"routes", plan.routes.size()},
         {"windows", windows},
         {"time", CountBases(plan, [](const Window& window) { return window.time; })},
         {"accuracy", CountBases(plan, [](const Window& window) { return window.accuracy; })},
         {"programs", ProgramsOf(plan)},
         {"environments", EnvironmentsOf(board)}});
  }
  Json without = Json::array();
  for (const Board& board : kBoards) {
    if (!released.contains(std::string(board.name))) without.push_back(board.name);
  }
  manifest["boards_without_windows"] = without;
  return manifest.dump(2) + "\n";
}

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

std::string ChangesText(std::string_view name, std::string_view before_name,
                        std::span<const ParsedHeader> before,
                        std::span<const ReleasedBoard> boards) {
  std::string text = before_name.empty() ? fmt::format("# {}\n\nThe first release.\n", name)
                                         : fmt::format("# {} against {}\n", name, before_name);
  for (const ReleasedBoard& board : boards) {
    text += fmt::format("\n## {}\n\n", board.plan.board);
    const ParsedHeader* header = FindHeader(before, board.plan.board);
    if (header == nullptr) {
      text += fmt::format("New: {} routes.\n", board.plan.routes.size());
      continue;
    }
    const std::vector<RouteChange> changes = ChangesOf(*header, board.plan);
    if (changes.empty()) {
      text += "Every call runs what it ran before.\n";
      continue;
    }
    text +=
        "| route | rows | before | now | time now over before | dw bits |\n"
        "| --- | --- | --- | --- | --- | --- |\n";
    for (const RouteChange& change : changes) {
      const bool both = !change.before.empty() && !change.after.empty();
      text += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", ToString(change.route),
                          change.in_place ? " in place" : "", RowsText(change.lo, change.hi),
                          change.before.empty() ? "-" : change.before,
                          change.after.empty() ? "-" : change.after,
                          both ? TimesText(board.evidence, board.plan.board, change) : "-",
                          both ? BitsText(board.evidence, board.plan.board, change) : "-");
    }
  }
  for (const ParsedHeader& gone : before) {
    const bool kept = std::any_of(boards.begin(), boards.end(), [&](const ReleasedBoard& board) {
      return board.plan.board == gone.code_board;
    });
    if (!kept) text += fmt::format("\n## {}\n\nGone.\n", gone.code_board);
  }
  return text;
}

}  // namespace fenestra
