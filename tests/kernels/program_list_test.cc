#include "kernels/program_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernels/arith/split.h"

namespace fenestra {
namespace {

TEST(ProgramName, SaysWhatTheProgramDoes) {
  const Program ring{.pass = Pass::kBackward,
                     .structure = Structure::kRing,
                     .width = 4096,
                     .threads = 512,
                     .warps_per_row = 16,
                     .rows = 2,
                     .stages = 4,
                     .ctas_per_sm = 1,
                     .scheme = Scheme::kFold64,
                     .fold_rows = 8,
                     .split = RowSplit::kChunk};
  EXPECT_EQ(ProgramName(ring).view(), "bwd_ring_h4096_t512_w16_r2_s4_c1_chunk_fold64x8");
  Program kahan = ring;
  kahan.loads = Loads::kAsync;
  kahan.scheme = Scheme::kKahan;
  kahan.fold_rows = 0;
  kahan.reduce_sum = ReduceSum::kKahan;
  kahan.reduce_form = ReduceForm::kSlab;
  EXPECT_EQ(ProgramName(kahan).view(),
            "bwd_ring_async_h4096_t512_w16_r2_s4_c1_chunk_kahan_rslab_rkahan");
  const Program direct{
      .structure = Structure::kDirect, .width = 256, .threads = 128, .warps_per_row = 1};
  EXPECT_EQ(ProgramName(direct).view(), "fwd_direct_h256_t128_w1");
}

TEST(ProgramList, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (int i = 0; i < kProgramCount; ++i) {
    const std::string name(ProgramName(ProgramAt(i)).view());
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(FindProgram(name), i) << name;
  }
  EXPECT_EQ(FindProgram("bwd_ring_h4096"), -1);
}

// Plain for the speed that accuracy costs, FP64 where it is fast, FP32 alone where it is not.
TEST(ProgramList, EveryRouteHasPlainExactAndCompensatedPrograms) {
  for (const Route& route : AllRoutes()) {
    std::set<Scheme> schemes;
    for (const Program& program : kPrograms) {
      if (Serves(program, route)) schemes.insert(program.scheme);
    }
    if (route.pass == Pass::kForward) {
      EXPECT_EQ(schemes, std::set{Scheme::kNone}) << ToString(route);
      continue;
    }
    for (Scheme scheme : {Scheme::kPlain, Scheme::kFma64, Scheme::kTwoProd}) {
      EXPECT_TRUE(schemes.contains(scheme)) << ToString(route) << " " << ToString(scheme);
    }
  }
}

// Every form that a program can be given is that of some program.
template <typename Enum>
std::set<Enum> Built(Enum Program::*form, bool rings_only) {
  std::set<Enum> built;
  for (const Program& program : kPrograms) {
    if (!rings_only || program.structure == Structure::kRing) built.insert(program.*form);
  }
  return built;
}

TEST(ProgramList, EveryFormIsBuilt) {
  EXPECT_EQ(Built(&Program::structure, false).size(), 3);
  EXPECT_EQ(Built(&Program::scheme, false).size(), 9);
  EXPECT_EQ(Built(&Program::loads, true).size(), 3);
  EXPECT_EQ(Built(&Program::split, true).size(), 2);
  EXPECT_EQ(Built(&Program::blocks, true).size(), 2);
  EXPECT_EQ(Built(&Program::reduce_form, true).size(), 2);
  EXPECT_EQ(Built(&Program::reduce_sum, true).size(), 4);
}

TEST(LeavesPlace, TakesFewThreadsOrOneVectorEach) {
  const auto leaves = [](int width, int threads, int warps_per_row, int rows, int ctas_per_sm) {
    return LeavesPlace({.width = width,
                        .threads = threads,
                        .warps_per_row = warps_per_row,
                        .rows = rows,
                        .ctas_per_sm = ctas_per_sm});
  };
  EXPECT_TRUE(leaves(256, 512, 1, 1, 1));
  EXPECT_TRUE(leaves(4096, 512, 16, 1, 1));
  EXPECT_TRUE(leaves(1536, 384, 6, 2, 1));
  EXPECT_TRUE(leaves(1536, 192, 6, 3, 2));
  EXPECT_FALSE(leaves(4096, 512, 16, 2, 1));  // two rows
  EXPECT_FALSE(leaves(4096, 512, 8, 1, 1));   // two vectors
  EXPECT_FALSE(leaves(1536, 480, 3, 1, 1));   // two vectors
  EXPECT_FALSE(leaves(256, 256, 1, 1, 3));    // three CTAs
  EXPECT_FALSE(leaves(5120, 320, 10, 1, 1));  // a reduce of 160 CTAs
}

TEST(Route, NamesRoundTrip) {
  EXPECT_EQ(ToString(Route{Pass::kBackward, true, Dtype::kBf16, 6144}), "bwd_res_w16_h6144");
  EXPECT_EQ(ToString(Route{Pass::kForward, false, Dtype::kFp32, 256, Determinism::kAny}),
            "fwd_w32_h256_nd");
  for (const Route& route : AllRoutes()) EXPECT_EQ(ParseRoute(ToString(route)), route);
  for (const char* bad : {"", "bwd", "bwd_w8_h256", "bwd_w16_h", "bwd_w16_h256_x", "sideways"}) {
    EXPECT_EQ(ParseRoute(bad), std::nullopt) << bad;
  }
}

TEST(Glob, MatchesLikeAShell) {
  EXPECT_TRUE(MatchesGlob("bwd_w32_h5120", "bwd_*"));
  EXPECT_TRUE(MatchesGlob("bwd_w32_h5120", "fwd_*,*_h5120"));
  EXPECT_TRUE(MatchesGlob("bwd_w32_h5120", "bwd_w??_h5120"));
  EXPECT_FALSE(MatchesGlob("bwd_w32_h5120", "bwd_*_h512"));
  EXPECT_FALSE(MatchesGlob("bwd_w32_h5120", ""));
}

// Every row is dealt to exactly one CTA, group and turn, whatever the split.
TEST(Split, DealsEveryRowOnce) {
  for (const Program& program : kPrograms) {
    if (program.structure != Structure::kRing) continue;
    for (std::int64_t rows : {1, 5, 131, 132, 133, 1000, 4097}) {
      const int ctas = arith::RingCtas(program, rows, 132);
      std::vector<int> dealt(static_cast<std::size_t>(rows), 0);
      for (int cta = 0; cta < ctas; ++cta) {
        const auto tiles = arith::TilesOf(program.split, cta, ctas, rows, program.tile_rows());
        for (std::int64_t tile = tiles.first; tile < tiles.end; tile += tiles.step) {
          for (int i = 0; i < program.tile_rows() && tile + i < tiles.end; ++i) {
            ++dealt.at(static_cast<std::size_t>(tile + i));
          }
        }
      }
      EXPECT_EQ(dealt, std::vector<int>(static_cast<std::size_t>(rows), 1))
          << ProgramName(program).view() << " at " << rows;
    }
  }
}

TEST(Split, PartialsHaveOnePlaceForEachColumn) {
  for (const Program& program : kPrograms) {
    if (program.structure != Structure::kRing) continue;
    const int lanes = 32 * program.warps_per_row;
    std::set<int> places;
    for (int column = 0; column < program.width; ++column) {
      const int place = arith::PartialIndex(column, lanes);
      EXPECT_EQ(arith::PartialColumn(place, lanes), column);
      EXPECT_TRUE(place >= 0 && place < program.width);
      places.insert(place);
    }
    EXPECT_EQ(static_cast<int>(places.size()), program.width);
  }
}

}  // namespace
}  // namespace fenestra
