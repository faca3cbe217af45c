#include "tuner/check_digests.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/digest.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tuner/sweep/host_input.h"

namespace fenestra {
namespace {

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

// Digests of programs that this build has, the place they are recorded in, and the place of
// findings.
struct Recorded {
  DwDigests digests;
  std::string_view holder;  // "the evidence"
  std::string_view file;
  std::string_view remedy;
};

// Repeats those of one width.
void Repeat(int width, int sm_count, const Recorded& recorded, int threads,
            std::int64_t max_elements, DigestCheck* check) {
  const auto each = [&](const auto& visit) {
    for (const auto& [program, of_rows] : recorded.digests) {
      const int index = FindProgram(program);
      if (ProgramAt(index).width != width) continue;
      for (const auto& [rows, dw] : of_rows) visit(index, rows, dw);
    }
  };
  std::int64_t largest = 0;
  each([&](int, std::int64_t rows, const std::string&) {
    if (rows <= max_elements / width) {
      largest = std::max(largest, rows);
    } else {
      ++check->left;
    }
  });
  if (largest == 0) return;
  // A row of the normal family does not depend on how many there are: one draw has them all.
  const HostInput input = DrawHostInput({Family::kNormal, 0, largest, width}, sm_count, threads);
  std::vector<float> dw(static_cast<std::size_t>(width));
  each([&](int program, std::int64_t rows, const std::string& then) {
    if (rows > largest) return;
    ++check->repeated;
    std::ranges::fill(dw,
                      std::numeric_limits<float>::quiet_NaN());  // as it is where it is measured
    RunOnHost(program, sm_count, threads, DwCall(input, rows, dw));
    const std::string now = DigestText(DigestOf(dw));
    if (now == then) return;
    check->findings.push_back(
        {Severity::kError, std::string(recorded.file), 0,
         fmt::format("accuracy is stale: dw of {} at {} rows has digest {}, {} in {}",
                     ProgramName(ProgramAt(program)).view(), rows, now, then, recorded.holder),
         std::string(recorded.remedy)});
  });
}

void Repeat(const Board& board, const Recorded& recorded, int threads, std::int64_t max_elements,
            DigestCheck* check) {
  std::set<int> widths;
  for (const auto& [program, of_rows] : recorded.digests) {
    widths.insert(ProgramAt(FindProgram(program)).width);
  }
  for (int width : widths) {
    Repeat(width, board.sm_count, recorded, threads, max_elements, check);
  }
}

void Warn(std::string_view file, std::string message, std::string_view remedy, DigestCheck* check) {
  check->findings.push_back(
      {Severity::kWarning, std::string(file), 0, std::move(message), std::string(remedy)});
}

}  // namespace

DigestCheck CheckDigests(const Evidence& evidence, const Plan& plan, std::string_view file,
                         int threads, std::int64_t max_elements) {
  DigestCheck check;
  Recorded recorded{
      .digests = {},
      .holder = "the evidence",
      .file = file,
      .remedy = "sweep again with `fenestra sweep --only accuracy`, or bring the arithmetic back"};
  const std::set<std::string> twins = RoutedTwins(plan);
  for (const DigestRecord& record : evidence.digests) {
    const DigestKey& key = record.key;
    if (key.board == plan.board && key.seed == 0 && key.protocol == kProtocolVersion &&
        twins.contains(key.program)) {
      recorded.digests[key.program][key.rows] = record.dw;
    }
  }
  for (const std::string& twin : twins) {
    if (recorded.digests.contains(twin)) continue;
    Warn(file, fmt::format("no dw digest of {} is recorded", twin),
         "sweep with `fenestra sweep --only accuracy`", &check);
  }
  Repeat(*FindBoard(plan.board), recorded, threads, max_elements, &check);
  return check;
}

DigestCheck CheckDigests(const ManifestBoard& released, std::string_view file, int threads,
                         std::int64_t max_elements) {
  DigestCheck check;
  Recorded recorded{.digests = released.dw_digests,
                    .holder = "the release",
                    .file = file,
                    .remedy = "bring the arithmetic back, or release again under another name"};
  if (released.protocol != kProtocolVersion) {
    Warn(file,
         fmt::format("it has no dw digests of {} by protocol {}", released.board, kProtocolVersion),
         "check it with the build that it was released with", &check);
    return check;
  }
  std::erase_if(recorded.digests, [&](const auto& of_program) {
    const int program = FindProgram(of_program.first);
    if (program >= 0 && ProgramAt(program).pass == Pass::kBackward) return false;
    Warn(file,
         fmt::format("{}, which {} was released with, is not in this build", of_program.first,
                     released.board),
         "check its dw digests with a build that has it", &check);
    return true;
  });
  Repeat(*FindBoard(released.board), recorded, threads, max_elements, &check);
  return check;
}

}  // namespace fenestra
