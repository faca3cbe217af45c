#include "tuner/cli/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <string>
#include <system_error>

#include "accuracy/error.h"

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
  // Under another name until it is whole: a killed command leaves an older file as it was.
  std::filesystem::path temporary = path;
  temporary += ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (file && !error) return;
  std::filesystem::remove(temporary, error);
  throw Error(
      fmt::format("{}: cannot write it whole: is the disk full, or --out no folder of yours?",
                  path.string()),
      ExitCode::kMachine);
}

}  // namespace fenestra::cli
