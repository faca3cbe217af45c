#include "accuracy/eager.h"

#include <algorithm>
#include <array>
#include <vector>

#include "accuracy/eager_order.h"
#include "accuracy/error.h"
#include "accuracy/sizes.h"

namespace fenestra {
namespace {

float SumOfSquares(const std::uint16_t* h, int width) {
  std::array<float, eager::kRowSlots> slots{};
  for (int first = 0; first < width; first += eager::kRowSlots) {
    const int count = std::min(eager::kRowSlots, width - first);
    for (int i = 0; i < count; ++i) {
      const float value = arith::FromBf16(h[first + i]);
      slots[i] = arith::Add(slots[i], arith::Mul(value, value));
    }
  }
  std::array<float, eager::kRowLanes> lanes;
  for (int lane = 0; lane < eager::kRowLanes; ++lane) {
    const float* four = slots.data() + std::size_t{4} * lane;
    lanes[lane] = eager::CombineFour(four[0], four[1], four[2], four[3]);
  }
  for (int offset = 1; offset < eager::kRowLanes; offset *= 2) {
    for (int lane = 0; lane + offset < eager::kRowLanes; lane += 2 * offset) {
      lanes[lane] = arith::Add(lanes[lane], lanes[lane + offset]);
    }
  }
  return lanes[0];
}

void AddRow(int width, const float* __restrict row, float* __restrict sums) {
  for (int column = 0; column < width; ++column) {
    sums[column] = arith::Add(sums[column], row[column]);
  }
}

// sums[column] += term, for one row.
void AddTerms(int width, const std::uint16_t* __restrict h, const std::uint16_t* __restrict dy,
              float rstd, float* __restrict sums) {
  for (int column = 0; column < width; ++column) {
    const float term = eager::TermOf(arith::FromBf16(h[column]), arith::FromBf16(dy[column]), rstd);
    sums[column] = arith::Add(sums[column], term);
  }
}

// The four accumulators of a lane, [4, width], joined into `sums`, [width].
void CombineAccumulators(int width, const float* four, float* sums) {
  for (int column = 0; column < width; ++column) {
    sums[column] = eager::CombineFour(four[column], four[width + column], four[2 * width + column],
                                      four[3 * width + column]);
  }
}

// Joins 16 lanes, [16, width]; the sum is then in the first.
void JoinLanes(int width, float* lanes) {
  eager::ForLaneTree([&](int to, int from) {
    AddRow(width, lanes + static_cast<std::size_t>(from) * width,
           lanes + static_cast<std::size_t>(to) * width);
  });
}

}  // namespace

void EagerRstd(std::int64_t rows, int width, std::span<const std::uint16_t> h,
               std::span<float> rstd) {
  CheckSize("eager rstd", "h", h.size(), rows, width);
  CheckSize("eager rstd", "rstd", rstd.size(), rows, 1);
  if (width % 4 != 0) throw Error("eager rstd: width must be a multiple of 4");
  for (std::int64_t row = 0; row < rows; ++row) {
    rstd[row] = eager::RstdOf(SumOfSquares(h.data() + row * width, width), width);
  }
}

void EagerDw(std::int64_t rows, int width, std::span<const std::uint16_t> h,
             std::span<const std::uint16_t> dy, std::span<const float> rstd, std::span<float> dw) {
  CheckSize("eager dw", "h", h.size(), rows, width);
  CheckSize("eager dw", "dy", dy.size(), rows, width);
  CheckSize("eager dw", "rstd", rstd.size(), rows, 1);
  CheckSize("eager dw", "dw", dw.size(), 1, width);
  const std::size_t columns = width;
  std::vector<float> four(eager::kAccumulators * columns);
  std::vector<float> lanes(eager::kLanes * columns);
  std::vector<float> split_lanes(eager::kLanes * columns, 0.0F);
  const std::int64_t splits = eager::SplitsOf(rows);
  for (std::int64_t split = 0; split < splits; ++split) {
    for (int lane = 0; lane < eager::kLanes; ++lane) {
      std::fill(four.begin(), four.end(), 0.0F);
      eager::ForRowsOfLane(rows, splits, split, lane, [&](int accumulator, std::int64_t row) {
        AddTerms(width, h.data() + row * width, dy.data() + row * width, rstd[row],
                 four.data() + accumulator * columns);
      });
      CombineAccumulators(width, four.data(), lanes.data() + lane * columns);
    }
    JoinLanes(width, lanes.data());
    AddRow(width, lanes.data(), split_lanes.data() + split % eager::kLanes * columns);
  }
  JoinLanes(width, split_lanes.data());
  std::copy_n(split_lanes.begin(), columns, dw.begin());
}

}  // namespace fenestra
