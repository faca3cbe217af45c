#include "accuracy/digest.h"

#include <fmt/format.h>

namespace fenestra {

std::uint64_t DigestOf(std::span<const float> values) {
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    digest += DigestTerm(static_cast<std::uint32_t>(i), values[i]);
  }
  return digest;
}

std::string DigestText(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

}  // namespace fenestra
