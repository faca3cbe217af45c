// How rows are dealt to CTAs, to the groups of a CTA, and how partials are dealt to the lanes of
// the dw reduce: the whole dependence of dw on a board.
#pragma once

#include <cstdint>

#include "kernels/arith/scalar.h"
#include "kernels/program.h"

namespace fenestra::arith {

// The tiles of one CTA: they start at first, first + step, ... below end. A tile holds
// Program::tile_rows() rows, cut off at end; row j of group g is tile + j * groups + g.
struct TileRange {
  std::int64_t first;
  std::int64_t step;
  std::int64_t end;
};

FENESTRA_HD TileRange TilesOf(RowSplit split, int cta, int ctas, std::int64_t rows, int tile_rows) {
  if (split == RowSplit::kChunk) {
    return {rows * cta / ctas, tile_rows, rows * (cta + 1) / ctas};
  }
  return {std::int64_t{cta} * tile_rows, std::int64_t{ctas} * tile_rows, rows};
}

// CTAs of a ring on a board of sm_count SMs: all that are resident, or one per tile when there are
// fewer tiles.
constexpr int RingCtas(const Program& program, std::int64_t rows, int sm_count) {
  const std::int64_t tiles = (rows + program.tile_rows() - 1) / program.tile_rows();
  const std::int64_t resident = std::int64_t{sm_count} * program.ctas_per_sm;
  return static_cast<int>(tiles < resident ? tiles : resident);
}

// The dw reduce: group g of kReduceGroups sums the partials of CTAs g, g + kReduceGroups, ...; the
// groups are then combined by TreeMerge.
inline constexpr int kReduceGroups = 16;
inline constexpr int kReduceLanes = 32;        // of a group
inline constexpr int kReducePartialBytes = 8;  // a column, FP64 or a pair of FP32

// Columns of one thread of the reduce.
constexpr int ReduceColumns(ReduceForm form) { return form == ReduceForm::kSlab ? 4 : 1; }

// Where a column's partial lies in the workspace of a CTA whose rows are shared by `lanes` lanes,
// each holding its columns in registers: pairs of columns, lane by lane, so that the 16-byte stores
// of a warp are contiguous. PartialColumn is the inverse.
FENESTRA_HD constexpr int PartialIndex(int column, int lanes) {
  const int vector = column / 8 / lanes;
  const int lane = column / 8 % lanes;
  const int pair = column % 8 / 2;
  return ((vector * 4 + pair) * lanes + lane) * 2 + column % 2;
}

FENESTRA_HD constexpr int PartialColumn(int index, int lanes) {
  const int lane = index / 2 % lanes;
  const int vector = index / 2 / lanes / 4;
  const int pair = index / 2 / lanes % 4;
  return (vector * lanes + lane) * 8 + pair * 2 + index % 2;
}

// Column CTAs of the dual grid: `slab` columns, 8 per lane; lane group g of threads / (slab / 8)
// sums rows g, g + groups, ...; the lane groups of a warp are combined by a butterfly, the warps by
// TreeSum.
FENESTRA_HD constexpr int DualLaneGroups(int threads, int slab) { return threads / (slab / 8); }

// Bytes of workspace a program needs: the partials of every CTA.
constexpr std::int64_t WorkspaceBytes(const Program& program, std::int64_t rows, int sm_count) {
  if (program.pass != Pass::kBackward || program.structure != Structure::kRing) return 0;
  return std::int64_t{RingCtas(program, rows, sm_count)} * program.width * kReducePartialBytes;
}

}  // namespace fenestra::arith
