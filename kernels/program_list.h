// The list of programs: what is compiled, in order of preference among equals. Append only: a
// program's place breaks ties in window choice.
//
// Adding a program is one line here (and one header in kernels/device when it brings a new
// structure or scheme).
#pragma once

#include <array>
#include <string_view>

#include "kernels/program.h"
#include "kernels/program_forms.h"

namespace fenestra {

inline constexpr std::array kPrograms{
    // Forward. Wide CTAs for few rows, narrow ones for many.
    list::FwdDirect(256, 128, 1),
    list::FwdDirect(256, 512, 1),
    list::FwdDirect(512, 128, 2),
    list::FwdDirect(512, 128, 1),
    list::FwdDirect(1536, 192, 6),
    list::FwdDirect(1536, 96, 3),
    list::FwdDirect(2048, 256, 8),
    list::FwdDirect(2048, 128, 4),
    list::FwdDirect(2048, 64, 2),
    list::FwdDirect(4096, 512, 16),
    list::FwdDirect(4096, 256, 8),
    list::FwdDirect(4096, 128, 4),
    list::FwdDirect(5120, 640, 20),
    list::FwdDirect(5120, 320, 10),
    list::FwdDirect(5120, 160, 5),
    list::FwdDirect(5120, 128, 4),
    list::FwdDirect(6144, 768, 24),
    list::FwdDirect(6144, 384, 12),
    list::FwdDirect(6144, 192, 6),

    // Backward, few rows.
    list::BwdDual(256, 256, 1, 64),
    list::BwdDual(256, 256, 1, 16),
    list::BwdDual(256, 512, 1, 8),
    list::BwdDual(512, 256, 2, 64),
    list::BwdDual(512, 256, 2, 16),
    list::BwdDual(512, 512, 2, 8),
    list::BwdDual(1536, 192, 6, 64),
    list::BwdDual(1536, 384, 6, 32),
    list::BwdDual(2048, 256, 8, 64),
    list::BwdDual(2048, 512, 8, 32),
    list::BwdDual(4096, 512, 16, 64),
    list::BwdDual(5120, 640, 20, 64),
    list::BwdDual(5120, 320, 10, 64),
    list::BwdDual(5120, 320, 10, 32),
    list::BwdDual(6144, 384, 12, 64),

    // Backward, exact sums. The first of a width comes in the other schemes below.
    list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kFma64),
    list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kFma64),
    list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kFma64),
    list::BwdRing(2048, 384, 4, 1, 5, 1, Scheme::kFma64),
    list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kFma64),
    list::BwdRing(5120, 320, 10, 2, 4, 1, Scheme::kFma64),
    list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kFma64),
    list::AsyncRing(256, 512, 1, 2, 4, 1, Scheme::kFma64),
    list::AsyncRing(256, 256, 1, 1, 8, 3, Scheme::kFma64),
    list::BwdRing(256, 256, 1, 2, 5, 2, Scheme::kFma64),
    list::AsyncRing(512, 256, 2, 1, 8, 3, Scheme::kFma64),
    list::BwdRing(512, 256, 2, 2, 6, 2, Scheme::kFma64),
    list::AsyncRing(1536, 384, 6, 2, 6, 1, Scheme::kFma64),
    list::AsyncRing(1536, 192, 6, 3, 4, 2, Scheme::kFma64),
    list::AsyncRing(2048, 384, 4, 1, 4, 1, Scheme::kFma64),
    list::AsyncRing(2048, 256, 8, 2, 4, 2, Scheme::kFma64),
    list::BwdRing(4096, 512, 16, 2, 3, 1, Scheme::kFma64),
    list::AsyncRing(4096, 512, 8, 1, 4, 1, Scheme::kFma64),
    list::BwdRing(5120, 320, 10, 2, 3, 1, Scheme::kFma64),
    list::AsyncRing(5120, 320, 10, 2, 4, 1, Scheme::kFma64),
    list::AsyncRing(6144, 384, 12, 1, 4, 1, Scheme::kFma64),
    list::BwdRing(6144, 384, 12, 2, 3, 1, Scheme::kFma64),
    list::BwdRing(256, 256, 1, 2, 4, 2, Scheme::kFma64, RowSplit::kChunk, Loads::kAsync),
    list::BwdRing(5120, 320, 10, 2, 3, 1, Scheme::kFma64, RowSplit::kChunk),
    list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kFma64, RowSplit::kChunk),

    // Backward, compensated sums.
    list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kTwoProd),
    list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kTwoProd),
    list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kTwoProd),
    list::BwdRing(2048, 384, 4, 1, 5, 1, Scheme::kTwoProd),
    list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kTwoProd),
    list::BwdRing(5120, 320, 10, 2, 4, 1, Scheme::kTwoProd),
    list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kTwoProd),

    // Backward, folded sums.
    list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kFold64),
    list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kFold64),
    list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kFold64),
    list::BwdRing(2048, 384, 4, 1, 5, 1, Scheme::kFold64),
    list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kFold64),
    list::BwdRing(5120, 320, 10, 2, 4, 1, Scheme::kFold64),
    list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kFold64),

    // Backward, plain sums.
    list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kPlain),
    list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kPlain),
    list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kPlain),
    list::BwdRing(2048, 384, 4, 1, 5, 1, Scheme::kPlain),
    list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kPlain),
    list::BwdRing(5120, 320, 10, 2, 4, 1, Scheme::kPlain),
    list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kPlain),

    // Forward with residual.
    list::Residual(list::FwdDirect(256, 128, 1)),
    list::Residual(list::FwdDirect(256, 512, 1)),
    list::Residual(list::FwdDirect(512, 128, 2)),
    list::Residual(list::FwdDirect(512, 128, 1)),
    list::Residual(list::FwdDirect(1536, 192, 6)),
    list::Residual(list::FwdDirect(1536, 96, 3)),
    list::Residual(list::FwdDirect(2048, 256, 8)),
    list::Residual(list::FwdDirect(2048, 128, 4)),
    list::Residual(list::FwdDirect(4096, 512, 16)),
    list::Residual(list::FwdDirect(4096, 256, 8)),
    list::Residual(list::FwdDirect(5120, 640, 20)),
    list::Residual(list::FwdDirect(5120, 320, 10)),
    list::Residual(list::FwdDirect(6144, 768, 24)),
    list::Residual(list::FwdDirect(6144, 384, 12)),

    // Backward with residual, few rows.
    list::Residual(list::BwdDual(256, 256, 1, 64)),
    list::Residual(list::BwdDual(256, 256, 1, 16)),
    list::Residual(list::BwdDual(256, 512, 1, 8)),
    list::Residual(list::BwdDual(512, 256, 2, 64)),
    list::Residual(list::BwdDual(512, 256, 2, 16)),
    list::Residual(list::BwdDual(512, 512, 2, 8)),
    list::Residual(list::BwdDual(1536, 192, 6, 64)),
    list::Residual(list::BwdDual(1536, 384, 6, 32)),
    list::Residual(list::BwdDual(2048, 256, 8, 64)),
    list::Residual(list::BwdDual(2048, 512, 8, 32)),
    list::Residual(list::BwdDual(4096, 512, 16, 64)),
    list::Residual(list::BwdDual(5120, 640, 20, 64)),
    list::Residual(list::BwdDual(5120, 320, 10, 64)),
    list::Residual(list::BwdDual(5120, 320, 10, 32)),
    list::Residual(list::BwdDual(6144, 384, 12, 64)),

    // Backward with residual, exact sums, then the other schemes.
    list::Residual(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kFma64)),
    list::Residual(list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kFma64)),
    list::Residual(list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(2048, 384, 4, 1, 4, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(5120, 320, 10, 2, 3, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(256, 512, 1, 2, 4, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(512, 256, 2, 1, 5, 3, Scheme::kFma64)),
    list::Residual(list::AsyncRing(1536, 384, 6, 2, 4, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(2048, 384, 4, 1, 5, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(2048, 256, 8, 2, 4, 2, Scheme::kFma64)),
    list::Residual(list::AsyncRing(4096, 512, 8, 1, 4, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(4096, 512, 16, 2, 3, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(5120, 320, 10, 1, 5, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(6144, 384, 12, 1, 4, 1, Scheme::kFma64)),

    list::Residual(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kTwoProd)),
    list::Residual(list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kTwoProd)),
    list::Residual(list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kTwoProd)),
    list::Residual(list::AsyncRing(2048, 384, 4, 1, 4, 1, Scheme::kTwoProd)),
    list::Residual(list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kTwoProd)),
    list::Residual(list::BwdRing(5120, 320, 10, 2, 3, 1, Scheme::kTwoProd)),
    list::Residual(list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kTwoProd)),

    list::Residual(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kPlain)),
    list::Residual(list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kPlain)),
    list::Residual(list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(2048, 384, 4, 1, 4, 1, Scheme::kPlain)),
    list::Residual(list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kPlain)),
    list::Residual(list::BwdRing(5120, 320, 10, 2, 3, 1, Scheme::kPlain)),
    list::Residual(list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kPlain)),

    // Backward, the other forms of sums and reduces.
    list::With(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kPlain), ReduceSum::kPlain),
    list::With(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kKahan), ReduceSum::kKahan),
    list::With(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kTwoProd), ReduceSum::kTwoSum,
               ReduceForm::kSlab),
    list::BwdRing(256, 256, 1, 2, 1, 2, Scheme::kFma64, RowSplit::kRoundRobin, Loads::kPlain),
    list::BwdDual(256, 256, 1, 16, Scheme::kTwoProd),
    list::With(list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kTwoSum), ReduceSum::kTwoSum),
    list::BwdRing(512, 256, 2, 2, 1, 2, Scheme::kFma64, RowSplit::kRoundRobin, Loads::kPlain),
    list::AsyncRing(1536, 384, 6, 2, 4, 1, Scheme::kFoldPair),
    list::With(list::AsyncRing(1536, 384, 6, 2, 4, 1, Scheme::kFoldPair), BlockStore::kShared),
    list::With(list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kFma64), ReduceSum::kFp64,
               ReduceForm::kSlab),
    list::BwdDual(2048, 256, 8, 64, Scheme::kTwoSum),
    list::With(list::BwdRing(2048, 384, 4, 1, 5, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kChunkKahan),
    list::With(list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kKahan), ReduceSum::kKahan),
    list::With(list::BwdRing(5120, 320, 10, 2, 4, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kTwoSum), ReduceSum::kTwoSum),

    // Backward with residual, one row at a time through a deep ring.
    list::Residual(list::BwdRing(4096, 512, 16, 1, 8, 1, Scheme::kFma64)),

    // Backward in FP32 alone, for archs whose FP64 is slow: compensated sums and their reduce, or
    // compensated sums of the threads of a dual-role grid. With residual H 1536 and H 5120 take the
    // rings that leave registers for them.
    list::With(list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::AsyncRing(1536, 480, 3, 1, 4, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::BwdDual(512, 256, 2, 16, Scheme::kTwoProd),
    list::BwdDual(1536, 384, 6, 32, Scheme::kTwoProd),
    list::BwdDual(2048, 256, 8, 64, Scheme::kTwoProd),
    list::BwdDual(4096, 512, 16, 64, Scheme::kTwoProd),
    list::BwdDual(5120, 320, 10, 32, Scheme::kTwoProd),
    list::BwdDual(6144, 384, 12, 64, Scheme::kTwoProd),
    list::Residual(
        list::With(list::AsyncRing(256, 256, 1, 2, 4, 2, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(512, 256, 2, 2, 4, 2, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(1536, 384, 6, 2, 4, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(2048, 384, 4, 1, 4, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::BwdRing(4096, 512, 16, 2, 4, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::BwdRing(5120, 320, 10, 1, 5, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::BwdRing(6144, 384, 12, 1, 5, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(list::BwdDual(256, 256, 1, 16, Scheme::kTwoProd)),
    list::Residual(list::BwdDual(512, 256, 2, 16, Scheme::kTwoProd)),
    list::Residual(list::BwdDual(1536, 384, 6, 32, Scheme::kTwoProd)),
    list::Residual(list::BwdDual(2048, 256, 8, 64, Scheme::kTwoProd)),
    list::Residual(list::BwdDual(4096, 512, 16, 64, Scheme::kTwoProd)),
    list::Residual(list::BwdDual(5120, 320, 10, 32, Scheme::kTwoProd)),
    list::Residual(list::BwdDual(6144, 384, 12, 64, Scheme::kTwoProd)),

    // Forward, many short rows.
    list::FwdDirect(256, 128, 1, 3),
    list::FwdDirect(256, 128, 1, 4),
    list::FwdDirect(256, 256, 1, 4),

    // Backward, shallow rings, exact sums: what a call of few tiles asks for at once is what it
    // waits for. Of 384 threads where that leaves the reduce a place.
    list::AsyncRing(256, 256, 1, 2, 2, 2, Scheme::kFma64),
    list::AsyncRing(256, 384, 1, 2, 2, 1, Scheme::kFma64),
    list::AsyncRing(512, 256, 2, 2, 2, 2, Scheme::kFma64),
    list::AsyncRing(512, 384, 2, 2, 2, 1, Scheme::kFma64),
    list::AsyncRing(512, 384, 2, 1, 3, 1, Scheme::kFma64),
    list::AsyncRing(1536, 384, 6, 2, 2, 1, Scheme::kFma64),
    list::AsyncRing(2048, 384, 4, 1, 2, 1, Scheme::kFma64),
    list::BwdRing(4096, 512, 16, 2, 2, 1, Scheme::kFma64),
    list::AsyncRing(4096, 512, 8, 1, 2, 1, Scheme::kFma64),
    list::BwdRing(5120, 320, 10, 2, 2, 1, Scheme::kFma64),
    list::AsyncRing(6144, 384, 12, 1, 2, 1, Scheme::kFma64),
    list::BwdRing(6144, 384, 12, 2, 2, 1, Scheme::kFma64),
    list::Residual(list::AsyncRing(256, 256, 1, 2, 2, 2, Scheme::kFma64)),
    list::Residual(list::AsyncRing(256, 384, 1, 2, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(512, 384, 2, 2, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(512, 384, 2, 1, 3, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(1536, 384, 6, 2, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(2048, 384, 4, 1, 2, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(4096, 512, 16, 2, 2, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(5120, 320, 10, 1, 3, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(6144, 384, 12, 1, 2, 1, Scheme::kFma64)),

    // Backward, shallow rings of plain sums: what exact ones cost.
    list::AsyncRing(256, 256, 1, 2, 2, 2, Scheme::kPlain),
    list::AsyncRing(512, 256, 2, 2, 2, 2, Scheme::kPlain),
    list::AsyncRing(1536, 480, 3, 1, 2, 1, Scheme::kPlain),
    list::AsyncRing(2048, 384, 4, 1, 2, 1, Scheme::kPlain),
    list::BwdRing(4096, 512, 16, 2, 2, 1, Scheme::kPlain),
    list::BwdRing(5120, 320, 10, 2, 2, 1, Scheme::kPlain),
    list::AsyncRing(6144, 384, 12, 1, 2, 1, Scheme::kPlain),
    list::Residual(list::AsyncRing(256, 256, 1, 2, 2, 2, Scheme::kPlain)),
    list::Residual(list::AsyncRing(512, 256, 2, 2, 2, 2, Scheme::kPlain)),
    list::Residual(list::AsyncRing(1536, 480, 3, 1, 2, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(2048, 384, 4, 1, 2, 1, Scheme::kPlain)),
    list::Residual(list::BwdRing(4096, 512, 16, 2, 2, 1, Scheme::kPlain)),
    list::Residual(list::BwdRing(5120, 320, 10, 2, 2, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(6144, 384, 12, 1, 2, 1, Scheme::kPlain)),

    // Backward, shallow rings that take one row at a time, exact sums: small tiles deal the rows of
    // a short call evenly, and one vector a thread leaves 512 threads registers to spare.
    list::AsyncRing(256, 512, 1, 1, 2, 1, Scheme::kFma64),
    list::AsyncRing(512, 512, 2, 1, 2, 1, Scheme::kFma64),
    list::AsyncRing(1536, 384, 6, 1, 2, 1, Scheme::kFma64),
    list::AsyncRing(1536, 480, 3, 1, 2, 1, Scheme::kFma64),
    list::AsyncRing(2048, 512, 8, 1, 2, 1, Scheme::kFma64),
    list::AsyncRing(4096, 512, 16, 1, 2, 1, Scheme::kFma64),
    list::AsyncRing(5120, 320, 10, 1, 2, 1, Scheme::kFma64),
    list::Residual(list::AsyncRing(256, 512, 1, 1, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(512, 512, 2, 1, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(1536, 384, 6, 1, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(2048, 512, 8, 1, 2, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(4096, 512, 16, 1, 2, 1, Scheme::kFma64)),
    list::Residual(list::BwdRing(4096, 512, 16, 1, 4, 1, Scheme::kFma64)),
    list::Residual(list::AsyncRing(5120, 320, 10, 1, 2, 1, Scheme::kFma64)),

    // Those of 512 and 384 threads with plain sums: what exact ones cost.
    list::AsyncRing(256, 512, 1, 1, 2, 1, Scheme::kPlain),
    list::AsyncRing(512, 512, 2, 1, 2, 1, Scheme::kPlain),
    list::AsyncRing(1536, 384, 6, 1, 2, 1, Scheme::kPlain),
    list::AsyncRing(2048, 512, 8, 1, 2, 1, Scheme::kPlain),
    list::AsyncRing(4096, 512, 16, 1, 2, 1, Scheme::kPlain),
    list::Residual(list::AsyncRing(256, 512, 1, 1, 2, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(512, 512, 2, 1, 2, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(1536, 384, 6, 1, 2, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(2048, 512, 8, 1, 2, 1, Scheme::kPlain)),
    list::Residual(list::AsyncRing(4096, 512, 16, 1, 2, 1, Scheme::kPlain)),

    // Backward, shallow rings in FP32 alone.
    list::With(list::AsyncRing(256, 256, 1, 2, 2, 2, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::AsyncRing(512, 256, 2, 2, 2, 2, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::AsyncRing(1536, 480, 3, 1, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::AsyncRing(2048, 384, 4, 1, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::BwdRing(4096, 512, 16, 2, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::BwdRing(5120, 320, 10, 2, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::With(list::AsyncRing(6144, 384, 12, 1, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum),
    list::Residual(
        list::With(list::AsyncRing(256, 256, 1, 2, 2, 2, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(512, 256, 2, 2, 2, 2, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(1536, 384, 6, 2, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(2048, 384, 4, 1, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::BwdRing(4096, 512, 16, 2, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::BwdRing(5120, 320, 10, 1, 3, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
    list::Residual(
        list::With(list::AsyncRing(6144, 384, 12, 1, 2, 1, Scheme::kTwoProd), ReduceSum::kTwoSum)),
};

static_assert(list::AllDiffer(kPrograms), "a program is listed twice");
static_assert(list::FormsFit(kPrograms), "a program combines forms that do not go together");

inline constexpr int kProgramCount = static_cast<int>(kPrograms.size());

constexpr const Program& ProgramAt(int index) { return kPrograms[static_cast<std::size_t>(index)]; }

// Index of a program by name; -1 when there is none.
constexpr int FindProgram(std::string_view name) {
  for (int i = 0; i < kProgramCount; ++i) {
    if (ProgramName(kPrograms[i]).view() == name) return i;
  }
  return -1;
}

// The first program of the list that shares its dw with this one (often itself): the name under
// which the accuracy of both is measured.
constexpr int DwTwinOf(int program) {
  for (int i = 0; i < program; ++i) {
    if (SharesDw(kPrograms[i], kPrograms[program])) return i;
  }
  return program;
}

constexpr ProgramName DwTwinName(int program) { return ProgramName(kPrograms[DwTwinOf(program)]); }

// Same for generated headers: a name that is not in the list does not compile.
consteval int ProgramIndex(std::string_view name) {
  const int index = FindProgram(name);
  if (index < 0) throw "a window names a program that is not in kernels/program_list.h";
  return index;
}

}  // namespace fenestra
