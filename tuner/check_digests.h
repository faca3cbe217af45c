// Is the arithmetic still that of the evidence, or of a release? The host model can tell on any
// machine.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"
#include "export/check.h"
#include "export/manifest.h"

namespace fenestra {

// Digests of larger inputs take seconds each, and are left out where no more is asked for.
inline constexpr std::int64_t kFewElements = std::int64_t{1} << 22;
inline constexpr std::int64_t kAnyElements = std::numeric_limits<std::int64_t>::max();

struct DigestCheck {
  std::vector<Finding> findings;
  int repeated = 0;
  int left = 0;  // of inputs of more elements than were asked for
};

// Runs the backward programs that the plan's windows name through the host model, with the board's
// split, at every row count of at most `max_elements` whose dw digest is in the evidence. `file` is
// what findings name.
//
// Errors: a digest differs from the recorded one. Warnings: a program has no digest to compare.
// Programs that this build does not have are left to Check.
DigestCheck CheckDigests(const Evidence& evidence, const Plan& plan, std::string_view file,
                         int threads, std::int64_t max_elements = kFewElements);

// The same of the digests that a release's manifest has of a board; `plan`: of its header.
// Warnings: a routed program has none; a program is not in this build, or the digests are of inputs
// of another protocol: then they are not compared.
DigestCheck CheckDigests(const ManifestBoard& released, const Plan& plan, std::string_view file,
                         int threads, std::int64_t max_elements = kFewElements);

}  // namespace fenestra
