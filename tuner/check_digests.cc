#include "tuner/check_digests.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "accuracy/digest.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tuner/sweep/host_input.h"

namespace fenestra {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 22;  // several tiles a CTA on every width

// Programs whose dw the windows give, as twins share it.
std::set<std::string> RoutedTwins(const Plan& plan) {
  std::set<std::string> twins;
  for (const RoutePlan& route : plan.routes) {
    if (route.route.pass == Pass::kForward) continue;
    for (const auto* windows : {&route.windows, &route.in_place}) {
      for (const PlannedWindow& planned : *windows) {
        const int program = FindProgram(planned.program);
        if (program >= 0) twins.emplace(DwTwinName(program).view());
      }
    }
  }
  return twins;
}

using Recorded = std::map<std::int64_t, const DigestRecord*>;  // by rows

std::map<std::string, Recorded> RecordedDigests(const Evidence& evidence, std::string_view board,
                                                const std::set<std::string>& twins) {
  std::map<std::string, Recorded> recorded;
  for (const DigestRecord& record : evidence.digests) {
    const DigestKey& key = record.key;
    if (key.board != board || key.seed != 0 || key.protocol != kProtocolVersion ||
        key.rows * key.width > kMaxElements || !twins.contains(key.program)) {
      continue;
    }
    recorded[key.program][key.rows] = &record;
  }
  return recorded;
}

}  // namespace

std::vector<Finding> CheckDigests(const Evidence& evidence, const Plan& plan, std::string_view file,
                                  int threads) {
  std::vector<Finding> findings;
  const std::set<std::string> twins = RoutedTwins(plan);
  const std::map<std::string, Recorded> recorded = RecordedDigests(evidence, plan.board, twins);
  // By (width, rows), so that an input is drawn once.
  std::map<std::pair<int, std::int64_t>, std::vector<const DigestRecord*>> compared;
  for (const std::string& twin : twins) {
    const auto found = recorded.find(twin);
    if (found == recorded.end()) {
      findings.push_back({Severity::kWarning, std::string(file), 0,
                          fmt::format("no dw digest of {} is recorded", twin),
                          "sweep with `fenestra sweep --only accuracy`"});
      continue;
    }
    for (const DigestRecord* record :
         std::set{found->second.begin()->second, found->second.rbegin()->second}) {
      compared[{record->key.width, record->key.rows}].push_back(record);
    }
  }
  const int sm_count = FindBoard(plan.board)->sm_count;
  for (const auto& [place, records] : compared) {
    const auto [width, rows] = place;
    const HostInput input = MakeHostInput({Family::kNormal, 0, rows, width}, sm_count, threads);
    for (const DigestRecord* record : records) {
      std::vector<float> dw(static_cast<std::size_t>(width),
                            std::numeric_limits<float>::quiet_NaN());
      RunOnHost(FindProgram(record->key.program), sm_count, threads, DwCall(input, dw));
      const std::string now = DigestText(DigestOf(dw));
      if (now == record->dw) continue;
      findings.push_back(
          {Severity::kError, std::string(file), 0,
           fmt::format("accuracy is stale: dw of {} at {} rows has digest {}, {} in the evidence",
                       record->key.program, rows, now, record->dw),
           "sweep again with `fenestra sweep --only accuracy`, or bring the arithmetic back"});
    }
  }
  return findings;
}

}  // namespace fenestra
