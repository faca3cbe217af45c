#include "kernels/overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace fenestra {
namespace {

// Every byte of an extent, by walking it.
std::multiset<std::uintptr_t> BytesOf(const Extent& e) {
  std::multiset<std::uintptr_t> bytes;
  for (std::int64_t t = 0; t < e.tokens; ++t) {
    for (std::int64_t h = 0; h < e.heads; ++h) {
      const std::int64_t first = t * e.token_pitch + h * e.head_pitch;
      for (std::int64_t b = 0; b < e.width * e.element_bytes; ++b) {
        bytes.insert(reinterpret_cast<std::uintptr_t>(e.data) +
                     static_cast<std::uintptr_t>(first * e.element_bytes + b));
      }
    }
  }
  return bytes;
}

Extent RandomExtent(std::mt19937* random) {
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(*random);
  };
  return {reinterpret_cast<const void*>(static_cast<std::uintptr_t>(4096 + 2 * draw(0, 60))),
          draw(1, 4),
          draw(1, 3),
          draw(1, 4),
          draw(-20, 20),
          draw(-10, 10),
          2};
}

TEST(Overlap, AgreesWithWalkingEveryByte) {
  std::mt19937 random(1);
  int shared = 0;
  for (int i = 0; i < 20000; ++i) {
    const Extent a = RandomExtent(&random);
    const Extent b = RandomExtent(&random);
    const auto of_a = BytesOf(a);
    const auto of_b = BytesOf(b);
    bool shares = false;
    for (std::uintptr_t byte : of_b) shares = shares || of_a.contains(byte);
    EXPECT_EQ(SharesElements(a, b), shares) << "case " << i;
    const bool repeats = std::set(of_a.begin(), of_a.end()).size() != of_a.size();
    EXPECT_EQ(OverlapsItself(a), repeats) << "case " << i;
    shared += shares ? 1 : 0;
  }
  EXPECT_GT(shared, 1000);
  EXPECT_LT(shared, 19000);
}

TEST(Overlap, HitsRangeAgreesWithTryingEveryPair) {
  std::mt19937 random(2);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int k = 0; k < 50000; ++k) {
    const int p = draw(0, 11), n = draw(0, 7), q = draw(0, 11), m = draw(0, 7);
    const int low = draw(-30, 29);
    const int high = low + draw(-1, 4);
    bool hits = false;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) {
        hits = hits || (low <= p * i - q * j && p * i - q * j <= high);
      }
    }
    EXPECT_EQ(HitsRange(p, n, q, m, low, high), hits) << p << ' ' << n << ' ' << q << ' ' << m;
  }
}

TEST(Overlap, TellsInterleavedSlicesOfHugeBuffers) {
  // Pitches beyond 2^31 elements, tokens in the thousands.
  const std::int64_t pitch = (std::int64_t{1} << 32) + 8;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  const Extent a{at(1 << 20), 5000, 1, 256, pitch, 0, 2};
  Extent b{at((1 << 20) + 512), 5000, 1, 256, pitch, 0, 2};
  EXPECT_FALSE(SharesElements(a, b));
  b.data = at((1 << 20) + 510);
  EXPECT_TRUE(SharesElements(a, b));
}

TEST(Overlap, IsQuickForManyHeads) {
  // Interleaved slices of 65536 heads: pair by pair this would take minutes.
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  const Extent a{at(1 << 20), 1000, 65536, 256, 65536 * 512, 512, 2};
  Extent b{at((1 << 20) + 512), 1000, 65536, 256, 65536 * 512, 512, 2};
  EXPECT_FALSE(SharesElements(a, b));
  b.data = at((1 << 20) + 510);
  EXPECT_TRUE(SharesElements(a, b));
}

}  // namespace
}  // namespace fenestra
