// Programs: concrete ways to run a route. A program is a plain description; the kernels are
// instantiated from it (kernels/launch) and the host model (accuracy/host_model.h) follows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/route.h"

namespace fenestra {

// How a program moves rows through a CTA. On-disk values: append only.
enum class Structure : int {
  kRing = 0,  // persistent CTAs, rows staged through a ring in shared memory (or, of plain loads,
              // through registers); backward: a dw reduce follows under programmatic launch
  kDual = 1,  // backward, few rows: column CTAs sum dw over all rows, the others each do rows of dx
  kDirect = 2,  // forward: each group of warps its own rows, straight through registers
};

// How the running dw sum of one thread is kept. Append only.
enum class Scheme : int {
  kNone = 0,        // forward
  kPlain = 1,       // FP32 chain: s = fl(s + p * rstd)
  kFold64 = 2,      // FP32 chain, folded into FP64 every fold_rows rows
  kFma64 = 3,       // FP64 fused multiply-add of the exact product and rstd, every row
  kTwoProd = 4,     // TwoProd + TwoSum in FP32 (Ogita, Rump, Oishi: Accurate Sum and Dot Product)
  kKahan = 5,       // FP32 chain, what an addition loses taken from the next term
  kTwoSum = 6,      // TwoSum in FP32 of the rounded terms
  kFoldPair = 7,    // FP32 chain, folded into a TwoSum pair every fold_rows rows
  kChunkKahan = 8,  // Kahan within chunks of fold_rows rows, chunks added in FP32
};

// Whether a scheme adds in FP64: slow on sm_103a.
constexpr bool NeedsFp64(Scheme scheme) {
  return scheme == Scheme::kFold64 || scheme == Scheme::kFma64;
}

// Where the blocks of a folding scheme are held. It does not change a bit. Append only.
enum class BlockStore : int { kRegisters = 0, kShared = 1 };

// How the dw reduce deals columns to threads (it does not change a bit), and how it adds. Append
// only.
enum class ReduceForm : int {
  kSplit = 0,  // one column a thread, over many CTAs
  kSlab = 1,   // four neighbouring columns a thread, over a quarter of the CTAs
};
enum class ReduceSum : int {
  kFp64 = 0,    // FP64 partials, FP64 additions
  kPlain = 1,   // the rest take FP32 pairs and FP32-only schemes: plain additions,
  kKahan = 2,   // Kahan's,
  kTwoSum = 3,  // or TwoSum
};

// How a ring is filled. It does not change a bit. Append only.
enum class Loads : int {
  kBulk = 0,   // the bulk copy engine, on mbarriers: best for rows that lie end to end
  kAsync = 1,  // cp.async, each thread its own vectors: rows of any pitch, no barrier
  kPlain = 2,  // no ring: each thread loads its own vectors from global memory as it needs them
};

// How rows are dealt to CTAs. Append only.
enum class RowSplit : int {
  kRoundRobin = 0,  // tiles of rows in turn
  kChunk = 1,       // one contiguous range per CTA, balanced to within one row
};

struct Program {
  Pass pass = Pass::kForward;
  bool residual = false;
  Structure structure = Structure::kDirect;
  int width = 0;
  int threads = 0;        // per CTA, a multiple of 32 * warps_per_row
  int warps_per_row = 0;  // each lane then holds width / (32 * warps_per_row) columns
  int rows = 1;           // per group of warps_per_row warps and iteration
  int stages = 0;         // ring: depth
  int ctas_per_sm = 0;    // ring: resident CTAs per SM
  int slab = 0;           // dual: columns per column CTA
  Scheme scheme = Scheme::kNone;
  int fold_rows = 0;  // folding schemes: rows between folds, counted per thread
  RowSplit split = RowSplit::kRoundRobin;
  Loads loads = Loads::kBulk;
  BlockStore blocks = BlockStore::kRegisters;
  ReduceForm reduce_form = ReduceForm::kSplit;
  ReduceSum reduce_sum = ReduceSum::kFp64;

  auto operator<=>(const Program&) const = default;

  constexpr int groups() const { return threads / (32 * warps_per_row); }  // rows abreast in a CTA
  constexpr int tile_rows() const { return groups() * rows; }  // rows of one iteration of a CTA
  constexpr int lane_columns() const { return width / (32 * warps_per_row); }
};

// A name built from the description alone, so the two cannot drift apart:
// "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64", "bwd_ring_async_h256_...",
// "bwd_ring_plainload_h512_...", "bwd_dual_h512_t128_w2_slab64_fma64", "fwd_direct_h512_t128_w1",
// "fwd_direct_h256_t128_w1_r3"; at the end, where they are not the usual ones, where blocks are
// held and what the reduce is: "_shared", "_rslab", "_rtwosum". Usable in constant expressions.
class ProgramName {
 public:
  constexpr explicit ProgramName(const Program& program) {
    Append(program.pass == Pass::kForward ? "fwd" : "bwd");
    if (program.residual) Append("_res");
    Append(program.structure == Structure::kRing   ? "_ring"
           : program.structure == Structure::kDual ? "_dual"
                                                   : "_direct");
    if (program.loads == Loads::kAsync) Append("_async");
    if (program.loads == Loads::kPlain) Append("_plainload");
    Append("_h", program.width);
    Append("_t", program.threads);
    Append("_w", program.warps_per_row);
    if (program.structure == Structure::kRing) {
      Append("_r", program.rows);
      Append("_s", program.stages);
      Append("_c", program.ctas_per_sm);
      Append(program.split == RowSplit::kRoundRobin ? "_rr" : "_chunk");
    }
    if (program.structure == Structure::kDirect && program.rows > 1) Append("_r", program.rows);
    if (program.structure == Structure::kDual) Append("_slab", program.slab);
    AppendScheme(program);
    if (program.blocks == BlockStore::kShared) Append("_shared");
    if (program.reduce_form == ReduceForm::kSlab) Append("_rslab");
    AppendReduceSum(program);
  }

