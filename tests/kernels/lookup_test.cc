#include "kernels/dispatch/lookup.h"

#include <gtest/gtest.h>

#include <array>

#include "kernels/dispatch/routed.h"
#include "tests/tuner/list_program.h"

namespace fenestra {
namespace {

constexpr int kDual = test::IndexOf(Pass::kBackward, 512, Structure::kDual, Scheme::kFma64);
constexpr int kRing = test::IndexOf(Pass::kBackward, 512, Structure::kRing, Scheme::kFma64);
constexpr int kPlain = test::IndexOf(Pass::kBackward, 512, Structure::kRing, Scheme::kPlain);

constexpr Route kRoute{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 512};

constexpr Window WindowOf(std::int64_t lo, std::int64_t hi, int program,
                          Basis accuracy = Basis::kNone) {
  Window window;
  window.lo = lo;
  window.hi = hi;
  window.program = program;
  window.accuracy = accuracy;
  window.time = accuracy == Basis::kNone ? Basis::kNone : Basis::kMeasured;
  return window;
}

constexpr std::array kWindows{WindowOf(0, 512, kDual, Basis::kMeasured),
                              WindowOf(512, kMaxRows, kRing, Basis::kStoodIn)};
constexpr std::array kInPlace{WindowOf(0, kMaxRows, kRing)};
constexpr std::array kRoutes{RouteWindows{kRoute, kWindows, kInPlace}};

constexpr BoardWindows WindowsOf(std::string_view board) {
  BoardWindows windows;
  windows.board = FindBoard(board);
  windows.routes = kRoutes;
  windows.index = IndexRoutes(kRoutes);
  return windows;
}

constexpr BoardWindows kSmaller = WindowsOf("r200_212");
constexpr BoardWindows kLarger = WindowsOf("r200_216");
constexpr BoardWindows kH200 = WindowsOf("h200_132");
constexpr std::array<const BoardWindows*, 3> kTables{&kH200, &kSmaller, &kLarger};

TEST(LookupTest, BoardNeedsArchSmCountAndProduct) {
  EXPECT_EQ(FindBoardWindows(kTables, Arch::kSm90a, 132, "NVIDIA H200"), &kH200);
  EXPECT_EQ(FindBoardWindows(kTables, Arch::kSm90a, 132, "NVIDIA H200 NVL"), &kH200);
  EXPECT_EQ(FindBoardWindows(kTables, Arch::kSm90a, 132, "NVIDIA H100"), nullptr);
  EXPECT_EQ(FindBoardWindows(kTables, Arch::kSm90a, 114, "NVIDIA H200"), nullptr);
  EXPECT_EQ(FindBoardWindows(kTables, Arch::kSm107a, 216, "NVIDIA R200"), &kLarger);
}

TEST(LookupTest, NearestBoardIsOfTheSameArch) {
  EXPECT_EQ(NearestBoardWindows(kTables, Arch::kSm107a, 213), &kSmaller);
  EXPECT_EQ(NearestBoardWindows(kTables, Arch::kSm107a, 215), &kLarger);
  EXPECT_EQ(NearestBoardWindows(kTables, Arch::kSm107a, 214), &kSmaller) << "as near: the smaller";
  EXPECT_EQ(NearestBoardWindows(kTables, Arch::kSm90a, 1), &kH200);
  EXPECT_EQ(NearestBoardWindows(kTables, Arch::kSm100a, 132), nullptr);
}

TEST(LookupTest, RouteIsFoundByEveryField) {
  EXPECT_EQ(FindRoute(kH200, kRoute), &kRoutes[0]);
  for (int changed = 0; changed < 5; ++changed) {
    Route route = kRoute;
    if (changed == 0) route.pass = Pass::kForward;
    if (changed == 1) route.residual = true;
    if (changed == 2) route.weight = Dtype::kBf16;
    if (changed == 3) route.width = 1536;
    if (changed == 4) route.determinism = Determinism::kBoardInvariant;
    EXPECT_EQ(FindRoute(kH200, route), nullptr) << ToString(route);
  }
  Route route = kRoute;
  route.width = 513;
  EXPECT_EQ(FindRoute(kH200, route), nullptr);
  route.width = 0;
  EXPECT_EQ(FindRoute(kH200, route), nullptr);
}

TEST(LookupTest, AnyFallsBackToTheDeterministicRoute) {
  Route any = kRoute;
  any.determinism = Determinism::kAny;
  EXPECT_EQ(FindRoute(kH200, any), &kRoutes[0]);
  const std::array<RouteWindows, 2> both{RouteWindows{any, kInPlace, {}}, kRoutes[0]};
  BoardWindows own = kH200;
  own.routes = both;
  own.index = IndexRoutes(both);
  EXPECT_EQ(FindRoute(own, any), &both[0]);
  EXPECT_EQ(FindRoute(own, kRoute), &both[1]);
}

TEST(LookupTest, ProgramOnBothSidesOfAnEdge) {
  EXPECT_EQ(FindProgramFor(kRoutes[0], 1, false), kDual);
  EXPECT_EQ(FindProgramFor(kRoutes[0], 512, false), kDual);
  EXPECT_EQ(FindProgramFor(kRoutes[0], 513, false), kRing);
  EXPECT_EQ(FindProgramFor(kRoutes[0], kMaxRows, false), kRing);
  EXPECT_EQ(FindProgramFor(kRoutes[0], 512, true), kRing);
  EXPECT_EQ(FindProgramFor(kRoutes[0], 0, false), -1);
  EXPECT_EQ(FindProgramFor(kRoutes[0], kMaxRows + 1, false), -1);
  const RouteWindows none{kRoute, kWindows, {}};
  EXPECT_EQ(FindProgramFor(none, 1, true), -1);
}

TEST(LookupTest, BasesAreBorrowedOnOtherBoards) {
  const Window& window = kWindows[1];
  EXPECT_EQ(BasesOn(kH200, window, 132, 132, "NVIDIA H200"),
            (Bases{Basis::kMeasured, Basis::kStoodIn}));
  EXPECT_EQ(BasesOn(kH200, window, 132, 132, "NVIDIA H100"),
            (Bases{Basis::kBorrowed, Basis::kStoodIn}));
  EXPECT_EQ(BasesOn(kH200, window, 114, 114, "NVIDIA H200"),
            (Bases{Basis::kBorrowed, Basis::kBorrowed}));
  // The split of the table's board, run on another: its accuracy, not its time.
  EXPECT_EQ(BasesOn(kH200, window, 114, 132, "NVIDIA H200"),
            (Bases{Basis::kBorrowed, Basis::kStoodIn}));
  EXPECT_EQ(BasesOn(kH200, kInPlace[0], 114, 114, "NVIDIA H200"),
            (Bases{Basis::kNone, Basis::kNone}));
}

TEST(RoutedTest, ProgramsThatWindowsName) {
  EXPECT_TRUE(IsRouted(kTables, kDual));
  EXPECT_TRUE(IsRouted(kTables, kRing));
  EXPECT_FALSE(IsRouted(kTables, kPlain));
  EXPECT_FALSE(IsRouted(std::span<const BoardWindows* const>(), kRing));
}

TEST(SoundTest, RefusesWhatTheDispatcherCouldNotRun) {
  EXPECT_TRUE(AreSound(kRoutes));
  const std::array gap{WindowOf(0, 10, kRing), WindowOf(11, kMaxRows, kRing)};
  EXPECT_FALSE(AreSound(std::array{RouteWindows{kRoute, gap, {}}}));
  const std::array dual{WindowOf(0, kMaxRows, kDual)};
  EXPECT_TRUE(AreSound(std::array{RouteWindows{kRoute, dual, {}}}));
  EXPECT_FALSE(AreSound(std::array{RouteWindows{kRoute, dual, dual}})) << "dual is not in place";
  Route other = kRoute;
  other.width = 4096;
  EXPECT_FALSE(AreSound(std::array{RouteWindows{other, dual, {}}}));
  EXPECT_FALSE(AreSound(std::array{kRoutes[0], kRoutes[0]}));
}

// The compiled headers, whatever they are.
TEST(LookupTest, EveryCompiledBoardIsFoundAsItself) {
  for (const BoardWindows* windows : CompiledBoards()) {
    const Board& board = *windows->board;
    EXPECT_EQ(FindBoardWindows(board.arch, board.sm_count, board.product), windows);
    EXPECT_TRUE(AreSound(windows->routes)) << board.name;
  }
}

TEST(Invariant, IsOneTableForAllBoards) {
  const BoardWindows* windows = InvariantWindows();
  ASSERT_NE(windows, nullptr);
  EXPECT_EQ(windows->board->name, kInvariantBoard);
  EXPECT_EQ(InvariantWindows({}), nullptr);
}

}  // namespace
}  // namespace fenestra
