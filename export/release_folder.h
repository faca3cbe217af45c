// A release as it lies in its folder: windows/, CHANGES.md and manifest.json.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "export/release.h"

namespace fenestra {

inline constexpr std::string_view kReleaseWindows = "windows";
inline constexpr std::string_view kReleaseChanges = "CHANGES.md";
inline constexpr std::string_view kReleaseManifest = "manifest.json";
inline constexpr std::size_t kMaxReleaseTextBytes = std::size_t{16} << 20;

// The release in `folder`. Throws Error where a part is missing or cannot be read, or a header is
// not the one that the manifest tells of.
FrozenRelease ReadReleaseFolder(const std::filesystem::path& folder);

}  // namespace fenestra
