// Checks of a call's arguments, before anything is launched, and their translation into what the
// launchers take. Host code only: nothing here touches the device.
#pragma once

#include "kernels/launch/call.h"
#include "kernels/status.h"
#include "kernels/tensor.h"

namespace fenestra {

// Ok, or the first field that is out of range: tokens and heads (below 2^31 rows), width, weight
// dtype, determinism.
Status CheckShape(const Shape& shape);

// Ok, or the first argument that is wrong. On Ok, `call` is filled in (but for the workspace) and
// `in_place` tells whether y overlays x, or dx overlays dy, which not every program allows (the
// residual stream may be overlaid in all of them). Calls of no rows check the shape alone.
Status Validate(const ForwardArguments& arguments, launch::ForwardCall* call, bool* in_place);
Status Validate(const BackwardArguments& arguments, launch::BackwardCall* call, bool* in_place);

// The workspace must not share elements with any tensor of the call. `bytes` > 0.
Status ValidateWorkspace(const BackwardArguments& arguments, const void* workspace,
                         std::int64_t bytes);

}  // namespace fenestra
