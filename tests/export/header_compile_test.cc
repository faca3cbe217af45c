// Compiles the headers of the fixture plan as the production library would (they are written at
// build time and found before those of the tree), and reads the plan back through the lookup.
#include <gtest/gtest.h>

#include "kernels/dispatch/lookup.h"
#include "kernels/dispatch/routed.h"
#include "tests/export/plan_fixture.h"

namespace fenestra {
namespace {

static_assert(windows::kBoardWindows.size() == 1);
constexpr const BoardWindows& kBoard = *windows::kBoardWindows[0];
static_assert(&kBoard == &windows::kGb300_152);

constexpr int ProgramFor(const Route& route, std::int64_t rows, bool in_place) {
  return FindProgramFor(*FindRoute(kBoard, route), rows, in_place);
}

static_assert(kBoard.board->sm_count == 152);
static_assert(kBoard.routes.size() == 3);
static_assert(kBoard.margin == 0.25);
static_assert(ProgramFor(test::kForward256, 128, false) == FindProgram(test::kWide256));
static_assert(ProgramFor(test::kForward256, 129, true) == FindProgram(test::kNarrow256));
static_assert(ProgramFor(test::kBackward4096, 512, false) == FindProgram(test::kDual));
static_assert(ProgramFor(test::kBackward4096, 512, true) == FindProgram(test::kFold));
static_assert(ProgramFor(test::kBackward4096, 49153, true) == FindProgram(test::kFma));
static_assert(ProgramFor(test::kBackward4096, kMaxRows, false) == FindProgram(test::kFma));
static_assert(FindWindowFor(*FindRoute(kBoard, test::kBackward4096), 513, false)->classes ==
              EdgeClasses{.dx = EdgeClass::kSame, .dw = EdgeClass::kDiffers});
static_assert(FindWindowFor(*FindRoute(kBoard, test::kBackward5120), 1, false)->time ==
              Basis::kNone);
static_assert(IsRouted(FindProgram(test::kFold)));
static_assert(!IsRouted(FindProgram(test::kPlain)));

TEST(HeaderCompileTest, EveryWindowOfThePlanIsCompiled) {
  const auto windows_of = [](std::span<const Window> windows) {
    return std::vector<Window>(windows.begin(), windows.end());
  };
  const auto planned = [](const std::vector<PlannedWindow>& windows) {
    std::vector<Window> plain;
    for (const PlannedWindow& window : windows) plain.push_back(window.window);
    return plain;
  };
  for (const RoutePlan& plan : test::FixturePlan().routes) {
    const RouteWindows* route = FindRoute(kBoard, plan.route);
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(windows_of(route->windows), planned(plan.windows));
    EXPECT_EQ(windows_of(route->in_place), planned(plan.in_place));
  }
}

}  // namespace
}  // namespace fenestra
