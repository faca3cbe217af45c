#include "accuracy/philox_groups.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace fenestra {

#ifdef __AVX2__
namespace {

// Four blocks, one in the low half of each 64-bit lane, where the widening multiplication wants
// them; left to itself the compiler shuffles back and forth. High halves hold what the
// multiplication ignores. Plain locals: in arrays or structures they would live in memory.
template <typename Join>
inline void DrawFour(__m256i words0, const PhiloxCounter& counter, PhiloxKey key, Join join) {
  const __m256i factor0 = _mm256_set1_epi64x(philox::kFactor0);
  const __m256i factor1 = _mm256_set1_epi64x(philox::kFactor1);
  __m256i words1 = _mm256_set1_epi32(static_cast<int>(counter.words[1]));
  __m256i words2 = _mm256_set1_epi32(static_cast<int>(counter.words[2]));
  __m256i words3 = _mm256_set1_epi32(static_cast<int>(counter.words[3]));
  for (int round = 0; round < philox::kRounds; ++round) {
    const __m256i key0 = _mm256_set1_epi32(static_cast<int>(key.words[0]));
    const __m256i key1 = _mm256_set1_epi32(static_cast<int>(key.words[1]));
    const __m256i even = _mm256_mul_epu32(words0, factor0);
    const __m256i odd = _mm256_mul_epu32(words2, factor1);
    words0 = _mm256_xor_si256(_mm256_srli_epi64(odd, 32), _mm256_xor_si256(words1, key0));
    words1 = odd;
    words2 = _mm256_xor_si256(_mm256_srli_epi64(even, 32), _mm256_xor_si256(words3, key1));
    words3 = even;
    key.words[0] += philox::kKeyStep0;
    key.words[1] += philox::kKeyStep1;
  }
  join(0, words0);
  join(1, words1);
  join(2, words2);
  join(3, words3);
}

// Blocks first to first + 7: the even ones, then the odd ones put between them.
void DrawEight(const PhiloxCounter& counter, PhiloxKey key, PhiloxGroups* groups, int first) {
  const __m256i start = _mm256_set1_epi32(static_cast<int>(counter.words[0]) + first);
  const auto place = [&](int k) { return reinterpret_cast<__m256i*>(groups->words[k] + first); };
  DrawFour(_mm256_add_epi32(start, _mm256_setr_epi32(0, 0, 2, 0, 4, 0, 6, 0)), counter, key,
           [&](int k, __m256i even) { _mm256_store_si256(place(k), even); });
  DrawFour(_mm256_add_epi32(start, _mm256_setr_epi32(1, 0, 3, 0, 5, 0, 7, 0)), counter, key,
           [&](int k, __m256i odd) {
             const __m256i even = _mm256_load_si256(place(k));
             _mm256_store_si256(place(k),
                                _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0b10101010));
           });
}

}  // namespace

void DrawPhiloxGroups(PhiloxCounter counter, PhiloxKey key, int count, PhiloxGroups* groups) {
  for (int first = 0; first < count; first += 8) DrawEight(counter, key, groups, first);
}

#else

void DrawPhiloxGroups(PhiloxCounter counter, PhiloxKey key, int count, PhiloxGroups* groups) {
  const std::uint32_t start = counter.words[0];
  for (int i = 0; i < count; ++i) {
    counter.words[0] = start + static_cast<std::uint32_t>(i);
    const PhiloxCounter block = Philox4x32(counter, key);
    groups->words[0][i] = block.words[0];
    groups->words[1][i] = block.words[1];
    groups->words[2][i] = block.words[2];
    groups->words[3][i] = block.words[3];
  }
}

#endif

}  // namespace fenestra
