// A plan as the C++ header that the production library compiles.
#pragma once

#include <span>
#include <string>

#include "db/plan.h"
#include "db/records.h"

namespace fenestra {

// Text of kernels/dispatch/windows/<plan.board>.h: the same bytes for the same plan. Decides
// nothing; holds no time and no path. `environments` holds at least those the plan names. Throws
// Error when one is missing, the board is unknown, or a route's windows are not total.
std::string HeaderText(const Plan& plan, std::span<const Environment> environments);

}  // namespace fenestra
