// Arrays as .npy files, version 1.0 of NumPy's format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace fenestra::cli {

// Writes `bytes` as a C-ordered array of `shape`; `type` is NumPy's: "<u2", "<f4" or "<f8". Throws
// Error (kMachine) when the file cannot be written whole.
void WriteNpy(const std::filesystem::path& path, std::string_view type,
              std::span<const std::int64_t> shape, std::span<const std::byte> bytes);

}  // namespace fenestra::cli
