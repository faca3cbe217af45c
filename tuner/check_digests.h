// Is the arithmetic still that of the evidence? The host model can tell on any machine.
#pragma once

#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"
#include "export/check.h"

namespace fenestra {

// Runs the backward programs that the plan's windows name through the host model, with the board's
// split, at the least and the largest row count (of at most 2^22 elements) whose dw digest is in
// the evidence. `file` is what findings name.
//
// Errors: a digest differs from the recorded one. Warnings: a program has no digest to compare.
// Programs that this build does not have are left to Check.
std::vector<Finding> CheckDigests(const Evidence& evidence, const Plan& plan, std::string_view file,
                                  int threads);

}  // namespace fenestra
