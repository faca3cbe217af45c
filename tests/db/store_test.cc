#include "db/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "db/text.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::OneOfEach;
using hand_made::Same;
using hand_made::Scratch;
using hand_made::Time;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  // Everything but the published figures, which every store comes with.
  Evidence Loaded() {
    Evidence evidence = store_.Load("h200_132");
    evidence.published.clear();
    return evidence;
  }

  Scratch scratch_;
  Store store_ = Store::Open(scratch_ / "a.db", OpenMode::kCreate);
};

TEST_F(StoreTest, EveryKindOfRecordComesBack) {
  store_.Append(OneOfEach());
  EXPECT_TRUE(Same(Loaded(), OneOfEach()));
  EXPECT_THAT(store_.Boards(), testing::ElementsAre("h200_132"));
  EXPECT_TRUE(store_.Load("b200_148").times.empty());
  const Store reopened = Store::Open(scratch_ / "a.db", OpenMode::kReadOnly);
  EXPECT_EQ(reopened.Load("h200_132").accuracy, OneOfEach().accuracy);
}

TEST_F(StoreTest, SamplesComeBackInOrder) {
  const std::vector<Sample> samples{{.round = 0,
                                     .call = 0,
                                     .union_ns = 5,
                                     .span_ns = 6,
                                     .sm_clock_mhz = 7,
                                     .memory_clock_mhz = 8},
                                    {.round = 1,
                                     .call = 0,
                                     .union_ns = 9,
                                     .span_ns = 9,
                                     .sm_clock_mhz = 1,
                                     .memory_clock_mhz = 2}};
  Group group{.evidence = OneOfEach(), .samples = {{.key = Time(4096, 2).key, .samples = samples}}};
  store_.Append(group);
  store_.Append(group);
  EXPECT_EQ(store_.LoadSamples(Time(4096, 2).key), samples);
  EXPECT_TRUE(store_.LoadSamples(Time(4096, 3).key).empty());
  group.samples[0].key.process = 3;
  EXPECT_THAT(ErrorOf([&] { store_.Append(group); }), HasSubstr("samples of no record"));
}

TEST_F(StoreTest, AnEqualGroupChangesNothing) {
  store_.Append(OneOfEach());
  store_.Append(OneOfEach());
  EXPECT_TRUE(Same(Loaded(), OneOfEach()));
}

TEST_F(StoreTest, AnotherValueUnderAKeyIsRefusedAndNothingOfItsGroupAdded) {
  store_.Append(OneOfEach());
  Evidence second = OneOfEach();
  second.times = {Time(1, 0)};
  second.accuracy[0].worst = 0.5;
  const std::string error = ErrorOf([&] { store_.Append(second); });
  EXPECT_THAT(error, HasSubstr("worst=0.41234"));
  EXPECT_THAT(error, HasSubstr("worst=0.5"));
  EXPECT_TRUE(Same(Loaded(), OneOfEach()));
}

TEST_F(StoreTest, ARefusalNamesBothEnvironmentsAndThePlace) {
  store_.Append(OneOfEach());
  Evidence second = OneOfEach();
  Environment other = second.environments[0];
  other.driver = "590.1";
  other = WithId(other);
  second.environments.push_back(other);
  const std::string seen = OneOfEach().environments[0].id;
  const auto refusal_names_both = [&] {
    const std::string error = ErrorOf([&] { store_.Append(second); });
    EXPECT_THAT(error, testing::ContainsRegex("stored .* in environment " + seen +
                                              ", now .* in environment " + other.id));
  };
  second.accuracy[0].worst = 0.5;
  second.accuracy[0].environment = other.id;
  refusal_names_both();
  second.accuracy = OneOfEach().accuracy;
  second.edges[0].classes.dw = EdgeClass::kSame;
  second.edges[0].environment = other.id;
  refusal_names_both();
  SourcedEvidence sources;
  sources.edges.Add(OneOfEach().edges[0], {.source = 0, .line = 3});
  EXPECT_EQ(store_.FirstConflict(sources, {"a.tsv", "b.tsv"}), "");
  sources.edges.Add(second.edges[0], {.source = 1, .line = 7});
  EXPECT_THAT(store_.FirstConflict(sources, {"a.tsv", "b.tsv"}),
              testing::StartsWith("b.tsv:7: edges board="));
}

TEST_F(StoreTest, AnEqualAccuracyKeepsTheBoardsOwnMeasurement) {
  Evidence stood_in = OneOfEach();
  stood_in.accuracy[0].stood_in = true;
  store_.Append(stood_in);
  store_.Append(OneOfEach());
  store_.Append(stood_in);
  EXPECT_EQ(Loaded().accuracy, OneOfEach().accuracy);
}

TEST_F(StoreTest, FaultyRecordsAreRefused) {
  Evidence evidence = OneOfEach();
  evidence.accuracy[0].median = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ErrorOf([&] { store_.Append(evidence); }), HasSubstr("median: 'nan'"));
  evidence = OneOfEach();
  evidence.environments.clear();
  EXPECT_THAT(ErrorOf([&] { store_.Append(evidence); }), HasSubstr("is neither stored nor"));
  EXPECT_TRUE(Loaded().times.empty());
}

