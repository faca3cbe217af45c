// How kernels/program_list.h spells its programs: the usual form of each structure, what is changed
// of it, and what must hold of a list.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/program.h"

namespace fenestra {

namespace list {

// Rows between folds of a thread.
constexpr int FoldRows(Scheme scheme) {
  switch (scheme) {
    case Scheme::kFold64:
    case Scheme::kFoldPair:
      return 8;
    case Scheme::kChunkKahan:
      return 32;
    default:
      return 0;
  }
}

// A backward ring: width, threads, warps per row, rows, stages, CTAs per SM.
constexpr Program BwdRing(int width, int threads, int warps_per_row, int rows, int stages,
                          int ctas_per_sm, Scheme scheme, RowSplit split = RowSplit::kRoundRobin,
                          Loads loads = Loads::kBulk) {
  return Program{.pass = Pass::kBackward,
                 .structure = Structure::kRing,
                 .width = width,
                 .threads = threads,
                 .warps_per_row = warps_per_row,
                 .rows = rows,
                 .stages = stages,
                 .ctas_per_sm = ctas_per_sm,
                 .scheme = scheme,
                 .fold_rows = FoldRows(scheme),
                 .split = split,
                 .loads = loads};
}

// A ring whose threads load for themselves.
constexpr Program AsyncRing(int width, int threads, int warps_per_row, int rows, int stages,
                            int ctas_per_sm, Scheme scheme) {
  return BwdRing(width, threads, warps_per_row, rows, stages, ctas_per_sm, scheme,
                 RowSplit::kRoundRobin, Loads::kAsync);
}

// The same program with another dw reduce, or with its blocks in shared memory.
constexpr Program With(Program program, ReduceSum sum, ReduceForm form = ReduceForm::kSplit) {
  program.reduce_sum = sum;
  program.reduce_form = form;
  return program;
}
constexpr Program With(Program program, BlockStore blocks) {
  program.blocks = blocks;
  return program;
}

// A backward dual-role grid; the threads of its column CTAs sum in a chain, their sums are added in
// FP64.
constexpr Program BwdDual(int width, int threads, int warps_per_row, int slab,
                          Scheme scheme = Scheme::kFma64) {
  return Program{.pass = Pass::kBackward,
                 .structure = Structure::kDual,
                 .width = width,
                 .threads = threads,
                 .warps_per_row = warps_per_row,
                 .slab = slab,
                 .scheme = scheme};
}

// A forward that takes each row, or `rows` neighbours at once, straight through the registers of
// warps_per_row warps.
constexpr Program FwdDirect(int width, int threads, int warps_per_row, int rows = 1) {
  return Program{.pass = Pass::kForward,
                 .structure = Structure::kDirect,
                 .width = width,
                 .threads = threads,
                 .warps_per_row = warps_per_row,
                 .rows = rows};
}

// The residual form of a program; a ring then holds one tensor more.
constexpr Program Residual(Program program) {
  program.residual = true;
  return program;
}

consteval bool AllDiffer(std::span<const Program> programs) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (programs[i] == programs[j]) return false;
    }
  }
  return true;
}

// What cannot be combined: a fold needs its rows; folds, blocks and reduces belong to rings; blocks
// are those of folds; an FP32 reduce takes pairs, which FP64 schemes do not hand on; plain loads
// have no stages; a forward of several rows at once has no residual, and rows of one warp.
consteval bool FormsFit(std::span<const Program> programs) {
  for (const Program& p : programs) {
    const bool folds = FoldRows(p.scheme) > 0;
    const bool usual = p.blocks == BlockStore::kRegisters && p.reduce_sum == ReduceSum::kFp64 &&
                       p.reduce_form == ReduceForm::kSplit;
    if (folds != (p.fold_rows > 0)) return false;
    if (p.structure != Structure::kRing && (folds || !usual)) return false;
    if (p.blocks == BlockStore::kShared && !folds) return false;
    if (p.reduce_sum != ReduceSum::kFp64 && NeedsFp64(p.scheme)) return false;
    if (p.loads == Loads::kPlain && p.stages != 1) return false;
    if (p.structure == Structure::kDirect && p.rows > 1 && (p.residual || p.warps_per_row > 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace list

}  // namespace fenestra
