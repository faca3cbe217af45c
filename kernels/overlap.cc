#include "kernels/overlap.h"

#include <algorithm>
#include <utility>

namespace fenestra {
namespace {

using Wide = __int128;

Wide FloorDiv(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
Wide CeilDiv(Wide a, Wide b) { return -FloorDiv(-a, b); }

// The least i >= 0 with low <= a * i mod m <= high, for 0 <= low <= high < m; -1 when there is
// none. Each step swaps the multiples of a for those of m: O(log m).
Wide FirstInRange(Wide a, Wide m, Wide low, Wide high) {
  if (low == 0) return 0;
  a %= m;
  if (a == 0) return -1;
  const Wide first = CeilDiv(low, a);
  if (first * a <= high) return first;
  // No multiple of a below m is in range: find the least k with a multiple of a in
  // [low + k m, high + k m], which is a range query on k m mod a.
  const Wide k = FirstInRange(m % a, a, (a - high % a) % a, (a - low % a) % a);
  if (k < 0) return -1;
  return CeilDiv(low + k * m, a);
}

struct ByteExtent {
  Wide start;  // address of the first byte of row (0, 0)
  Wide tokens, heads, width, token_pitch, head_pitch;
};

// In bytes, with pitches made positive by counting the dimension from its other end.
ByteExtent InBytes(const Extent& e) {
  const Wide size = e.element_bytes;
  ByteExtent bytes{static_cast<Wide>(reinterpret_cast<std::uintptr_t>(e.data)),
                   e.tokens,
                   e.heads,
                   e.width * size,
                   e.tokens > 1 ? e.token_pitch * size : 0,
                   e.heads > 1 ? e.head_pitch * size : 0};
  for (auto [pitch, count] : {std::pair<Wide*, Wide>{&bytes.token_pitch, bytes.tokens},
                              std::pair<Wide*, Wide>{&bytes.head_pitch, bytes.heads}}) {
    if (*pitch >= 0) continue;
    bytes.start += *pitch * (count - 1);
    *pitch = -*pitch;
  }
  // One dimension where the heads of a token end where the next token begins.
  if (bytes.heads > 1 && bytes.token_pitch == bytes.heads * bytes.head_pitch) {
    bytes.tokens *= bytes.heads;
    bytes.token_pitch = bytes.head_pitch;
    bytes.heads = 1;
    bytes.head_pitch = 0;
  }
  return bytes;
}

Wide End(const ByteExtent& e) {
  return e.start + e.token_pitch * (e.tokens - 1) + e.head_pitch * (e.heads - 1) + e.width;
}

bool Hits(Wide p, Wide n, Wide q, Wide m, Wide low, Wide high) {
  if (n <= 0 || m <= 0 || low > high) return false;
  if (q == 0) {
    // low <= p i <= high for some i < n.
    if (p == 0) return low <= 0 && 0 <= high;
    const Wide i = std::max<Wide>(0, CeilDiv(low, p));
    return i < n && p * i <= high;
  }
  if (p == 0) return Hits(q, m, 0, 1, -high, -low);
  // j may be anything in [0, m): keep the i for which p i - q j can reach the range at all.
  const Wide first = std::max<Wide>(0, CeilDiv(low, p));                     // with j = 0
  const Wide last = std::min<Wide>(n - 1, FloorDiv(high + q * (m - 1), p));  // with j = m - 1
  if (first > last) return false;
  if (high - low + 1 >= q) return true;
  // Some j >= 0 hits at i iff (p i - low) mod q <= high - low, j's bounds being those of i above.
  const Wide span = high - low;
  const Wide offset = ((p * first - low) % q + q) % q;  // at i = first
  if (offset <= span) return true;
  // (offset + p s) mod q in [0, span]  <=>  p s mod q in [q - offset, q - offset + span].
  const Wide from = q - offset;
  const Wide to = std::min<Wide>(q - 1, from + span);
  const Wide step = FirstInRange(p, q, from, to);
  return step >= 0 && first + step <= last;
}

}  // namespace

bool HitsRange(std::int64_t p, std::int64_t n, std::int64_t q, std::int64_t m, std::int64_t low,
               std::int64_t high) {
  return Hits(p, n, q, m, low, high);
}

bool SharesElements(const Extent& first, const Extent& second) {
  if (first.tokens < 1 || second.tokens < 1) return false;
  const ByteExtent a = InBytes(first);
  const ByteExtent b = InBytes(second);
  if (End(a) <= b.start || End(b) <= a.start) return false;
  // Rows meet iff -b.width < (a row's start) - (b row's start) < a.width... for some tokens, heads.
  for (Wide i = 0; i < a.heads; ++i) {
    for (Wide j = 0; j < b.heads; ++j) {
      const Wide gap = b.start + j * b.head_pitch - a.start - i * a.head_pitch;
      if (Hits(a.token_pitch, a.tokens, b.token_pitch, b.tokens, gap - a.width + 1,
               gap + b.width - 1)) {
        return true;
      }
    }
  }
  return false;
}

bool OverlapsItself(const Extent& extent) {
  const ByteExtent e = InBytes(extent);
  if (e.tokens > 1 && e.token_pitch < e.width) return true;
  // Two heads whose starts differ by less than a row, some whole number of tokens apart.
  for (Wide apart = 1; apart < e.heads; ++apart) {
    const Wide gap = apart * e.head_pitch;
    if (Hits(e.token_pitch, e.tokens, 0, 1, gap - e.width + 1, gap + e.width - 1)) return true;
  }
  return false;
}

}  // namespace fenestra
