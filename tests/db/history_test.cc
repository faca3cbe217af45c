// Answers of the history; the published ones are the figures of #8293, #8319 and #8253.
#include "db/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "db/history_point.h"
#include "db/published.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::Scratch;
using hand_made::TwoWindows;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<HistoryEntry> Published(const HistoryFilter& filter) {
  std::vector<HistoryEntry> entries;
  for (HistoryEntry& entry : PublishedHistory(BuiltInPublished())) {
    if (Matches(entry, filter)) entries.push_back(std::move(entry));
  }
  return entries;
}

TEST(History, H4096OnSm100aReads52736Then44032) {
  const auto entries =
      Published({.arch = Arch::kSm100a, .routes = "bwd_*_h4096", .kind = EdgeKind::kAccuracy});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_THAT(PositionsOf(entries), ElementsAre(52736, 44032));
  EXPECT_EQ(entries[0].source, "#8293");
  EXPECT_EQ(entries[0].program_below, "plain");
  EXPECT_EQ(entries[0].program_above, "in-chunk compensated");
  EXPECT_THAT(entries[0].reason, HasSubstr("plain dw came closer than the 0.8 routing margin"));
  ASSERT_EQ(entries[0].routes.size(), 2U);
  EXPECT_EQ(ToString(entries[0].routes[0]), "bwd_w16_h4096");
  EXPECT_EQ(ToString(entries[0].routes[1]), "bwd_w32_h4096");
}

TEST(History, H256OnSm103aReads114688Then99840) {
  const auto entries =
      Published({.arch = Arch::kSm103a, .routes = "bwd_w32_h256", .kind = EdgeKind::kAccuracy});
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_THAT(PositionsOf(entries), ElementsAre(114688, 99840));
  EXPECT_EQ(entries[0].source, "#8293");
  EXPECT_EQ(entries[0].before, 114688);
  EXPECT_EQ(entries[0].after, 99840);
  EXPECT_THAT(entries[0].reason, HasSubstr("plain dw came closer than the 0.8 routing margin"));
  EXPECT_EQ(entries[1].source, "#8319");  // restated there with other programs
  EXPECT_EQ(entries[1].program_below, "ring + Kahan column-split reduce");
}

TEST(History, H5120OnSm107aMovedOnBothWeights) {
  const auto w16 = Published({.arch = Arch::kSm107a, .routes = "bwd_w16_h5120_nd", .from = 40000});
  ASSERT_EQ(w16.size(), 1U);
  EXPECT_THAT(PositionsOf(w16), ElementsAre(65536, 49152));
  EXPECT_THAT(w16[0].reason, HasSubstr("1.110 of the budget at T 61440 on 212 SMs"));
  const auto w32 = Published({.arch = Arch::kSm107a, .routes = "bwd_w32_h5120_nd", .from = 40000});
  ASSERT_EQ(w32.size(), 1U);
  EXPECT_THAT(PositionsOf(w32), ElementsAre(57344, 49152));
}

TEST(History, AccuracyPointsStandBesideTheirEdge) {
  const auto entries =
      Published({.arch = Arch::kSm103a, .routes = "bwd_w32_h6144_nd", .kind = EdgeKind::kAccuracy});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].after, 49152);
  ASSERT_EQ(entries[0].points.size(), 2U);
  EXPECT_EQ(entries[0].points[0].at, "54273");
  EXPECT_EQ(entries[0].points[0].fraction, "1.085");
  EXPECT_EQ(entries[0].points[0].reference, "fp64 at torch rstd");
  EXPECT_EQ(entries[0].points[1].at, "56320");
  EXPECT_EQ(entries[0].points[1].fraction, "1.010");
  EXPECT_EQ(entries[0].points[1].board, "GB300, 152 SMs");
}

TEST(History, APointBelongsToTheNearestEdgeOrTheOneThatNamesIt) {
  // Edges at 24064 and 256; the reason of the latter names T 64, 8 and 16.
  const auto entries =
      Published({.arch = Arch::kSm107a, .routes = "bwd_w32_h4096_nd", .kind = EdgeKind::kAccuracy});
  ASSERT_EQ(entries.size(), 2U);
  const auto points_of = [](const HistoryEntry& entry) {
    std::vector<std::string> points;
    for (const HistoryPoint& point : entry.points) points.push_back(point.at);
    return points;
  };
  EXPECT_THAT(points_of(entries[0]), ElementsAre("24576"));
  EXPECT_EQ(entries[0].points[0].comparator_fraction, "0.7241");
  EXPECT_THAT(points_of(entries[1]), ElementsAre("8", "16", "64"));
}

