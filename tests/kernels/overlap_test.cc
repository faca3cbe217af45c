#include "kernels/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <set>
#include <vector>

namespace fenestra {
namespace {

const void* At(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

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
  return {At(4096 + 2 * static_cast<std::uintptr_t>(draw(0, 60))),
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

// The address of every row's first byte.
std::vector<std::int64_t> RowsOf(const Extent& e) {
  std::vector<std::int64_t> rows;
  for (std::int64_t t = 0; t < e.tokens; ++t) {
    for (std::int64_t h = 0; h < e.heads; ++h) {
      rows.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(e.data)) +
                     (t * e.token_pitch + h * e.head_pitch) * e.element_bytes);
    }
  }
  return rows;
}

bool SharesByRows(const Extent& a, const Extent& b) {
  const std::vector<std::int64_t> of_b = RowsOf(b);
  for (std::int64_t i : RowsOf(a)) {
    for (std::int64_t j : of_b) {
      if (i < j + b.width * b.element_bytes && j < i + a.width * a.element_bytes) return true;
    }
  }
  return false;
}

bool OverlapsByRows(const Extent& e) {
  std::vector<std::int64_t> rows = RowsOf(e);
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] < rows[i - 1] + e.width * e.element_bytes) return true;
  }
  return false;
}

// Short rows far apart, so that three or four pitches often stay apart; multiples of one unit,
// equal or not, as of slices of one buffer, or none.
TEST(Overlap, AgreesWithComparingEveryRow) {
  std::mt19937 random(3);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  std::array<int, 2> cases{};  // apart, sharing; of pitches that all differ
  for (int k = 0; k < 100000; ++k) {
    const std::int64_t unit = std::array{1, 5, 16, 37}[static_cast<std::size_t>(draw(0, 3))];
    const std::int64_t multiple = unit == 1 ? 400 : 9;
    const auto extent = [&] {
      return Extent{At(static_cast<std::uintptr_t>((1 << 20) + draw(0, 40) * unit + draw(0, 5))),
                    draw(1, 8),
                    draw(1, 6),
                    draw(1, 2),
                    unit * draw(-multiple, multiple),
                    unit * draw(-multiple, multiple),
                    static_cast<int>(draw(1, 2))};
    };
    const Extent a = extent();
    Extent b = extent();
    const bool equal_tokens = draw(0, 2) == 0;
    const bool equal_heads = draw(0, 2) == 0;
    if (equal_tokens) b.token_pitch = a.token_pitch;
    if (equal_heads) b.head_pitch = a.head_pitch;
    const bool shares = SharesByRows(a, b);
    ASSERT_EQ(SharesElements(a, b), shares) << "case " << k;
    ASSERT_EQ(SharesElements(b, a), shares) << "case " << k;
    ASSERT_EQ(OverlapsItself(a), OverlapsByRows(a)) << "case " << k;
    if (!equal_tokens && !equal_heads) ++cases[shares ? 1 : 0];
  }
  EXPECT_GT(cases[0], 5000);
  EXPECT_GT(cases[1], 5000);
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
  const Extent a{At(1 << 20), 5000, 1, 256, pitch, 0, 2};
  Extent b{At((1 << 20) + 512), 5000, 1, 256, pitch, 0, 2};
  EXPECT_FALSE(SharesElements(a, b));
  b.data = At((1 << 20) + 510);
  EXPECT_TRUE(SharesElements(a, b));
}

// One by one, the pairs of 65536 heads would take minutes.
class OverlapOfManyHeads : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(1));
  }

  static constexpr std::int64_t kHeads = 65536;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

TEST_F(OverlapOfManyHeads, IsQuickForSlicesThatFold) {
  const Extent a{At(1 << 20), 1000, kHeads, 256, kHeads * 512, 512, 2};
  Extent b = a;
  b.data = At((1 << 20) + 512);
  EXPECT_FALSE(SharesElements(a, b));
  b.data = At((1 << 20) + 510);
  EXPECT_TRUE(SharesElements(a, b));
}

TEST_F(OverlapOfManyHeads, IsQuickForSlicesOfOneBuffer) {
  // [token][q, k or v][head][256]: k begins where q's heads end.
  const Extent q{At(1 << 20), 1000, kHeads, 256, 3 * kHeads * 256, 256, 2};
  Extent k = q;
  k.data = At((1 << 20) + kHeads * 512);
  EXPECT_FALSE(SharesElements(q, k));
  k.data = At((1 << 20) + kHeads * 512 - 2);
  EXPECT_TRUE(SharesElements(q, k));
  // [token][head][q, k or v][256] and a row more at the end of a token.
  const std::int64_t token_pitch = 3 * kHeads * 256 + 256;
  const Extent by_head{At(1 << 20), 1000, kHeads, 256, token_pitch, 768, 2};
  Extent beside = by_head;
  beside.data = At((1 << 20) + 512);
  EXPECT_FALSE(SharesElements(by_head, beside));
  EXPECT_FALSE(OverlapsItself(by_head));
  beside.data = At((1 << 20) + 510);
  EXPECT_TRUE(SharesElements(by_head, beside));
  // v of every other token and every third head; then into the next head's row by 2 bytes.
  beside = {At((1 << 20) + 1024), 500, kHeads / 3, 256, 2 * token_pitch, 2304, 2};
  EXPECT_FALSE(SharesElements(by_head, beside));
  beside.data = At((1 << 20) + 1026);
  EXPECT_TRUE(SharesElements(by_head, beside));
}

TEST_F(OverlapOfManyHeads, IsQuickForPitchesThatDoNotCombine) {
  // In slots of 64 KiB. Row (i, h) of a begins at byte 16 i of its slot, so in the first 16000;
  // each row of b begins in the middle of one.
  constexpr std::int64_t kSlot = 32768;  // in elements
  const Extent a{At(1 << 20), 1000, kHeads, 256, 65539 * kHeads * kSlot + 8, 65539 * kSlot, 2};
  Extent b = a;
  b.data = At((1 << 20) + kSlot);
  b.token_pitch = (65557 * kHeads + 2) * kSlot;
  b.head_pitch = 65557 * kSlot;
  EXPECT_FALSE(SharesElements(a, b));
  EXPECT_FALSE(SharesElements(b, a));
  // b's first row on a's last but for 2 bytes, then beside it.
  const std::int64_t last = 2 * (999 * a.token_pitch + (kHeads - 1) * a.head_pitch);
  b.data = At(static_cast<std::uintptr_t>((1 << 20) + last + 510));
  EXPECT_TRUE(SharesElements(a, b));
  b.data = At(static_cast<std::uintptr_t>((1 << 20) + last + 512));
  EXPECT_FALSE(SharesElements(a, b));
}

}  // namespace
}  // namespace fenestra
