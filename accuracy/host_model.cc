#include "accuracy/host_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "accuracy/parallel.h"
#include "accuracy/sizes.h"
#include "kernels/arith/row.h"
#include "kernels/arith/split.h"
#include "kernels/arith/sum.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

using arith::kVector;

// The arithmetic of a row: it depends on the width and on how many warps share it.
template <int kWidth, int kWarpsPerRow>
struct RowModel {
  static constexpr int kLanes = 32 * kWarpsPerRow;
  static constexpr int kVectors = kWidth / (kVector * kLanes);

  // Sums of the lanes' shares over the group, as Group::Sum has it. share(column, sum)
  // continues a lane's sum over the 8 columns from `column` on.
  template <typename Share>
  static float Sum(const Share& share) {
    float warps[kWarpsPerRow];
    for (int warp = 0; warp < kWarpsPerRow; ++warp) {
      arith::HostLanes lanes;
      for (int i = 0; i < 32; ++i) {
        float sum = 0;
        for (int v = 0; v < kVectors; ++v) {
          sum = share(arith::VectorColumn(v, 32 * warp + i, kLanes), sum);
        }
        lanes.value[i] = sum;
      }
      warps[warp] = arith::ButterflySum(lanes).value[0];
    }
    return arith::TreeSum<kWarpsPerRow>(warps);
  }

  static void Unpack(const std::uint16_t* row, float (&values)[kWidth]) {
    for (int c = 0; c < kWidth; ++c) values[c] = arith::FromBf16(row[c]);
  }

  template <bool kResidual>
  static void Forward(const HostForward& call, std::int64_t row) {
    float h[kWidth];
    Unpack(call.x.data() + row * kWidth, h);
    if constexpr (kResidual) {
      const std::uint16_t* residual = call.residual.data() + row * kWidth;
      std::uint16_t* out = call.residual_out.data() + row * kWidth;
      for (int c = 0; c < kWidth; ++c) {
        out[c] = arith::ToBf16(arith::Add(h[c], arith::FromBf16(residual[c])));
      }
      Unpack(out, h);
    }
    const float sum = Sum([&](int column, float s) { return arith::SquareSum(h + column, s); });
    const float rstd = arith::Rstd(sum, 1.0F / kWidth, call.eps);
    call.rstd[static_cast<std::size_t>(row)] = rstd;
    std::uint16_t* y = call.y.data() + row * kWidth;
    for (int c = 0; c < kWidth; ++c) {
      y[c] = arith::ToBf16(arith::Y(h[c], rstd, call.w[static_cast<std::size_t>(c)]));
    }
  }

  template <bool kResidual>
  static void Dx(const HostBackward& call, std::int64_t row) {
    float dy[kWidth];
    float h[kWidth];
    Unpack(call.dy.data() + row * kWidth, dy);
    Unpack(call.h.data() + row * kWidth, h);
    const float* w = call.w.data();
    const float rstd = call.rstd[static_cast<std::size_t>(row)];
    const float dot = Sum(
        [&](int column, float s) { return arith::DotSum(dy + column, h + column, w + column, s); });
    const float mean = arith::RowMean(dot, 1.0F / kWidth, rstd);
    std::uint16_t* dx = call.dx.data() + row * kWidth;
    for (int c = 0; c < kWidth; ++c) {
      if constexpr (kResidual) {
        const float gradient =
            arith::FromBf16(call.residual_gradient[static_cast<std::size_t>(row * kWidth + c)]);
        dx[c] = arith::ToBf16(arith::DxWithResidual(dy[c], h[c], w[c], rstd, mean, gradient));
      } else {
        dx[c] = arith::ToBf16(arith::Dx(dy[c], h[c], w[c], rstd, mean));
      }
    }
  }
};

// The running sums of one group's columns, in one of the schemes.
template <int kWidth, typename Scheme>
class ColumnSums {
 public:
  ColumnSums() : chains_(kWidth), blocks_(kWidth) {}

  void AddRow(const HostBackward& call, std::int64_t row) {
    const std::uint16_t* dy = call.dy.data() + row * kWidth;
    const std::uint16_t* h = call.h.data() + row * kWidth;
    const float rstd = call.rstd[static_cast<std::size_t>(row)];
    const auto rstd64 = static_cast<double>(rstd);
    for (std::size_t c = 0; c < kWidth; ++c) {
      chains_[c].Add(arith::Mul(arith::FromBf16(dy[c]), arith::FromBf16(h[c])), rstd, rstd64);
    }
    if (!Scheme::FoldsAfter(++added_)) return;
    for (std::size_t c = 0; c < kWidth; ++c) Scheme::Fold(&chains_[c], &blocks_[c]);
  }