TEST(History, SmallRowCutsAreEdgesToo) {
  const auto entries = Published({.arch = Arch::kSm100a, .routes = "bwd_w16_h1536_nd", .to = 1000});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].after, 14);
  EXPECT_EQ(entries[0].program_below, "single kernel");
  EXPECT_EQ(entries[0].program_above, "pair");
  EXPECT_FALSE(entries[0].kind.has_value());
}

TEST(History, EveryPublishedEdgeIsThere) {
  EXPECT_EQ(Published({}).size(), 42U + 36U);
  EXPECT_EQ(Published({}).front().source, "#8293");
}

TEST(History, PlansFollowThePublishedEntries) {
  const Scratch scratch;
  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  Evidence evidence = hand_made::OneOfEach();
  AccuracyRecord& reading = evidence.accuracy[0];
  reading.key.program = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_plain";
  reading.key.rows = 2500;
  reading.worst = 0.31;
  store.Append(evidence);
  store.SavePlan(TwoWindows(4096));
  const std::int64_t second = store.SavePlan(TwoWindows(2048));
  store.SaveRelease({.name = "1.0",
                     .board = "h200_132",
                     .plan = second,
                     .header_digest = "00000000000000ff",
                     .commit = "abc"});
  const auto entries = History(store, {.board = "h200_132", .routes = "bwd_w32_*"});
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].source, "plan 1");
  EXPECT_FALSE(entries[0].before.has_value());
  EXPECT_EQ(entries[0].after, 4096);
  EXPECT_THAT(entries[0].points, IsEmpty());
  EXPECT_EQ(entries[1].source, "plan 2 (release 1.0)");
  EXPECT_EQ(entries[1].arch, Arch::kSm90a);
  EXPECT_EQ(entries[1].kind, EdgeKind::kAccuracy);
  EXPECT_EQ(entries[1].reason, "the plain chain reaches 0.31");
  EXPECT_THAT(PositionsOf(entries), ElementsAre(4096, 2048));
  ASSERT_EQ(entries[1].points.size(), 1U);
  EXPECT_EQ(entries[1].points[0].at, "2500");
  EXPECT_EQ(entries[1].points[0].fraction, "0.31");
  EXPECT_THAT(History(store, {.arch = Arch::kSm90a}), testing::SizeIs(2));
  EXPECT_THAT(History(store, {.what = HistoryKind::kEdge}), testing::SizeIs(42 + 36 + 2));
}

TEST(History, MeasuredPointsSayWhichInputGaveThem) {
  const Scratch scratch;
  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  Evidence evidence = hand_made::OneOfEach();
  AccuracyRecord& reading = evidence.accuracy[0];
  reading.key.program = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_plain";
  reading.key.rows = 2500;
  store.Append(evidence);
  store.SavePlan(TwoWindows(2048));
  const auto entries = History(store, {.first_source = "plan 1"});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].plan, 1);
  EXPECT_EQ(entries[0].evidence, "0123456789abcdef");
  EXPECT_THAT(entries[0].environments, ElementsAre("aff6f23d5cbcdee0"));
  ASSERT_EQ(entries[0].points.size(), 1U);
  const HistoryPoint& point = entries[0].points[0];
  EXPECT_EQ(point.family, "cancel");
  EXPECT_EQ(point.seed, 42);
  EXPECT_EQ(point.column, 17);
  EXPECT_EQ(point.environment, "aff6f23d5cbcdee0");
}

TEST(History, SourcesTheWrongWayRoundAreRefused) {
  EXPECT_THROW(History(BuiltInPublished(), {.first_source = "#8253", .last_source = "#8293"}),
               Error);
}

