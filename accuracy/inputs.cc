#include "accuracy/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "accuracy/error.h"
#include "accuracy/philox_groups.h"
#include "accuracy/sizes.h"

namespace fenestra {
namespace {

// Column scales of h, [width]: kOutlierColumnScale in the chosen columns, 1 elsewhere.
std::vector<float> ColumnScales(const InputDraw& draw) {
  std::vector<float> scales(draw.width, 1.0F);
  for (int run = 0; run < draw.outlier_runs; ++run) {
    scales[OutlierColumn(draw, run)] = kOutlierColumnScale;
  }
  return scales;
}

// Draws the words of a row and sets row[column] = element(column, word, row[column]), [width]. The
// inner loop vectorizes.
template <typename Element>
void FillRow(const InputDraw& draw, Stream stream, std::uint32_t source, std::uint16_t* row,
             Element element) {
  const int quarter = draw.width / 4;
  PhiloxGroups groups;
  for (int first = 0; first < quarter; first += kPhiloxGroups) {
    const int count = std::min(kPhiloxGroups, quarter - first);
    DrawPhiloxGroups(draw.Counter(stream, source, static_cast<std::uint32_t>(first)),
                     KeyOf(draw.seed), count, &groups);
    for (int k = 0; k < 4; ++k) {
      const int start = k * quarter + first;
      for (int i = 0; i < count; ++i) {
        row[start + i] = element(start + i, groups.words[k][i], row[start + i]);
      }
    }
  }
}

void FillRowOfH(const InputDraw& draw, const RowDraw& place, const float* scales,
                std::uint16_t* h) {
  const float row_scale = place.scale;
  FillRow(draw, Stream::kH, place.source, h, [=](int column, std::uint32_t word, std::uint16_t) {
    return ElementOfH(word, arith::Mul(scales[column], row_scale));
  });
}

void FillRowOfDy(const InputDraw& draw, const RowDraw& place, std::uint16_t* dy) {
  FillRow(draw, Stream::kDy, place.source, dy,
          [](int, std::uint32_t word, std::uint16_t) { return ElementOfDy(word); });
  if (!place.mirror) return;
  FillRow(draw, Stream::kNoise, place.row, dy,
          [](int, std::uint32_t word, std::uint16_t partner) { return MirrorDy(partner, word); });
}

}  // namespace

InputDraw MakeDraw(const InputSpec& spec) {
  if (spec.rows < 0 || spec.rows > kMaxRows) {
    throw Error(fmt::format("input: {} rows; give 0 to {}", spec.rows, kMaxRows));
  }
  const bool outlier = spec.family == Family::kOutlier;
  const bool whole_runs =
      !outlier || spec.width < 2 * kOutlierColumnRun || spec.width % kOutlierColumnRun == 0;
  if (spec.width <= 0 || spec.width % 8 != 0 || !whole_runs) {
    throw Error(fmt::format("input: width {} of the {} family; give a multiple of {}", spec.width,
                            ToString(spec.family), whole_runs ? 8 : kOutlierColumnRun));
  }
  InputDraw draw{};
  draw.family = spec.family;
  draw.seed = spec.seed;
  draw.rows = spec.rows;
  draw.width = spec.width;
  if (outlier) draw.outlier_runs = std::max(2, spec.width / kOutlierColumnRun);
  if (spec.family == Family::kCancel) {
    draw.mirrored = spec.rows / 2;
    draw.first_mirror = spec.rows - draw.mirrored;
    draw.permutation_bits = 1;
    while ((std::int64_t{1} << draw.permutation_bits) < draw.mirrored) ++draw.permutation_bits;
    draw.permutation_keys = draw.Words(Stream::kPermutation, 0, 0);
  }
  return draw;
}

void FillInputRows(const InputSpec& spec, std::int64_t first, std::int64_t count,
                   std::span<std::uint16_t> h, std::span<std::uint16_t> dy) {
  const InputDraw draw = MakeDraw(spec);
  if (first < 0 || count < 0 || count > spec.rows - first) {
    throw Error(fmt::format("input fill: rows {} to {} of {}; give rows of the input", first,
                            first + count, spec.rows));
  }
  CheckSize("input fill", "h", h.size(), count, spec.width);
  CheckSize("input fill", "dy", dy.size(), count, spec.width);
  const std::vector<float> scales = ColumnScales(draw);
  for (std::int64_t i = 0; i < count; ++i) {
    const RowDraw place = DrawRow(draw, first + i);
    const std::int64_t at = i * spec.width;
    FillRowOfH(draw, place, scales.data(), h.data() + at);
    FillRowOfDy(draw, place, dy.data() + at);
  }
}

void FillInputs(const InputSpec& spec, std::span<std::uint16_t> h, std::span<std::uint16_t> dy) {
  FillInputRows(spec, 0, spec.rows, h, dy);
}

void FillWeight(std::int64_t seed, int width, std::span<float> w32, std::span<std::uint16_t> w16) {
  CheckSize("weight fill", "the FP32 weight", w32.size(), 1, width);
  CheckSize("weight fill", "the BF16 weight", w16.size(), 1, width);
  for (int column = 0; column < width; ++column) {
    w32[column] = DrawWeight(seed, static_cast<std::uint32_t>(column));
    w16[column] = arith::ToBf16(w32[column]);
  }
}

}  // namespace fenestra