TEST_F(StoreTest, TellsWhatAFileHoldsThatIsNotStored) {
  const hand_made::Scratch scratch;
  EXPECT_TRUE(FilesOfDump("h200_132", scratch / "out").empty());
  Evidence more = OneOfEach();
  more.times.push_back(hand_made::Time(64, 0));
  Dump(more, scratch / "out");
  const std::vector<std::filesystem::path> files = FilesOfDump("h200_132", scratch / "out");
  ASSERT_GT(files.size(), 1U);
  store_.Append(more);
  for (const std::filesystem::path& file : files) store_.CheckHolds(file);
  more.times.push_back(hand_made::Time(65, 0));
  more.times[0].median_ns += 1;
  Dump(more, scratch / "out");
  EXPECT_THAT(ErrorOf([&] { store_.CheckHolds(scratch / "out/h200_132_bwd.tsv"); }),
              testing::AllOf(HasSubstr("h200_132_bwd"), HasSubstr("of its records are not in")));
}

TEST_F(StoreTest, LookUpsTellKeysApart) {
  const Evidence evidence = OneOfEach();
  store_.Append(evidence);
  AccuracyKey accuracy = evidence.accuracy[0].key;
  EXPECT_TRUE(store_.HasAccuracy(accuracy));
  accuracy.inputs = 1;
  EXPECT_TRUE(store_.HasAccuracy(accuracy)) << "more inputs hold fewer";
  accuracy.inputs = 200;
  EXPECT_FALSE(store_.HasAccuracy(accuracy));
  accuracy.inputs = 1;
  accuracy.family = accuracy.family == Family::kNormal ? Family::kOutlier : Family::kNormal;
  EXPECT_FALSE(store_.HasAccuracy(accuracy));
  EdgeKey edge = evidence.edges[0].key;
  EXPECT_TRUE(store_.HasEdge(edge));
  edge.route.residual = false;
  EXPECT_FALSE(store_.HasEdge(edge));
  WaitKey wait = evidence.waits[0].key;
  EXPECT_TRUE(store_.HasWait(wait));
  wait.beside_kib = 100;
  EXPECT_FALSE(store_.HasWait(wait));
  KernelKey kernel = evidence.kernels[0].key;
  EXPECT_TRUE(store_.HasKernel(kernel));
  kernel.weight = Dtype::kBf16;
  EXPECT_FALSE(store_.HasKernel(kernel));
}

TEST_F(StoreTest, AGroupIsDoneWhenEachProgramHasItsProcessesOrFailed) {
  Evidence evidence = OneOfEach();
  evidence.times = {Time(4096, 0), Time(4096, 1)};
  store_.Append(evidence);
  const TimeKey key = Time(4096, 0).key;
  TimeGroup group{.board = key.board,
                  .route = key.route,
                  .view = key.view,
                  .rows = key.rows,
                  .environment = key.environment,
                  .session = key.session};
  EXPECT_TRUE(store_.HasTimes(group, std::vector<std::string>{key.program}, 2));
  EXPECT_FALSE(store_.HasTimes(group, std::vector<std::string>{key.program}, 3));
  EXPECT_FALSE(store_.HasTimes(group, std::vector<std::string>{key.program, "stream"}, 2));
  Evidence failed;
  failed.failures = {{.board = key.board,
                      .route = key.route,
                      .view = key.view,
                      .rows = key.rows,
                      .program = "stream",
                      .reason = "hung",
                      .environment = key.environment}};
  store_.Append(failed);
  EXPECT_TRUE(store_.HasFailure(group, "stream"));
  EXPECT_TRUE(store_.HasTimes(group, std::vector<std::string>{key.program, "stream"}, 2));
  group.session = 2;
  EXPECT_FALSE(store_.HasTimes(group, std::vector<std::string>{key.program}, 1));
}

TEST_F(StoreTest, FindsTheNextSampledRowCount) {
  Evidence evidence = OneOfEach();
  evidence.accuracy.clear();
  for (std::int64_t rows : {64, 96, 128}) {
    evidence.accuracy.push_back(OneOfEach().accuracy[0]);
    evidence.accuracy.back().key.rows = rows;
  }
  store_.Append(evidence);
  const auto rows_above = [&](std::int64_t above, std::int64_t to) {
    std::vector<std::int64_t> rows;
    for (const AccuracyRecord& record :
         store_.LoadAccuracyAbove("h200_132", 4096, evidence.accuracy[0].key.program, above, to)) {
      rows.push_back(record.key.rows);
    }
    return rows;
  };
  EXPECT_THAT(rows_above(64, 128), testing::ElementsAre(96));
  EXPECT_THAT(rows_above(96, 128), testing::ElementsAre(128));
  EXPECT_THAT(rows_above(128, 256), testing::IsEmpty());
  EXPECT_THAT(rows_above(64, 95), testing::IsEmpty());
}

}  // namespace
}  // namespace fenestra