TEST(History, SourcesAreInOrderAndCanBeCutOut) {
  const Scratch scratch;
  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  const auto release = [&](const char* name, std::int64_t plan) {
    store.SaveRelease({.name = name,
                       .board = "h200_132",
                       .plan = plan,
                       .header_digest = "00000000000000ff",
                       .commit = "abc"});
  };
  release("0.1", store.SavePlan(TwoWindows(4096)));
  store.SavePlan(TwoWindows(2048));
  release("0.2", store.SavePlan(TwoWindows(1024)));
  store.SavePlan(TwoWindows(512));
  const auto sources = [&](const HistoryFilter& filter) {
    std::vector<std::string> names;
    for (const HistoryEntry& entry : History(store, filter)) {
      if (names.empty() || names.back() != entry.source) names.push_back(entry.source);
    }
    return names;
  };
  EXPECT_THAT(sources({.what = HistoryKind::kEdge}),
              ElementsAre("#8293", "#8319", "#8253 interim commit", "#8253", "plan 1 (release 0.1)",
                          "plan 2", "plan 3 (release 0.2)", "plan 4"));
  EXPECT_THAT(
      sources({.what = HistoryKind::kEdge, .first_source = "#8253", .last_source = "#8253"}),
      ElementsAre("#8253 interim commit", "#8253"));
  EXPECT_THAT(sources({.first_source = "0.1", .last_source = "0.2"}),
              ElementsAre("plan 1 (release 0.1)", "plan 2", "plan 3 (release 0.2)"));
  EXPECT_THAT(sources({.what = HistoryKind::kEdge, .last_source = "#8319"}),
              ElementsAre("#8293", "#8319"));
  EXPECT_THAT(sources({.first_source = "plan 2", .last_source = "plan 2"}), ElementsAre("plan 2"));
  EXPECT_THAT(hand_made::ErrorOf([&] { sources({.first_source = "0.3"}); }),
              HasSubstr("--from '0.3': no such source; there are #8293, #8319, #8253 interim"));
  EXPECT_THAT(hand_made::ErrorOf([&] { sources({.last_source = "plan x"}); }),
              HasSubstr("--to 'plan x'"));
}

// Releases of several boards, whose plans lie between one another's; a board that a release leaves
// as it was keeps its plan.
TEST(History, AReleaseStandsForWhatItMovedBoardByBoard) {
  const Scratch scratch;
  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  const auto plan = [&](const char* board, std::int64_t edge) {
    Plan two = TwoWindows(edge);
    two.board = board;
    return store.SavePlan(two);
  };
  const auto release = [&](const char* name, std::int64_t h200, std::int64_t b200) {
    for (const auto& [board, id] : {std::pair{"h200_132", h200}, {"b200_148", b200}}) {
      store.SaveRelease({.name = name,
                         .board = board,
                         .plan = id,
                         .header_digest = "00000000000000ff",
                         .commit = "abc"});
    }
  };
  const std::int64_t h200 = plan("h200_132", 4096);
  release("0.9", h200, plan("b200_148", 4096));
  plan("h200_132", 512);  // never released by itself
  const std::int64_t b200 = plan("b200_148", 2048);
  release("0.10", h200, b200);
  release("0.11", h200, b200);
  release("0.12", plan("h200_132", 1024), b200);
  const auto moved = [&](const char* first, const char* last) {
    std::vector<std::string> found;
    for (const HistoryEntry& entry : History(store, {.first_source = first, .last_source = last})) {
      found.push_back(entry.board + ", " + entry.source);
    }
    return found;
  };
  EXPECT_THAT(moved("0.9", "0.9"),
              ElementsAre("h200_132, plan 1 (release 0.9)", "b200_148, plan 2 (release 0.9)"));
  EXPECT_THAT(moved("0.10", "0.10"), ElementsAre("b200_148, plan 4 (release 0.10)"));
  EXPECT_THAT(moved("0.11", "0.11"), IsEmpty()) << "it moved nothing";
  EXPECT_THAT(moved("0.12", "0.12"),
              ElementsAre("h200_132, plan 3", "h200_132, plan 5 (release 0.12)"));
  EXPECT_THAT(moved("0.10", "0.11"), ElementsAre("b200_148, plan 4 (release 0.10)"));
  EXPECT_THAT(hand_made::ErrorOf([&] { moved("0.11", "0.10"); }), HasSubstr("turn them round"));
  EXPECT_THAT(hand_made::ErrorOf([&] { moved("0.12", "0.9"); }), HasSubstr("turn them round"));
}

