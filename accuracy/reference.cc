#include "accuracy/reference.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "accuracy/sizes.h"

namespace fenestra {
namespace {

using Doubles = Eigen::ArrayXd;

float FloatOfBf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t RoundToBf16(float value) {
  if (std::isnan(value)) return 0x7fff;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t below = bits & 0xffffU;
  const std::uint32_t kept = bits >> 16;
  const bool up = below > 0x8000U || (below == 0x8000U && kept % 2 == 1);
  return static_cast<std::uint16_t>(up ? kept + 1 : kept);
}

// A row of BF16 as FP64.
void Widen(const std::uint16_t* __restrict bits, Doubles* values) {
  double* __restrict out = values->data();
  const Eigen::Index size = values->size();
  for (Eigen::Index i = 0; i < size; ++i) out[i] = FloatOfBf16(bits[i]);
}

// Columns summed abreast: what a step touches stays in the first-level cache.
constexpr int kBlockColumns = 256;

// The column sums of one chain over a block of columns in double-double: the value is high + low,
// with high the FP64 nearest to it. Source: Dekker, A floating-point technique for extending the
// available precision (1971); Knuth's branch-free two-sum.
class ChainSums {
 public:
  explicit ChainSums(Eigen::Index columns)
      : high_(Doubles::Zero(columns)), low_(Doubles::Zero(columns)) {}

  const Doubles& high() const { return high_; }

  void Add(const Doubles& term) {
    const Doubles sum = high_ + term;
    const Doubles part = sum - high_;
    low_ += (high_ - (sum - part)) + (term - part);
    high_ = sum + low_;
    low_ -= high_ - sum;
  }

  void Add(const ChainSums& other) {
    low_ += other.low_;
    Add(other.high_);
  }

 private:
  Doubles high_;
  Doubles low_;
};

// All chains of one block of columns, joined: the FP64 sums of columns first .. first+count-1.
struct BlockOfChains {
  std::vector<ChainSums> chains;

  explicit BlockOfChains(Eigen::Index columns) : chains(kReferenceChains, ChainSums(columns)) {}

  const Doubles& Join() {
    for (int half = kReferenceChains / 2; half > 0; half /= 2) {
      for (int chain = 0; chain < half; ++chain) chains[chain].Add(chains[chain + half]);
    }
    return chains[0].high();
  }
};

}  // namespace

void ReferenceDw(std::int64_t rows, int width, std::span<const std::uint16_t> h,
                 std::span<const std::uint16_t> dy, std::span<const float> rstd,
                 std::span<double> dw) {
  CheckSize("reference dw", "h", h.size(), rows, width);
  CheckSize("reference dw", "dy", dy.size(), rows, width);
  CheckSize("reference dw", "rstd", rstd.size(), rows, 1);
  CheckSize("reference dw", "dw", dw.size(), 1, width);
  std::vector<BlockOfChains> blocks;
  for (int first = 0; first < width; first += kBlockColumns) {
    blocks.emplace_back(std::min(kBlockColumns, width - first));
  }
  Doubles h_part;
  Doubles term;
  for (int chain = 0; chain < kReferenceChains; ++chain) {
    for (std::int64_t row = chain; row < rows; row += kReferenceChains) {
      std::int64_t at = row * width;
      for (BlockOfChains& block : blocks) {
        ChainSums& sums = block.chains[chain];
        h_part.resize(sums.high().size());
        term.resize(sums.high().size());
        Widen(h.data() + at, &h_part);
        Widen(dy.data() + at, &term);
        term *= h_part * static_cast<double>(rstd[row]);
        sums.Add(term);
        at += sums.high().size();
      }
    }
  }
  double* next = dw.data();
  for (BlockOfChains& block : blocks) {
    const Doubles& sums = block.Join();
    next = std::copy_n(sums.data(), sums.size(), next);
  }
}

void ReferenceResidual(std::span<const std::uint16_t> x, std::span<const std::uint16_t> residual,
                       std::span<std::uint16_t> h) {
  const auto size = static_cast<std::int64_t>(h.size());
  CheckSize("reference residual", "x", x.size(), size, 1);
  CheckSize("reference residual", "residual", residual.size(), size, 1);
  for (std::int64_t i = 0; i < size; ++i) {
    h[i] = RoundToBf16(FloatOfBf16(x[i]) + FloatOfBf16(residual[i]));
  }
}

void ReferenceRstd(std::int64_t rows, int width, std::span<const std::uint16_t> h, double eps,
                   std::span<double> rstd) {
  CheckSize("reference rstd", "h", h.size(), rows, width);
  CheckSize("reference rstd", "rstd", rstd.size(), rows, 1);
  Doubles h_row(width);
  for (std::int64_t row = 0; row < rows; ++row) {
    Widen(h.data() + row * width, &h_row);
    rstd[row] = 1.0 / std::sqrt(h_row.square().mean() + eps);
  }
}

void ReferenceY(std::int64_t rows, int width, std::span<const std::uint16_t> h,
                std::span<const float> weight, std::span<const double> rstd, std::span<double> y) {
  CheckSize("reference y", "h", h.size(), rows, width);
  CheckSize("reference y", "weight", weight.size(), 1, width);
  CheckSize("reference y", "rstd", rstd.size(), rows, 1);
  CheckSize("reference y", "y", y.size(), rows, width);
  const Doubles w = Eigen::Map<const Eigen::ArrayXf>(weight.data(), width).cast<double>();
  Doubles h_row(width);
  for (std::int64_t row = 0; row < rows; ++row) {
    Widen(h.data() + row * width, &h_row);
    Eigen::Map<Doubles>(y.data() + row * width, width) = h_row * rstd[row] * w;
  }
}

void ReferenceDx(std::int64_t rows, int width, std::span<const std::uint16_t> h,
                 std::span<const std::uint16_t> dy, std::span<const float> weight,
                 std::span<const float> rstd, std::span<const std::uint16_t> residual_gradient,
                 std::span<double> dx) {
  CheckSize("reference dx", "h", h.size(), rows, width);
  CheckSize("reference dx", "dy", dy.size(), rows, width);
  CheckSize("reference dx", "weight", weight.size(), 1, width);
  CheckSize("reference dx", "rstd", rstd.size(), rows, 1);
  CheckSize("reference dx", "dx", dx.size(), rows, width);
  if (!residual_gradient.empty()) {
    CheckSize("reference dx", "residual_gradient", residual_gradient.size(), rows, width);
  }
  const Doubles w = Eigen::Map<const Eigen::ArrayXf>(weight.data(), width).cast<double>();
  Doubles normed(width);
  Doubles gradient(width);
  Doubles from_residual = Doubles::Zero(width);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t at = row * width;
    const double scale = rstd[row];
    Widen(h.data() + at, &normed);
    Widen(dy.data() + at, &gradient);
    normed *= scale;
    gradient *= w;
    if (!residual_gradient.empty()) Widen(residual_gradient.data() + at, &from_residual);
    const double mean = (gradient * normed).mean();
    Eigen::Map<Doubles>(dx.data() + at, width) = scale * (gradient - normed * mean) + from_residual;
  }
}

}  // namespace fenestra
