// Seeded inputs, element by element, host-device: any element of h and dy can be drawn alone. What
// an element is follows from the protocol version, family, seed, its row and column, and for the
// cancelling family from the number of rows. Whole tensors: accuracy/inputs.h,
// accuracy/gpu/accuracy_gpu.h.
//
// A row is drawn in groups of four columns: word k of a group's Philox block becomes column
// group + k * width / 4, so that neighbouring groups fill neighbouring columns.
#pragma once

#include <cstdint>

#include "accuracy/protocol.h"
#include "accuracy/random.h"
#include "kernels/arith/scalar.h"

namespace fenestra {

// What a Philox block is drawn for; part of its counter. Append only.
enum class Stream : std::uint32_t {
  kH = 0,
  kDy = 1,
  kNoise = 2,          // of the cancelling rows' dy
  kOutlierColumn = 3,  // which column of a run of columns is scaled
  kOutlierRow = 4,     // which row of 256 is scaled
  kPermutation = 5,    // of the cancelling rows
  kWeight = 6,
  kTokenCounts = 7,
};

inline constexpr float kOutlierColumnScale = 32.0F;
inline constexpr float kOutlierRowScale = 8.0F;
inline constexpr int kOutlierColumnRun = 128;  // columns per scaled one
inline constexpr int kOutlierRowRun = 256;     // rows per scaled one
inline constexpr float kCancelNoise = 0.01F;
inline constexpr float kWeightSpread = 0.1F;

// Which family's numbers: the same seed gives unrelated inputs in each. Weights and token counts
// belong to none.
inline constexpr std::uint32_t kNoFamily = 0xff;

FENESTRA_HD PhiloxKey KeyOf(std::int64_t seed) {
  const auto bits = static_cast<std::uint64_t>(seed);
  return {{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)}};
}

FENESTRA_HD PhiloxCounter CounterOf(std::uint32_t family, Stream stream, std::uint32_t row,
                                    std::uint32_t group) {
  return {{group, row, static_cast<std::uint32_t>(stream),
           static_cast<std::uint32_t>(kProtocolVersion) << 8 | family}};
}

FENESTRA_HD PhiloxCounter DrawWords(std::int64_t seed, std::uint32_t family, Stream stream,
                                    std::uint32_t row, std::uint32_t group) {
  return Philox4x32(CounterOf(family, stream, row, group), KeyOf(seed));
}

// One input, prepared by MakeDraw (inputs.h): a plain value, passed to kernels as it is.
struct InputDraw {
  Family family;
  std::int64_t seed;
  std::int64_t rows;
  int width;         // a positive multiple of 8
  int outlier_runs;  // runs of columns with one scaled column each; 0 outside kOutlier
  // kCancel: rows first_mirror .. rows-1 mirror rows 0 .. mirrored-1, permuted. `mirrored` is
  // rows / 2; an odd count leaves the middle row, `mirrored`, without a partner. 0 elsewhere.
  std::int64_t mirrored;
  std::int64_t first_mirror;
  int permutation_bits;  // the smallest b >= 1 with 2^b >= mirrored
  PhiloxCounter permutation_keys;

  FENESTRA_HD PhiloxCounter Counter(Stream stream, std::uint32_t row, std::uint32_t group) const {
    return CounterOf(static_cast<std::uint32_t>(family), stream, row, group);
  }
  FENESTRA_HD PhiloxCounter Words(Stream stream, std::uint32_t row, std::uint32_t group) const {
    return Philox4x32(Counter(stream, row, group), KeyOf(seed));
  }
};

// Where a row's numbers come from.
struct RowDraw {
  std::uint32_t row;     // its own index: draws the noise
  std::uint32_t source;  // the row whose numbers it has: itself, or its partner
  bool mirror;           // dy is the partner's, negated, with noise
  float scale;           // of h: 1, or kOutlierRowScale
};

// The row that mirror number `index` (0 .. mirrored-1) repeats: a keyed bijection of the integers
// below 2^bits, walked until it lands below `mirrored` (fewer than two steps expected). Its steps,
// an odd multiplication plus a key and a shifted exclusive or, are each bijections.
FENESTRA_HD std::uint32_t MirroredRow(const InputDraw& draw, std::uint32_t index) {
  const std::uint32_t mask = (std::uint32_t{1} << draw.permutation_bits) - 1;
  const int shift = (draw.permutation_bits + 1) / 2;
  std::uint32_t x = index;
  do {
    for (int step = 0; step < 4; ++step) {
      x = (x * 0x9E3779B1U + draw.permutation_keys.words[step]) & mask;
      x ^= x >> shift;
    }
  } while (x >= draw.mirrored);
  return x;
}