TEST(History, ADayStandsForTheReleasesFromOrUntilThen) {
  const Scratch scratch;
  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  const auto release = [&](const char* name, const char* date, std::int64_t edge) {
    store.SaveRelease({.name = name,
                       .board = "h200_132",
                       .plan = store.SavePlan(TwoWindows(edge)),
                       .header_digest = "00000000000000ff",
                       .commit = "abc",
                       .date = date});
  };
  release("0.1", "", 4096);
  release("0.2", "2026-11-01", 2048);
  release("0.3", "2026-11-30", 1024);
  store.SavePlan(TwoWindows(512));
  const auto plans = [&](const HistoryFilter& filter) {
    std::vector<std::string> found;
    for (const HistoryEntry& entry : History(store, filter)) {
      if (entry.plan > 0) found.push_back(entry.source);
    }
    return found;
  };
  const std::string first = "plan 1 (release 0.1)";
  const std::string second = "plan 2 (release 0.2, 2026-11-01)";
  const std::string third = "plan 3 (release 0.3, 2026-11-30)";
  EXPECT_THAT(plans({.first_source = "2026-11-01"}), ElementsAre(second, third, "plan 4"));
  EXPECT_THAT(plans({.first_source = "2026-11-02"}), ElementsAre(third, "plan 4"));
  EXPECT_THAT(plans({.first_source = "2026-12-01"}), ElementsAre("plan 4"));
  EXPECT_THAT(plans({.last_source = "2026-11-29"}), ElementsAre(first, second));
  EXPECT_THAT(plans({.last_source = "2025-01-01"}), ElementsAre(first)) << "it tells no date";
  EXPECT_THAT(plans({.first_source = "2026-10-01", .last_source = "2026-11-30"}),
              ElementsAre(second, third));
  EXPECT_THAT(plans({.first_source = "0.2", .last_source = "2026-11-10"}), ElementsAre(second));
  for (const auto& [from, to] : {std::pair{"2026-11-02", "2026-11-29"},
                                 {"2026-11-02", "2026-11-02"},
                                 {"2020-01-01", "2020-01-02"},
                                 {"2026-12-01", "2026-12-31"}}) {
    EXPECT_THAT(plans({.first_source = from, .last_source = to}), IsEmpty()) << from;
  }
  EXPECT_EQ(History(store, {.first_source = "0.3"})[0].release, "0.3");
  EXPECT_EQ(History(store, {.first_source = "0.3"})[0].date, "2026-11-30");
  EXPECT_EQ(History(store, {.last_source = "2025-01-01"}).front().source, "#8293");
  EXPECT_THAT(hand_made::ErrorOf(
                  [&] { plans({.first_source = "2026-12-01", .last_source = "2026-11-30"}); }),
              HasSubstr("turn them round"));
  EXPECT_THAT(hand_made::ErrorOf([&] { plans({.first_source = "2026-02-30"}); }),
              HasSubstr("no such source"));
}

TEST(History, ABoardOfAnotherArchIsRefused) {
  EXPECT_THAT(hand_made::ErrorOf(
                  [] { History(BuiltInPublished(), {.arch = Arch::kSm90a, .board = "b200_148"}); }),
              HasSubstr("--board b200_148 is of sm_100a, and --arch asks for sm_90a"));
}

// The published tables have 51 costs, 51 timings and 55 accuracy points.
TEST(History, EveryPublishedFigureIsThere) {
  const std::vector<PublishedRecord> published = BuiltInPublished();
  EXPECT_EQ(History(published, {.what = HistoryKind::kCost}).size(), 51U);
  EXPECT_EQ(History(published, {.what = HistoryKind::kTiming}).size(), 51U);
  const std::vector<HistoryEntry> all = History(published, {});
  for (const PublishedRecord& record : published) {
    if (record.table != "accuracy_points") continue;
    const HistoryPoint point = RangedPointOf(record).shown;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [&](const HistoryEntry& entry) {
                              return std::find(entry.points.begin(), entry.points.end(), point) !=
                                     entry.points.end();
                            }))
        << point.fraction << " at " << point.at;
  }
}

TEST(History, CostsAndTimingsSayWhatTheyAre) {
  const auto costs = History(BuiltInPublished(), {.arch = Arch::kSm100a,
                                                  .routes = "bwd_w32_h4096",
                                                  .from = 50000,
                                                  .to = 50000,
                                                  .what = HistoryKind::kCost});
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].source, "#8293");
  EXPECT_EQ(costs[0].board, "B200, 148 SMs");
  EXPECT_EQ(costs[0].first, 44033);
  EXPECT_EQ(costs[0].last, 52736);
  EXPECT_EQ(costs[0].reason, "speedup 0.994 to 1.019 against previous package");
  EXPECT_EQ(costs[1].reason, "speedup 1.158 to 1.367 against torch.compile");
  const auto timings = History(BuiltInPublished(), {.arch = Arch::kSm100a,
                                                    .routes = "bwd_w16_h256",
                                                    .from = 98304,
                                                    .to = 98304,
                                                    .what = HistoryKind::kTiming});
  ASSERT_EQ(timings.size(), 1U);
  EXPECT_THAT(timings[0].reason, HasSubstr("34.960 us; before 37.504 us (speedup 1.073)"));
  EXPECT_THAT(timings[0].reason, HasSubstr("query [T,24,256]"));
}

