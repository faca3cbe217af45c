#include "tuner/compiler_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/error.h"

namespace fenestra {
namespace {

using ::testing::ElementsAre;

// As nvcc 13.0 printed it: one kernel of each structure, one that widens its products and is that
// of two programs, one that spills, and a reduce.
// clang-format off
constexpr std::string_view kLog = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN8fenestra6device15FwdDirectKernelILi5120ELi320ELi10ELi1ELb1EfEEvNS_6launch11ForwardCallE' for 'sm_103a'
ptxas info    : Function properties for _ZN8fenestra6device15FwdDirectKernelILi5120ELi320ELi10ELi1ELb1EfEEvNS_6launch11ForwardCallE
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 48 registers, used 1 barriers, 128 bytes smem
ptxas info    : Compiling entry function '_ZN8fenestra6device13BwdDualKernelILi5120ELi320ELi10ELi32ELb1ENS_5arith10Fma64ChainEfEEvNS_6launch12BackwardCallE' for 'sm_103a'
ptxas info    : Function properties for _ZN8fenestra6device13BwdDualKernelILi5120ELi320ELi10ELi32ELb1ENS_5arith10Fma64ChainEfEEvNS_6launch12BackwardCallE
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 79 registers, used 1 barriers, 2688 bytes smem
ptxas info    : Compiling entry function '_ZN8fenestra6device13BwdRingKernelILi5120ELi320ELi10ELi2ELi4ELi1ELNS_5LoadsE0ELb0ENS_5arith8SchemeOfILNS_6SchemeE4ELi0EEELNS_10BlockStoreE0ENS3_8ReduceOfILNS_9ReduceSumE3EEEfEEvNS_6launch12BackwardCallENS_8RowSplitE' for 'sm_103a'
ptxas info    : Function properties for _ZN8fenestra6device13BwdRingKernelILi5120ELi320ELi10ELi2ELi4ELi1ELNS_5LoadsE0ELb0ENS_5arith8SchemeOfILNS_6SchemeE4ELi0EEELNS_10BlockStoreE0ENS3_8ReduceOfILNS_9ReduceSumE3EEEfEEvNS_6launch12BackwardCallENS_8RowSplitE
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compiling entry function '_ZN8fenestra6device13BwdRingKernelILi5120ELi320ELi10ELi2ELi3ELi1ELNS_5LoadsE0ELb0ENS_5arith12WidenedFma64ELNS_10BlockStoreE0ENS3_8ReduceOfILNS_9ReduceSumE0EEEfEEvNS_6launch12BackwardCallENS_8RowSplitE' for 'sm_103a'
ptxas info    : Function properties for _ZN8fenestra6device13BwdRingKernelILi5120ELi320ELi10ELi2ELi3ELi1ELNS_5LoadsE0ELb0ENS_5arith12WidenedFma64ELNS_10BlockStoreE0ENS3_8ReduceOfILNS_9ReduceSumE0EEEfEEvNS_6launch12BackwardCallENS_8RowSplitE
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compiling entry function '_ZN8fenestra6device13BwdRingKernelILi1536ELi480ELi3ELi1ELi4ELi1ELNS_5LoadsE1ELb1ENS_5arith8SchemeOfILNS_6SchemeE4ELi0EEELNS_10BlockStoreE0ENS3_8ReduceOfILNS_9ReduceSumE0EEEfEEvNS_6launch12BackwardCallENS_8RowSplitE' for 'sm_103a'
ptxas info    : Function properties for _ZN8fenestra6device13BwdRingKernelILi1536ELi480ELi3ELi1ELi4ELi1ELNS_5LoadsE1ELb1ENS_5arith8SchemeOfILNS_6SchemeE4ELi0EEELNS_10BlockStoreE0ENS3_8ReduceOfILNS_9ReduceSumE0EEEfEEvNS_6launch12BackwardCallENS_8RowSplitE
    16 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 128 registers, used 16 barriers, 16 bytes cumulative stack size, 128 bytes smem
ptxas info    : Compiling entry function '_ZN8fenestra6device14DwReduceKernelILi5120ELi320ELi1ELb0ENS_5arith8ReduceOfILNS_9ReduceSumE3EEELi1EEEvPKNT3_7PartialEiPfb' for 'sm_103a'
ptxas info    : Function properties for _ZN8fenestra6device14DwReduceKernelILi5120ELi320ELi1ELb0ENS_5arith8ReduceOfILNS_9ReduceSumE3EEELi1EEEvPKNT3_7PartialEiPfb
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 54 registers, used 1 barriers, 4096 bytes smem
)";
// clang-format on

const Board& Gb300() { return *FindBoard("gb300_152"); }

KernelRecord Expected(std::string_view program, int registers, int spill_bytes, int shared_bytes) {
  return {.key = {.board = "gb300_152",
                  .program = std::string(program),
                  .weight = Dtype::kFp32,
                  .environment = "e"},
          .registers = registers,
          .spill_bytes = spill_bytes,
          .shared_bytes = shared_bytes};
}

TEST(CompilerLogTest, ReadsEveryStructure) {
  EXPECT_THAT(
      ReadCompilerLog(kLog, "a.log", Gb300(), "e"),
      ElementsAre(Expected("bwd_res_dual_h5120_t320_w10_slab32_fma64", 79, 0, 2688),
                  Expected("bwd_res_ring_async_h1536_t480_w3_r1_s4_c1_rr_twoprod", 128, 16, 128),
                  Expected("bwd_ring_h5120_t320_w10_r2_s3_c1_chunk_fma64", 168, 0, 256),
                  Expected("bwd_ring_h5120_t320_w10_r2_s3_c1_rr_fma64", 168, 0, 256),
                  Expected("bwd_ring_h5120_t320_w10_r2_s4_c1_rr_twoprod_rtwosum", 168, 0, 256),
                  Expected("fwd_res_direct_h5120_t320_w10", 48, 0, 128)));
}

TEST(CompilerLogTest, OtherArchIsRefusedByLine) {
  try {
    ReadCompilerLog(kLog, "a.log", *FindBoard("b200_148"), "e");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a.log:2: a kernel for 'sm_103a', but b200_148 is sm_100a: give the log of that "
                 "arch");
  }
}

