#include "kernels/overlap.h"

#include <algorithm>
#include <array>
#include <span>
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
  return bytes;
}

bool IsEmpty(const Extent& e) { return e.tokens < 1 || e.heads < 1 || e.width < 1; }

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

// The multiples i * pitch, 0 <= i < count. Several make sums, of one multiple of each.
struct Steps {
  Wide pitch, count;
};

Wide Reach(std::span<const Steps> steps) {
  Wide reach = 0;
  for (const Steps& one : steps) reach += one.pitch * (one.count - 1);
  return reach;
}

Wide Gcd(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

// Leaves few multiples in `from` and the sums of both as they are, by carrying as between digits:
// `units` of `from` are worth `worth` of `to`. No sum is lost: while a multiple of `from` is at or
// above the new count, which is at least `units`, carry; `times` is enough. None is new: while a
// multiple of `to` is at or above the old count, which is at least `worth`, carry back.
void Carry(Steps* from, Steps* to) {
  const Wide divisor = Gcd(from->pitch, to->pitch);
  const Wide units = to->pitch / divisor;
  const Wide worth = from->pitch / divisor;
  if (units > from->count || worth > to->count) return;
  const Wide times = from->count / units - 1;
  from->count -= times * units;
  to->count += times * worth;
}

bool ByPitch(const Steps& a, const Steps& b) { return a.pitch < b.pitch; }

// How many queries TrySums makes at most, for a range of `window` values.
Wide Queries(std::span<const Steps> steps, Wide window) {
  Wide queries = 1;
  for (std::size_t i = 0; i + 2 < steps.size(); ++i) {
    const Wide in_reach = (Reach(steps.subspan(i + 1)) + window - 1) / steps[i].pitch + 1;
    queries *= std::min(steps[i].count, in_reach);
  }
  return queries;
}

// Whether a sum lies in [low, high]. Two pitches are one query; of more, those multiples of the
// first are tried from which the others reach the range.
bool TrySums(std::span<const Steps> steps, Wide low, Wide high) {
  if (steps.size() > 2) {
    const auto& [pitch, count] = steps[0];
    const std::span<const Steps> rest = steps.subspan(1);
    const Wide last = std::min(count - 1, FloorDiv(high, pitch));
    for (Wide i = std::max<Wide>(0, CeilDiv(low - Reach(rest), pitch)); i <= last; ++i) {
      if (TrySums(rest, low - i * pitch, high - i * pitch)) return true;
    }
    return false;
  }
  const Steps p = steps.empty() ? Steps{0, 1} : steps[0];
  const Steps q = steps.size() < 2 ? Steps{0, 1} : steps[1];
  const Wide reach = q.pitch * (q.count - 1);  // q counted from its other end
  return Hits(p.pitch, p.count, q.pitch, q.count, low - reach, high - reach);
}

// The same with as few queries as can be had. Pitches within one buffer mostly combine: equal ones
// into one, heads side by side into wider rows, every other token into every token. Two or fewer
// are left then: one query.
bool AnySumIn(std::array<Steps, 4> dimensions, Wide low, Wide high) {
  std::sort(dimensions.begin(), dimensions.end(), ByPitch);
  // A sum in [low, high] is one that steps of a byte, high - low + 1 of them, fill up to `high`.
  Steps bytes{1, high - low + 1};
  std::array<Steps, 4> kept{};
  std::size_t count = 0;
  for (Steps& dimension : dimensions) {
    Carry(&dimension, &bytes);
    for (std::size_t i = 0; i < count && dimension.count > 1; ++i) Carry(&dimension, &kept[i]);
    if (dimension.count > 1) kept[count++] = dimension;
  }
  low = high - bytes.count + 1;
  const std::span<Steps> steps = std::span(kept).first(count);
  if (steps.size() <= 2) return TrySums(steps, low, high);

  // Slots of one grid: every sum is a multiple of all pitches' divisor.
  Wide grid = 0;
  for (const Steps& one : steps) grid = Gcd(grid, one.pitch);
  if (FloorDiv(high, grid) * grid < low) return false;
  // The order of fewest queries: with heads inside tokens in both tensors, one for each pair of
  // heads or about two for each token.
  std::array<Steps, 4> best{};
  Wide fewest = -1;
  do {
    const Wide queries = Queries(steps, bytes.count);
    if (fewest >= 0 && queries >= fewest) continue;
    fewest = queries;
    std::copy(steps.begin(), steps.end(), best.begin());
  } while (std::next_permutation(steps.begin(), steps.end(), ByPitch));
  return TrySums(std::span(best).first(steps.size()), low, high);
}

}  // namespace

bool HitsRange(std::int64_t p, std::int64_t n, std::int64_t q, std::int64_t m, std::int64_t low,
               std::int64_t high) {
  return Hits(p, n, q, m, low, high);
}

bool SharesElements(const Extent& first, const Extent& second) {
  if (IsEmpty(first) || IsEmpty(second)) return false;
  const ByteExtent a = InBytes(first);
  const ByteExtent b = InBytes(second);
  if (End(a) <= b.start || End(b) <= a.start) return false;
  // Rows meet iff -a.width < (start of a's row) - (start of b's row) < b.width. With b's rows
  // counted from its last, the difference is a sum of multiples of the pitches less a constant.
  const Wide high = End(b) - a.start - 1;
  return AnySumIn({{{a.token_pitch, a.tokens},
                    {a.head_pitch, a.heads},
                    {b.token_pitch, b.tokens},
                    {b.head_pitch, b.heads}}},
                  high - (a.width + b.width - 2), high);
}

bool OverlapsItself(const Extent& extent) {
  const ByteExtent e = InBytes(extent);
  if (e.tokens > 1 && e.token_pitch < e.width) return true;
  // Two heads, at least one apart, whose starts differ by less than a row, some whole number of
  // tokens apart.
  return Hits(e.token_pitch, e.tokens, e.head_pitch, e.heads - 1, e.head_pitch - e.width + 1,
              e.head_pitch + e.width - 1);
}

}  // namespace fenestra