FENESTRA_HD RowDraw DrawRow(const InputDraw& draw, std::int64_t row) {
  const auto index = static_cast<std::uint32_t>(row);
  RowDraw place{index, index, false, 1.0F};
  if (draw.family == Family::kOutlier) {
    const std::uint32_t run = index / kOutlierRowRun;
    const std::uint32_t word = draw.Words(Stream::kOutlierRow, run, 0).words[0];
    const std::uint32_t chosen = run * kOutlierRowRun + ScaleWord(word, kOutlierRowRun);
    if (index == chosen) place.scale = kOutlierRowScale;
  } else if (draw.family == Family::kCancel && row >= draw.first_mirror) {
    place.source = MirroredRow(draw, static_cast<std::uint32_t>(row - draw.first_mirror));
    place.mirror = true;
  }
  return place;
}

// The scaled column of a run of width / outlier_runs columns.
FENESTRA_HD int OutlierColumn(const InputDraw& draw, int run) {
  const int columns = draw.width / draw.outlier_runs;
  const std::uint32_t word =
      draw.Words(Stream::kOutlierColumn, 0, static_cast<std::uint32_t>(run)).words[0];
  return run * columns + static_cast<int>(ScaleWord(word, static_cast<std::uint32_t>(columns)));
}

// Elements from their words. `scale` is a row's times a column's: a power of two, so that rounding
// to BF16 comes once whatever the order.
FENESTRA_HD std::uint16_t ElementOfH(std::uint32_t word, float scale) {
  return arith::ToBf16(arith::Mul(NormalOf(word), scale));
}
FENESTRA_HD std::uint16_t ElementOfDy(std::uint32_t word) { return arith::ToBf16(NormalOf(word)); }

// A mirrored dy from its partner's: -dy (1 + 0.01 n), rounded to BF16.
FENESTRA_HD std::uint16_t MirrorDy(std::uint16_t partner, std::uint32_t noise_word) {
  const float factor = arith::Fma(kCancelNoise, NormalOf(noise_word), 1.0F);
  return arith::ToBf16(arith::Mul(-arith::FromBf16(partner), factor));
}

// Four elements of a row: columns group + k * width / 4.
struct GroupOfFour {
  std::uint16_t bf16[4];
};

// `column_scale(k)` is the scale of the group's k-th column, 1 or kOutlierColumnScale.
template <typename ColumnScale>
FENESTRA_HD GroupOfFour DrawH(const InputDraw& draw, const RowDraw& place, std::uint32_t group,
                              ColumnScale column_scale) {
  const PhiloxCounter words = draw.Words(Stream::kH, place.source, group);
  GroupOfFour h;
  for (int k = 0; k < 4; ++k) {
    h.bf16[k] = ElementOfH(words.words[k], arith::Mul(column_scale(k), place.scale));
  }
  return h;
}

FENESTRA_HD GroupOfFour DrawDy(const InputDraw& draw, const RowDraw& place, std::uint32_t group) {
  const PhiloxCounter words = draw.Words(Stream::kDy, place.source, group);
  GroupOfFour dy;
  for (int k = 0; k < 4; ++k) dy.bf16[k] = ElementOfDy(words.words[k]);
  if (place.mirror) {
    const PhiloxCounter noise = draw.Words(Stream::kNoise, place.row, group);
    for (int k = 0; k < 4; ++k) dy.bf16[k] = MirrorDy(dy.bf16[k], noise.words[k]);
  }
  return dy;
}

// One element of h or dy, as BF16 bits.
FENESTRA_HD std::uint16_t DrawElementH(const InputDraw& draw, std::int64_t row, int column) {
  const int quarter = draw.width / 4;
  const int group = column % quarter;
  const GroupOfFour h =
      DrawH(draw, DrawRow(draw, row), static_cast<std::uint32_t>(group), [&](int k) {
        if (draw.outlier_runs == 0) return 1.0F;
        const int own = group + k * quarter;
        const int run = own / (draw.width / draw.outlier_runs);
        return own == OutlierColumn(draw, run) ? kOutlierColumnScale : 1.0F;
      });
  return h.bf16[column / quarter];
}

FENESTRA_HD std::uint16_t DrawElementDy(const InputDraw& draw, std::int64_t row, int column) {
  const int quarter = draw.width / 4;
  return DrawDy(draw, DrawRow(draw, row), static_cast<std::uint32_t>(column % quarter))
      .bf16[column / quarter];
}

// The weight of a column: 1 + 0.1 x normal, as FP32. Its BF16 form is this, rounded.
FENESTRA_HD float DrawWeight(std::int64_t seed, std::uint32_t column) {
  const std::uint32_t word =
      DrawWords(seed, kNoFamily, Stream::kWeight, 0, column / 4).words[column % 4];
  return arith::Fma(kWeightSpread, NormalOf(word), 1.0F);
}

}  // namespace fenestra