  constexpr std::string_view view() const { return {text_, size_}; }
  constexpr operator std::string_view() const { return view(); }  // NOLINT(google-explicit-*)

 private:
  constexpr void Append(std::string_view text) {
    for (char c : text) text_[size_++] = c;
  }
  constexpr void Append(std::string_view text, int number) {
    Append(text);
    int scale = 1;
    while (number / scale >= 10) scale *= 10;
    for (; scale > 0; scale /= 10) text_[size_++] = static_cast<char>('0' + number / scale % 10);
  }
  constexpr void AppendScheme(const Program& program) {
    switch (program.scheme) {
      case Scheme::kNone:
        break;
      case Scheme::kPlain:
        Append("_plain");
        break;
      case Scheme::kFold64:
        Append("_fold64x", program.fold_rows);
        break;
      case Scheme::kFma64:
        Append("_fma64");
        break;
      case Scheme::kTwoProd:
        Append("_twoprod");
        break;
      case Scheme::kKahan:
        Append("_kahan");
        break;
      case Scheme::kTwoSum:
        Append("_twosum");
        break;
      case Scheme::kFoldPair:
        Append("_foldpairx", program.fold_rows);
        break;
      case Scheme::kChunkKahan:
        Append("_chunkkahanx", program.fold_rows);
        break;
    }
  }
  constexpr void AppendReduceSum(const Program& program) {
    switch (program.reduce_sum) {
      case ReduceSum::kFp64:
        break;
      case ReduceSum::kPlain:
        Append("_rplain");
        break;
      case ReduceSum::kKahan:
        Append("_rkahan");
        break;
      case ReduceSum::kTwoSum:
        Append("_rtwosum");
        break;
    }
  }

  char text_[128] = {};
  std::size_t size_ = 0;
};

// Whether dx may overlay dy (backward) or y may overlay x (forward). The dual grid's column CTAs
// read every row of dy while the others write dx, so it cannot. Residual out may overlay residual,
// and dx the gradient of residual out, in every program: one thread reads and writes an element.
constexpr bool AllowsInPlace(const Program& program) {
  return program.structure != Structure::kDual;
}

// Whether a program brings its products to FP64 by integer steps instead of conversions: fma64
// rings of wide rows. On H 256 that is slower, on H 512 and H 1536 level at best
// (docs/performance/experiments.md).
constexpr bool WidensProducts(const Program& program) {
  return program.scheme == Scheme::kFma64 && program.structure == Structure::kRing &&
         program.width >= 2048;
}

// Registers of an SM, and those of them that a place of the dw reduce takes: 512 threads of 32.
inline constexpr int kSmRegisters = 65536;
inline constexpr int kReducePlaceRegisters = 16384;

// Whether the main kernel of a backward ring is held, on sm_90, to leave the dw reduce a place on
// every SM: registers, and shared memory. The reduce then waits beside the last CTAs instead of for
// a free SM. A kernel of 384 threads an SM may take 128 registers for it; one of 512 threads 96,
// which is enough where each holds one vector of 8 columns of one row. Beyond H 4096 the reduce has
// more CTAs than the board has SMs. Asks for width, threads, warps_per_row, rows and ctas_per_sm
// alone.
constexpr bool LeavesPlace(const Program& program) {
  if (program.width > 4096) return false;
  if (program.ctas_per_sm * program.threads <= 384) return true;
  return program.ctas_per_sm == 1 && program.threads <= 512 && program.rows == 1 &&
         program.lane_columns() == 8;
}

// Whether two backward programs compute the same dw, bit for bit, on every input: residual, loads,
// depth of the ring, the lanes of a row and where blocks are held do not touch it. The accuracy of
// one is that of both.
constexpr bool SharesDw(const Program& a, const Program& b) {
  if (a.pass != Pass::kBackward || b.pass != Pass::kBackward || a.structure != b.structure ||
      a.width != b.width || a.scheme != b.scheme || a.fold_rows != b.fold_rows) {
    return false;
  }
  if (a.structure == Structure::kDual) return a.threads == b.threads && a.slab == b.slab;
  return a.groups() == b.groups() && a.rows == b.rows && a.ctas_per_sm == b.ctas_per_sm &&
         a.split == b.split && a.reduce_sum == b.reduce_sum;
}

// Whether the program belongs to the route (the weight dtype only picks its twin). Every program
// here has a fixed order on boards of one SM count, so each serves every level: what the
// board-invariant level adds is a split that is the same on all boards (dispatch/lookup.h).
constexpr bool Serves(const Program& program, const Route& route) {
  return program.pass == route.pass && program.residual == route.residual &&
         program.width == route.width;
}

std::string_view ToString(Structure structure);  // "ring", "dual", "direct"
std::string_view ToString(Scheme scheme);     // "none", "plain", "fold64", "fma64", "twoprod", ...
std::string_view ToString(Loads loads);       // "bulk", "async", "plain"
std::string_view ToString(RowSplit split);    // "rr", "chunk"
std::string_view ToString(BlockStore store);  // "registers", "shared"
std::string_view ToString(ReduceForm form);   // "split", "slab"
std::string_view ToString(ReduceSum sum);     // "fp64", "plain", "kahan", "twosum"

}  // namespace fenestra
