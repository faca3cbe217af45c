// Parts of a store's evidence against the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "db/store.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::OneOfEach;
using hand_made::Scratch;
using hand_made::Time;

constexpr int kWidths[] = {256, 1536, 4096, 512};  // as text in another order than as numbers

// Routes and widths whose text order is none of the obvious ones, and another board.
Evidence Many() {
  Evidence evidence = OneOfEach();
  for (int width : kWidths) {
    for (bool residual : {false, true}) {
      TimeRecord time = Time(width, 3);
      time.key.route.width = width;
      time.key.route.residual = residual;
      evidence.times.push_back(time);
      time.key.route.determinism = Determinism::kAny;
      evidence.times.push_back(time);
    }
    AccuracyRecord accuracy = OneOfEach().accuracy[0];
    accuracy.key.width = width;
    accuracy.key.inputs = 4;
    evidence.accuracy.push_back(accuracy);
    DigestRecord digest = OneOfEach().digests[0];
    digest.key.width = width;
    digest.key.rows = 128;
    evidence.digests.push_back(digest);
    accuracy.key.board = "b200_148";
    evidence.accuracy.push_back(accuracy);
  }
  return evidence;
}

class StorePartsTest : public testing::Test {
 protected:
  void SetUp() override { store_.Append(Many()); }

  Scratch scratch_;
  Store store_ = Store::Open(scratch_ / "a.db", OpenMode::kCreate);
};

TEST_F(StorePartsTest, DigestIsThatOfTheWhole) {
  for (const char* board : {"h200_132", "b200_148"}) {
    EXPECT_EQ(store_.EvidenceDigest(board, board), DigestOf(store_.Load(board)));
  }
}

TEST_F(StorePartsTest, DigestWithALenderIsThatOfBoth) {
  Evidence both = store_.Load("b200_148");
  const Evidence lender = store_.Load("h200_132");
  both.times = lender.times;
  both.failures = lender.failures;
  EXPECT_EQ(store_.EvidenceDigest("b200_148", "h200_132"), DigestOf(both));
  EXPECT_NE(store_.EvidenceDigest("b200_148", "h200_132"),
            store_.EvidenceDigest("b200_148", "b200_148"));
}

TEST_F(StorePartsTest, RoutesAndWidthsMakeUpTheWhole) {
  Evidence whole = store_.Load("h200_132");
  Evidence parts;
  for (int width : kWidths) {
    const Evidence part = store_.LoadWidth("h200_132", width);
    for (const AccuracyRecord& record : part.accuracy) EXPECT_EQ(record.key.width, width);
    std::copy(part.accuracy.begin(), part.accuracy.end(), std::back_inserter(parts.accuracy));
    std::copy(part.failures.begin(), part.failures.end(), std::back_inserter(parts.failures));
    EXPECT_EQ(part.kernels, whole.kernels);
  }
  for (const TimeRecord& record : whole.times) {
    const Evidence part = store_.LoadRoute("h200_132", record.key.route);
    EXPECT_NE(std::find(part.times.begin(), part.times.end(), record), part.times.end());
    for (const TimeRecord& one : part.times) EXPECT_EQ(one.key.route, record.key.route);
  }
  EXPECT_EQ(store_.LoadRoute("h200_132", whole.edges[0].key.route).edges, whole.edges);
  Sort(&parts);
  EXPECT_EQ(parts.accuracy, whole.accuracy);
  EXPECT_EQ(parts.failures, whole.failures);
  EXPECT_EQ(store_.LoadEnvironments("h200_132"), whole.environments);
  EXPECT_FALSE(store_.TimedRoutes("h200_132").empty());
  EXPECT_TRUE(store_.TimedRoutes("b200_148").empty());
}

}  // namespace
}  // namespace fenestra