  template <typename Partial>
  Partial At(std::size_t column) const {
    Partial partial;
    Scheme::Store(chains_[column], blocks_[column], &partial);
    return partial;
  }
  double Total(std::size_t column) const { return chains_[column].Total(); }

 private:
  std::vector<typename Scheme::Chain> chains_;
  std::vector<typename Scheme::Block> blocks_;
  int added_ = 0;
};

// The dw reduce over the CTAs' partials.
template <int kWidth, typename Reduce>
void ReduceDw(const std::vector<typename Reduce::Partial>& partials, const HostBackward& call) {
  const std::size_t ctas = partials.size() / kWidth;
  std::vector<Reduce> totals(static_cast<std::size_t>(arith::kReduceGroups) * kWidth);
  for (std::size_t cta = 0; cta < ctas; ++cta) {
    Reduce* group = &totals[cta % arith::kReduceGroups * kWidth];
    for (std::size_t c = 0; c < kWidth; ++c) group[c].Add(partials[cta * kWidth + c]);
  }
  for (std::size_t c = 0; c < kWidth; ++c) {
    Reduce parts[arith::kReduceGroups];
    for (std::size_t g = 0; g < arith::kReduceGroups; ++g) parts[g] = totals[g * kWidth + c];
    call.dw[c] = arith::FinalDw(arith::TreeMerge<arith::kReduceGroups>(parts).Total(),
                                call.accumulate, call.dw[c]);
  }
}

// One CTA of the ring: its groups' sums, combined as WritePartial has it.
template <int kWidth, typename Scheme, typename Reduce>
void RingCta(const Program& program, const arith::TileRange& tiles, const HostBackward& call,
             typename Reduce::Partial* partial) {
  using Partial = typename Reduce::Partial;
  const int groups = program.groups();
  std::vector<ColumnSums<kWidth, Scheme>> sums(static_cast<std::size_t>(groups));
  for (std::int64_t tile = tiles.first; tile < tiles.end; tile += tiles.step) {
    for (int j = 0; j < program.rows; ++j) {
      for (int g = 0; g < groups; ++g) {
        const std::int64_t row = tile + std::int64_t{j} * groups + g;
        if (row < tiles.end) sums[static_cast<std::size_t>(g)].AddRow(call, row);
      }
    }
  }
  for (std::size_t c = 0; c < kWidth; ++c) {
    if (groups == 1) {
      partial[c] = sums[0].template At<Partial>(c);
      continue;
    }
    Reduce total;
    for (const auto& group : sums) total.Add(group.template At<Partial>(c));
    partial[c] = total.AsPartial();
  }
}

template <int kWidth, typename Scheme, typename Reduce>
void RingDw(const Program& program, int sm_count, int threads, const HostBackward& call) {
  const int ctas = arith::RingCtas(program, call.rows, sm_count);
  std::vector<typename Reduce::Partial> partials(static_cast<std::size_t>(ctas) * kWidth);
  ParallelFor(ctas, threads, [&](std::int64_t cta) {
    const arith::TileRange tiles =
        arith::TilesOf(program.split, static_cast<int>(cta), ctas, call.rows, program.tile_rows());
    RingCta<kWidth, Scheme, Reduce>(program, tiles, call,
                                    &partials[static_cast<std::size_t>(cta) * kWidth]);
  });
  ReduceDw<kWidth, Reduce>(partials, call);
}

// The column CTAs of the dual grid: lane groups, then the lane groups of a warp, then warps.
template <int kWidth, int kThreads, int kSlab, typename Scheme>
void DualDw(const Program&, int, int, const HostBackward& call) {
  constexpr int kWarps = kThreads / 32;
  constexpr int kGroups = arith::DualLaneGroups(kThreads, kSlab);
  constexpr int kPerWarp = kGroups / kWarps;
  std::vector<ColumnSums<kWidth, Scheme>> sums(static_cast<std::size_t>(kGroups));
  for (std::int64_t row = 0; row < call.rows; ++row) {
    sums[static_cast<std::size_t>(row % kGroups)].AddRow(call, row);
  }
  for (std::size_t c = 0; c < kWidth; ++c) {
    double parts[kWarps];
    for (std::size_t warp = 0; warp < kWarps; ++warp) {
      std::array<double, kPerWarp> lanes;
      for (std::size_t i = 0; i < kPerWarp; ++i) lanes[i] = sums[warp * kPerWarp + i].Total(c);
      for (std::size_t mask = 1; mask < kPerWarp; mask *= 2) {
        const auto before = lanes;
        for (std::size_t i = 0; i < kPerWarp; ++i) {
          lanes[i] = arith::Add(before[i], before[i ^ mask]);
        }
      }
      parts[warp] = lanes[0];
    }
    call.dw[c] = arith::FinalDw(arith::TreeSum<kWarps>(parts), call.accumulate, call.dw[c]);
  }
}

