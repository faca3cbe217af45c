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

// Digests of programs that this build has, the place they are recorded in, and the place of
// findings.
struct Recorded {
  DwDigests digests;
  std::string_view holder;  // "the evidence"
  std::string_view file;
  std::string remedy;
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
    // As it is where it is measured: an element nobody writes shows.
    std::ranges::fill(dw, std::numeric_limits<float>::quiet_NaN());
    RunOnHost(program, sm_count, threads, DwCall(input, rows, dw));
    const std::string now = DigestText(DigestOf(dw));
    if (now == then) return;
    check->findings.push_back(
        {Severity::kError, std::string(recorded.file), 0,
         fmt::format("accuracy is stale: dw of {} at {} rows has digest {}, {} in {}",
                     ProgramName(ProgramAt(program)).view(), rows, now, then, recorded.holder),
         recorded.remedy});
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
      .digests = RoutedDwDigests(evidence, plan),
      .holder = "the evidence",
      .file = file,
      .remedy = "sweep again with `fenestra sweep --only accuracy`, or bring the arithmetic back"};
  std::erase_if(recorded.digests,
                [](const auto& of_program) { return FindProgram(of_program.first) < 0; });
  for (const std::string& name : RoutedDw(plan)) {
    if (FindProgram(name) < 0 || recorded.digests.contains(name)) continue;
    Warn(file, fmt::format("no dw digest of {} is recorded", name),
         "sweep with `fenestra sweep --only accuracy`", &check);
  }
  Repeat(*FindBoard(plan.board), recorded, threads, max_elements, &check);
  return check;
}

DigestCheck CheckDigests(const ManifestBoard& released, const Plan& plan, std::string_view file,
                         int threads, std::int64_t max_elements) {
  DigestCheck check;
  Recorded recorded{.digests = released.dw_digests,
                    .holder = "the release",
                    .file = file,
                    .remedy = fmt::format("bring the arithmetic back, or {}", kRestoreRelease)};
  if (released.protocol != kProtocolVersion) {
    Warn(file,
         fmt::format("it has no dw digests of {} by protocol {}", released.board, kProtocolVersion),
         "check it with the build that it was released with", &check);
    return check;
  }
  for (const std::string& name : RoutedDw(plan)) {
    if (recorded.digests.contains(name)) continue;
    Warn(file, fmt::format("{} has no dw digest of {}, which it routes", released.board, name),
         kRestoreRelease, &check);
  }
  std::erase_if(recorded.digests, [&](const auto& of_program) {
    if (FindProgram(of_program.first) >= 0) return false;
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