TEST(CompilerLogTest, WhatIsCutOffIsRefused) {
  // After the first kernel's entry, its properties, and its stack frame.
  std::size_t end = kLog.find('\n') + 1;
  for (int lines = 0; lines < 3; ++lines) {
    end = kLog.find('\n', end) + 1;
    EXPECT_THROW(ReadCompilerLog(kLog.substr(0, end), "a.log", Gb300(), "e"), Error) << lines;
  }
  EXPECT_NO_THROW(ReadCompilerLog(kLog.substr(0, kLog.find('\n', end) + 1), "a.log", Gb300(), "e"));
}

TEST(CompilerLogTest, FunctionsThatAreNotInlinedHaveFramesOfTheirOwn) {
  std::string log(kLog);
  log.insert(log.find("ptxas info    : Used 48"),
             "ptxas info    : Function properties for _Zother\n"
             "    64 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n");
  EXPECT_EQ(ReadCompilerLog(log, "a.log", Gb300(), "e"),
            ReadCompilerLog(kLog, "a.log", Gb300(), "e"));
}

TEST(CompilerLogTest, TooFewKernelsAreRefused) {
  EXPECT_THROW(CheckComplete(ReadCompilerLog(kLog, "a.log", Gb300(), "e")), Error);
  EXPECT_THROW(CheckComplete(ReadCompilerLog("Compiling entry function '_Z3foov' for 'sm_103a'\n",
                                             "a.log", Gb300(), "e")),
               Error);
}

}  // namespace
}  // namespace fenestra
