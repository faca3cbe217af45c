// How kernels/program_list.h spells its programs: the usual form of each structure, and what is
// changed of it.
#pragma once

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

}  // namespace list

}  // namespace fenestra
