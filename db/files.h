// Reading whole files and replacing them atomically.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fenestra {

// The bytes of a regular file of at most `limit_bytes`. Throws Error naming the file.
std::string ReadFile(const std::filesystem::path& path, std::size_t limit_bytes);

// Writes to a temporary name beside `path`, flushes it to the disk and renames it: readers see the
// old bytes or the new ones, never a part. Of a symbolic link the file it points to is replaced.
// Throws Error naming the file, as when it is there and no plain file; then nothing has changed.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);
// The same of several pieces, one behind the other.
void WriteFileAtomically(const std::filesystem::path& path,
                         std::initializer_list<std::string_view> pieces);

}  // namespace fenestra
