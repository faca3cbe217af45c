#include "tuner/cli/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "db/files.h"

namespace fenestra::cli {

void WriteNpy(const std::filesystem::path& path, std::string_view type,
              std::span<const std::int64_t> shape, std::span<const std::byte> bytes) {
  constexpr std::size_t kAlignment = 64;  // of the data behind the header
  constexpr std::size_t kPrefix = 10;     // magic, version, header length
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                   type, fmt::join(shape, ", "));
  header.resize(
      (kPrefix + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kPrefix - 1, ' ');
  header += '\n';
  std::string magic = "\x93NUMPY";
  magic += '\x01';
  magic += '\0';
  magic += static_cast<char>(header.size() & 0xff);
  magic += static_cast<char>(header.size() >> 8);
  WriteFileAtomically(
      path,
      {magic, header, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
}

}  // namespace fenestra::cli
