// FNV-1a, the digest of texts in the store (http://www.isthe.com/chongo/tech/comp/fnv).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fenestra {

// 64-bit FNV-1a of the bytes; with `hash` of what stands before them, of the whole.
constexpr std::uint64_t Fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

// 16 lower-case hex digits.
std::string HexDigest(std::string_view bytes);

// True for 16 lower-case hex digits.
bool IsHexDigest(std::string_view text);

}  // namespace fenestra