struct HostEntry {
  void (*forward)(const HostForward&, std::int64_t row) = nullptr;
  void (*dx)(const HostBackward&, std::int64_t row) = nullptr;
  void (*dw)(const Program&, int sm_count, int threads, const HostBackward&) = nullptr;
};

template <int kProgram>
constexpr HostEntry EntryOf() {
  constexpr Program kP = kPrograms[kProgram];
  using Row = RowModel<kP.width, kP.warps_per_row>;
  if constexpr (kP.pass == Pass::kForward) {
    return {.forward = &Row::template Forward<kP.residual>};
  } else if constexpr (kP.structure == Structure::kDual) {
    return {.dx = &Row::template Dx<kP.residual>,
            .dw = &DualDw<kP.width, kP.threads, kP.slab, arith::SchemeOfProgram<kP>>};
  } else {
    using Scheme = arith::SchemeOfProgram<kP>;
    using Reduce = arith::ReduceOf<kP.reduce_sum>;
    return {.dx = &Row::template Dx<kP.residual>, .dw = &RingDw<kP.width, Scheme, Reduce>};
  }
}

template <int... kIndices>
constexpr std::array<HostEntry, sizeof...(kIndices)> MakeEntries(
    std::integer_sequence<int, kIndices...>) {
  return {EntryOf<kIndices>()...};
}

constexpr auto kEntries = MakeEntries(std::make_integer_sequence<int, kProgramCount>{});

struct Found {
  const Program& program;
  const HostEntry& entry;
};

Found Find(int program, Pass pass) {
  if (program < 0 || program >= kProgramCount) {
    throw Error(fmt::format("host model: no program {}; there are {}", program, kProgramCount));
  }
  const auto index = static_cast<std::size_t>(program);
  const Program& described = kPrograms[index];
  if (described.pass != pass) {
    throw Error(fmt::format("host model: {} is not a {} program", ProgramName(described).view(),
                            ToString(pass)));
  }
  return {described, kEntries[index]};
}

// Rows are handed to threads in blocks.
template <typename RowWork>
void ForRows(std::int64_t rows, int threads, const RowWork& work) {
  constexpr std::int64_t kBlock = 64;
  ParallelFor((rows + kBlock - 1) / kBlock, threads, [&](std::int64_t block) {
    const std::int64_t end = std::min(rows, (block + 1) * kBlock);
    for (std::int64_t row = block * kBlock; row < end; ++row) work(row);
  });
}

}  // namespace

void RunOnHost(int program, int, int threads, const HostForward& call) {
  const Found found = Find(program, Pass::kForward);
  const int width = found.program.width;
  CheckSize("host model", "x", call.x.size(), call.rows, width);
  CheckSize("host model", "y", call.y.size(), call.rows, width);
  CheckSize("host model", "rstd", call.rstd.size(), call.rows, 1);
  CheckSize("host model", "w", call.w.size(), 1, width);
  const std::int64_t residual_rows = found.program.residual ? call.rows : 0;
  CheckSize("host model", "residual", call.residual.size(), residual_rows, width);
  CheckSize("host model", "residual_out", call.residual_out.size(), residual_rows, width);
  ForRows(call.rows, threads, [&](std::int64_t row) { found.entry.forward(call, row); });
}

void RunOnHost(int program, int sm_count, int threads, const HostBackward& call) {
  const Found found = Find(program, Pass::kBackward);
  const int width = found.program.width;
  CheckSize("host model", "dy", call.dy.size(), call.rows, width);
  CheckSize("host model", "h", call.h.size(), call.rows, width);
  CheckSize("host model", "rstd", call.rstd.size(), call.rows, 1);
  CheckSize("host model", "dw", call.dw.size(), 1, width);
  if (!call.dx.empty()) {
    CheckSize("host model", "dx", call.dx.size(), call.rows, width);
    CheckSize("host model", "w", call.w.size(), 1, width);
    CheckSize("host model", "residual_gradient", call.residual_gradient.size(),
              found.program.residual ? call.rows : 0, width);
    ForRows(call.rows, threads, [&](std::int64_t row) { found.entry.dx(call, row); });
  }
  if (call.rows > 0) {
    found.entry.dw(found.program, sm_count, threads, call);
  } else if (!call.accumulate) {
    std::fill(call.dw.begin(), call.dw.end(), 0.0F);
  }
}

}  // namespace fenestra
