// The environment of measurements made by this build on this machine.
#pragma once

#include <optional>

#include "db/records.h"
#include "tuner/gpu_info.h"

namespace fenestra {

// Without a GPU: that of the host model.
Environment ThisEnvironment(const std::optional<GpuInfo>& gpu);

}  // namespace fenestra
