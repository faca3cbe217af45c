#include "export/report.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<DoubtKind, 15> kDoubtKinds{{{DoubtKind::kNoWindows, "no windows"},
                                                {DoubtKind::kStalePlan, "plan out of date"},
                                                {DoubtKind::kNotStored, "no stored plan"},
                                                {DoubtKind::kFailure, "failed measurement"},
                                                {DoubtKind::kNotTimed, "not timed"},
                                                {DoubtKind::kBorrowed, "borrowed"},
                                                {DoubtKind::kStoodIn, "stood in"},
                                                {DoubtKind::kUnclassed, "edge not compared"},
                                                {DoubtKind::kNearMargin, "near the margin"},
                                                {DoubtKind::kWaived, "waived"},
                                                {DoubtKind::kFewInputs, "few inputs"},
                                                {DoubtKind::kFewSessions, "few sessions"},
                                                {DoubtKind::kDiscarded, "lowered clock"},
                                                {DoubtKind::kEnvironments, "several environments"},
                                                {DoubtKind::kUnqualified, "unqualified"}}};

auto WithoutRoutes(const ReportDoubt& doubt) {
  return std::tie(doubt.kind, doubt.rows, doubt.program, doubt.text, doubt.remedy);
}

}  // namespace

std::string_view ToString(DoubtKind kind) { return NameOf(kDoubtKinds, kind); }
std::optional<DoubtKind> ParseDoubtKind(std::string_view text) {
  return ValueOf(kDoubtKinds, text);
}

void MergeDoubts(std::vector<ReportDoubt>* doubts) {
  std::sort(doubts->begin(), doubts->end());
  std::vector<ReportDoubt> merged;
  for (ReportDoubt& doubt : *doubts) {
    if (merged.empty() || WithoutRoutes(merged.back()) != WithoutRoutes(doubt)) {
      merged.push_back(std::move(doubt));
      continue;
    }
    // Its windows out of place and in place may share a doubt: a route is named once.
    std::vector<Route>& routes = merged.back().routes;
    for (const Route& route : doubt.routes) {
      if (std::find(routes.begin(), routes.end(), route) == routes.end()) routes.push_back(route);
    }
  }
  *doubts = std::move(merged);
}

}  // namespace fenestra
