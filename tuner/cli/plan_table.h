// Plans for people and for programs.
#pragma once

#include "db/plan.h"
#include "tuner/cli/output.h"

namespace fenestra::cli {

// One line a window.
Table TableOf(const Plan& plan);

// Everything in the plan; classes, kinds and bases in their text forms.
Json JsonOf(const Plan& plan);

}  // namespace fenestra::cli
