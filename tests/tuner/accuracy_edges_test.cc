#include "tuner/accuracy_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/tuner/evidence_builder.h"

namespace fenestra {
namespace {

using test::EvidenceBuilder;
using test::kBackward;
using test::kBoard;
using test::kPlain;

// Worst error of a scheme at a row count over this many inputs.
using Growth = std::function<double(std::int64_t rows, int inputs)>;

struct Searched {
  AccuracyEdge edge;
  int rounds = 0;
};

// Searches an edge as a sweep does, with `growth` in place of measurement.
Searched Search(const Growth& growth, double margin, std::initializer_list<std::int64_t> survey) {
  EvidenceBuilder built;
  for (std::int64_t rows : survey) built.Error(kPlain, {{rows, growth(rows, kInputsPerFamily)}});
  Searched searched;
  for (;;) {
    const AccuracyTable table(built.evidence, kBoard, kBackward.width);
    searched.edge = FindAccuracyEdge(table, kPlain, margin);
    const std::vector<EdgeProbe> probes = NextProbes(searched.edge);
    if (probes.empty()) return searched;
    if (searched.rounds == 100) {
      ADD_FAILURE() << "the search does not end";
      return searched;
    }
    for (const EdgeProbe& probe : probes) {
      built.Error(kPlain, {{probe.rows, growth(probe.rows, probe.inputs)}}, probe.inputs);
    }
    ++searched.rounds;
  }
}

TEST(AccuracyEdges, FindsWhereAPowerOfRowsReachesTheMargin) {
  // 0.25 is reached at exactly 20000 rows.
  const Growth growth = [](std::int64_t rows, int) {
    return 0.25 * std::pow(static_cast<double>(rows) / 20000, 0.7);
  };
  const Searched searched = Search(growth, 0.25, {1, 64, 1024, 4096, 16384, 65536});
  ASSERT_TRUE(searched.edge.within);
  ASSERT_TRUE(searched.edge.beyond);
  EXPECT_TRUE(searched.edge.resolved());
  EXPECT_LE(searched.edge.within->rows, 20000);
  EXPECT_GT(searched.edge.beyond->rows, 20000);
  EXPECT_LE(searched.edge.beyond->rows, 20000 * (1 + kEdgeResolution) + 1);
  EXPECT_EQ(searched.edge.within->inputs, kInputsNearEdge);
  EXPECT_EQ(searched.edge.beyond->inputs, kInputsNearEdge);
  EXPECT_LE(searched.rounds, 12) << "the line should lead there fast";
}

TEST(AccuracyEdges, FindsAStepAndASmallRowCountToTheRow) {
  const Growth step = [](std::int64_t rows, int) { return rows > 41 ? 3.0 : 0.0; };
  const Searched searched = Search(step, 0.25, {1, 1024});
  EXPECT_EQ(searched.edge.within->rows, 41);
  EXPECT_EQ(searched.edge.beyond->rows, 42);
  const Growth infinite = [](std::int64_t rows, int) {
    return rows > 5000 ? std::numeric_limits<double>::infinity() : 0.001;
  };
  const Searched bisected = Search(infinite, 0.8, {1, 65536});
  EXPECT_LE(bisected.edge.beyond->rows, 5080);
  EXPECT_LE(bisected.rounds, 20);
}

TEST(AccuracyEdges, MoreInputsMoveAnEdgeThatFewLetPass) {
  // Over 200 inputs the worst is a fifth larger: the edge moves down, and both sides are measured
  // again until they hold.
  const Growth growth = [](std::int64_t rows, int inputs) {
    return (inputs > 60 ? 1.2 : 1.0) * 0.25 * static_cast<double>(rows) / 20000;
  };
  const Searched searched = Search(growth, 0.25, {1, 1024, 65536});
  EXPECT_LE(searched.edge.within->rows, 20000 / 1.2);
  EXPECT_EQ(searched.edge.within->inputs, kInputsNearEdge);
  EXPECT_LE(searched.edge.within->worst, 0.25);
  EXPECT_GT(searched.edge.beyond->worst, 0.25);
  EXPECT_TRUE(searched.edge.resolved());
  EXPECT_LT(searched.rounds, 60);
}

// Of the counts of SearchRowCounts below `rows` the `nth`, counted down from 1.
std::int64_t SearchedCount(std::int64_t rows, int nth) {
  const auto& all = SearchRowCounts();
  return *(std::ranges::lower_bound(all, rows) - nth);
}

TEST(AccuracyEdges, ASingleRowCountBelowMovesTheEdgeDown) {
  const std::int64_t alone = SearchedCount(20000, 20);
  const Growth growth = [&](std::int64_t rows, int) {
    return rows == alone ? 0.98 : 0.25 * static_cast<double>(rows) / 20000;
  };
  const Searched searched = Search(growth, 0.25, {1, 64, 1024, 16384, 65536});
  ASSERT_TRUE(searched.edge.within);
  EXPECT_EQ(searched.edge.beyond->rows, alone);
  EXPECT_TRUE(searched.edge.resolved());
  EXPECT_LT(searched.edge.within->rows, alone);
  EXPECT_EQ(searched.edge.within->inputs, kInputsNearEdge);
  EXPECT_EQ(searched.edge.searched.size(), kSearchedBelow) << "and below that edge again";
  EXPECT_LT(searched.edge.searched.back(), searched.edge.within->rows);
  EXPECT_LE(searched.edge.searched.front(), alone / 4 + alone / 64) << "two octaves";
}

TEST(AccuracyEdges, ManyRowCountsBeyondStillEndTheSearch) {
  const Growth growth = [](std::int64_t rows, int) {
    return rows > 500 && rows % 7 == 0 ? 0.9 : 0.1;
  };
  const Searched searched = Search(growth, 0.25, {1, 64, 65536});
  ASSERT_TRUE(searched.edge.beyond);
  EXPECT_TRUE(searched.edge.resolved());
  EXPECT_TRUE(searched.edge.unsearched.empty());
  EXPECT_EQ(searched.edge.beyond->rows % 7, 0);
}

TEST(AccuracyEdges, AnInexactProgramWithoutAnEdgeIsSearchedBelowItsLast) {
  const std::int64_t alone = SearchedCount(65536, 31);
  const Growth flat = [](std::int64_t, int) { return 0.1; };
  const Searched none = Search(flat, 0.25, {1, 64, 65536});
  EXPECT_FALSE(none.edge.beyond);
  EXPECT_EQ(none.rounds, 1);
  EXPECT_EQ(none.edge.searched.size(), kSearchedBelow);
  EXPECT_TRUE(none.edge.unsearched.empty());
  const Growth one = [&](std::int64_t rows, int) { return rows == alone ? 0.3 : 0.1; };
  EXPECT_EQ(Search(one, 0.25, {1, 64, 65536}).edge.beyond->rows, alone);
}

TEST(AccuracyEdges, CloseReadingsBelowAreTakenOverMoreInputs) {
  // At 4096 rows one of the inputs beyond 60 is beyond the margin; at 1024 rows none is.
  const Growth growth = [](std::int64_t rows, int inputs) {
    if (rows == 4096) return inputs > 60 ? 0.26 : 0.24;
    if (rows == 1024) return 0.23;
    return rows > 20000 ? 0.5 : 0.1;
  };
  const Searched searched = Search(growth, 0.25, {1, 64, 1024, 4096, 16384, 65536});
  EXPECT_EQ(searched.edge.beyond->rows, 4096);
  EXPECT_LT(searched.edge.within->rows, 4096);
  EXPECT_TRUE(searched.edge.close.empty());
  EXPECT_EQ(searched.edge.largest->rows, 1024);
  EXPECT_EQ(searched.edge.largest->inputs, kInputsNearEdge);
  const Growth flat = [](std::int64_t, int) { return 0.24; };
  const Searched none = Search(flat, 0.25, {64, 65536});
  EXPECT_FALSE(none.edge.beyond);
  EXPECT_EQ(none.edge.largest->inputs, kInputsNearEdge) << "without an edge too";
}

TEST(AccuracyEdges, ExactProgramsAndThoseBeyondAtOnceAreNotSearched) {
  const Growth exact = [](std::int64_t, int) { return 0.0006; };
  const Searched none = Search(exact, 0.25, {1, 65536});
  EXPECT_FALSE(none.edge.beyond);
  EXPECT_EQ(none.edge.within->rows, 65536);
  EXPECT_EQ(none.rounds, 0);
  const Searched all = Search(exact, 0.0001, {1, 65536});
  EXPECT_FALSE(all.edge.within);
  EXPECT_EQ(all.edge.beyond->rows, 1);
  EXPECT_EQ(all.rounds, 0);
}

TEST(AccuracyEdges, TheLowestEdgeCountsAndNamesTheWorstFamily) {
  EvidenceBuilder built;
  built.Error(kPlain, {{64, 0.1}, {512, 0.1}, {4096, 0.2}});
  built.One(kPlain, 512, Family::kOutlier, 0.3, 0.1, 200);
  const AccuracyTable table(built.evidence, kBoard, kBackward.width);
  const AccuracyEdge edge = FindAccuracyEdge(table, kPlain, 0.25);
  EXPECT_EQ(edge.within->rows, 64);
  EXPECT_EQ(edge.beyond->rows, 512);
  EXPECT_EQ(edge.beyond->family, Family::kOutlier);
  EXPECT_EQ(edge.beyond->inputs, 60) << "of the family that has fewest";
}

TEST(AccuracyEdges, WithoutAnEdgeTheLargestErrorIsKept) {
  EvidenceBuilder built;
  built.Error(kPlain, {{64, 0.1}, {512, 0.7}, {4096, 0.2}});
  const AccuracyTable table(built.evidence, kBoard, kBackward.width);
  const AccuracyEdge none = FindAccuracyEdge(table, kPlain, 0.8);
  EXPECT_FALSE(none.beyond);
  EXPECT_EQ(none.within->rows, 4096);
  EXPECT_EQ(none.largest->rows, 512);
  EXPECT_EQ(none.largest->worst, 0.7);
  EXPECT_EQ(FindAccuracyEdge(table, kPlain, 0.25).largest->rows, 64) << "beyond it none counts";
}

TEST(AccuracyEdges, WhatALookNoticesIsOfTheRuleOfThree) {
  EXPECT_NEAR(NoticedShare(200), 3.0 / 200, 0.0003);
  EXPECT_NEAR(std::pow(1 - NoticedShare(60), 60), 0.05, 1e-12);
  EXPECT_NEAR(NoticedShare(kSearchedBelow), 0.0894, 0.0001);
}

}  // namespace
}  // namespace fenestra
