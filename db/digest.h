// FNV-1a, the digest of texts in the store (http://www.isthe.com/chongo/tech/comp/fnv).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fenestra {

// 64-bit FNV-1a of bytes that come in pieces.
class Fnv1aHash {
 public:
  constexpr void Add(std::string_view bytes) {
    for (char c : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
  }
  constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

// 64-bit FNV-1a of the bytes.
constexpr std::uint64_t Fnv1a(std::string_view bytes) {
  Fnv1aHash hash;
  hash.Add(bytes);
  return hash.value();
}

// 16 lower-case hex digits.
std::string HexDigest(std::string_view bytes);

// True for 16 lower-case hex digits.
bool IsHexDigest(std::string_view text);

}  // namespace fenestra