TEST(History, AnEdgeThatAPlanDropsIsReported) {
  Plan one_window = TwoWindows(4096);
  one_window.routes[0].windows.resize(1);
  const auto entries = PlanHistory({{.id = 1, .plan = TwoWindows(4096)},
                                    {.id = 2, .plan = TwoWindows(4096)},
                                    {.id = 3, .plan = one_window}});
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].source, "plan 3");
  EXPECT_EQ(entries[1].before, 4096);
  EXPECT_FALSE(entries[1].after.has_value());
}

// Windows between the edges, two programs in turn.
Plan InTurn(const std::vector<std::int64_t>& edges) {
  Plan plan = TwoWindows(4096);
  std::vector<PlannedWindow>& windows = plan.routes[0].windows;
  const std::vector<PlannedWindow> two = windows;
  windows.clear();
  std::int64_t lo = 0;
  for (std::size_t i = 0; i <= edges.size(); ++i) {
    windows.push_back(two[i % 2]);
    windows.back().window.lo = lo;
    windows.back().window.hi = i < edges.size() ? edges[i] : kMaxRows;
    lo = windows.back().window.hi;
  }
  return plan;
}

// Pairs of before and after, -1 where there is none.
std::vector<std::pair<std::int64_t, std::int64_t>> Moves(const std::vector<std::int64_t>& before,
                                                         const std::vector<std::int64_t>& after) {
  std::vector<std::pair<std::int64_t, std::int64_t>> moves;
  for (const HistoryEntry& entry :
       PlanHistory({{.id = 1, .plan = InTurn(before)}, {.id = 2, .plan = InTurn(after)}})) {
    if (entry.plan == 2) moves.emplace_back(entry.before.value_or(-1), entry.after.value_or(-1));
  }
  return moves;
}

TEST(History, AnEdgeThatStaysIsItselfAmongOthersOfItsPrograms) {
  EXPECT_THAT(Moves({1, 2, 128}, {128}), ElementsAre(std::pair(1, -1), std::pair(2, -1)));
  EXPECT_THAT(Moves({128}, {1, 2, 128}), ElementsAre(std::pair(-1, 1), std::pair(-1, 2)));
}

TEST(History, AnEdgeThatMovedIsTheNearestOfItsPrograms) {
  EXPECT_THAT(Moves({8, 64, 512}, {500}),
              ElementsAre(std::pair(512, 500), std::pair(8, -1), std::pair(64, -1)));
  EXPECT_THAT(Moves({8, 64, 512}, {9, 64, 512}), ElementsAre(std::pair(8, 9)));
}

TEST(History, APointThatAReasonQuotesStandsThereAlone) {
  const auto edges_with = [](Arch arch, int width, const char* at) {
    std::vector<std::string> edges;
    for (const HistoryEntry& entry : Published({.arch = arch})) {
      for (const HistoryPoint& point : entry.points) {
        if (point.at != at || entry.routes.front().width != width) continue;
        edges.push_back(fmt::format("{} {}", ToString(entry.routes.front()), *entry.after));
      }
    }
    return edges;
  };
  // "FP32-weight form of the pair reaches 0.890 at T 47104", of the route with the BF16 weight.
  EXPECT_THAT(edges_with(Arch::kSm103a, 1536, "47104"), ElementsAre("bwd_w16_h1536_nd 46592"));
  // "0.900 of the budget at T 51200", of the BF16-weight form.
  EXPECT_THAT(edges_with(Arch::kSm107a, 2048, "51200"), ElementsAre("bwd_w32_h2048_nd 50176"));
}

TEST(History, PlansThatTheFilterExcludesAreNotLoaded) {
  const Scratch scratch;
  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  Plan plan = TwoWindows(4096);
  plan.board = "of_another_build";  // which loading refuses
  store.SavePlan(plan);
  EXPECT_THAT(hand_made::ErrorOf([&] { History(store, {}); }), HasSubstr("of_another_build"));
  EXPECT_EQ(History(store, {.what = HistoryKind::kCost}).size(), 51U);
  EXPECT_THAT(
      History(store, {.board = "h200_132", .what = HistoryKind::kEdge, .first_source = "#8253"}),
      testing::Each(testing::Field(&HistoryEntry::plan, 0)));
  EXPECT_FALSE(History(store, {.last_source = "#8253"}).empty());
}

TEST(History, UnknownBoardsAreNamed) {
  const Scratch scratch;
  const Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  EXPECT_THAT(hand_made::ErrorOf([&] { History(store, {.board = "h9"}); }),
              HasSubstr("--board h9"));
}

}  // namespace
}  // namespace fenestra
