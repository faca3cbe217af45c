#include "db/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "db/csv.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Csv, ReadsQuotedFields) {
  const auto rows = ParseCsv("a,b,c\n1,\"x, \"\"y\"\"\nz\",\r\n,,3", "t");
  EXPECT_THAT(rows, ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("1", "x, \"y\"\nz", ""),
                                ElementsAre("", "", "3")));
}

TEST(Csv, SaysWhereItIsWrong) {
  EXPECT_THAT(ErrorOf([] { ParseCsv("", "t"); }), HasSubstr("t:1: the text is empty"));
  EXPECT_THAT(ErrorOf([] { ParseCsv("a,b\n1\n", "t"); }), HasSubstr("t:2: the row has 1 fields"));
  EXPECT_THAT(ErrorOf([] { ParseCsv("a\n\"1\n2", "t"); }), HasSubstr("t:2: a quoted field"));
  EXPECT_THAT(ErrorOf([] { ParseCsv("a\n\"1\"2\n", "t"); }), HasSubstr("t:2: a quoted field is"));
  EXPECT_THAT(ErrorOf([] { ParseCsv("a\n\"1\n2\"\n3\"\n", "t"); }), HasSubstr("t:4: a quote"));
}

TEST(Published, AllTablesComeWithTheProgram) {
  std::map<std::string, int> rows;
  for (const PublishedRecord& record : BuiltInPublished()) ++rows[record.table];
  // Lines of the five files, less the title row.
  const std::map<std::string, int> expected{
      {"accuracy_points", 55}, {"costs", 51}, {"edges", 42}, {"small_t_cuts", 36}, {"timings", 51}};
  EXPECT_EQ(rows, expected);
}

TEST(Published, KeepsEveryCellAsPrinted) {
  const auto records = ParsePublished(
      "pr,board,arch,h,view,previous_us\n"
      "#8319,B200,sm_100a,256,\"query [T,24,256] strides (12288,512,1)\",37.504\n"
      "#8253,B200,sm_100a,,,\n",
      "timings");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].line, 1);
  EXPECT_EQ(records[0].pr, "#8319");
  EXPECT_EQ(records[0].arch, "sm_100a");
  EXPECT_EQ(records[0].width, 256);
  const std::string json =
      R"j({"arch":"sm_100a","board":"B200","h":"256","pr":"#8319","previous_us":"37.504",)j"
      R"j("view":"query [T,24,256] strides (12288,512,1)"})j";
  EXPECT_EQ(records[0].json, json);
  EXPECT_EQ(records[1].width, 0);
}

// Found by the fuzzer: JSON's own exception left the program, and numbers out of range read as 0.
TEST(Published, RefusesCellsThatAreNoTextOrTooLarge) {
  EXPECT_THAT(
      ErrorOf([] { ParsePublished("pr,arch,h\n#1,sm_100a,256\n#\xff,sm_100a,1\n", "edges"); }),
      HasSubstr("edges row 2: a cell is no UTF-8 text"));
  EXPECT_THAT(ErrorOf([] { ParsePublished("pr,arch,h\n#1,sm_100a,99999999999\n", "edges"); }),
              HasSubstr("edges row 1: h: '99999999999'"));
}

TEST(Published, RefusesRowsItCannotPlace) {
  EXPECT_THAT(ErrorOf([] { ParsePublished("pr,arch,h\n#1,sm_1,256\n", "edges"); }),
              HasSubstr("edges row 1"));
  EXPECT_THAT(ErrorOf([] { ParsePublished("pr,arch,h\n#1,sm_90a,wide\n", "edges"); }),
              HasSubstr("h: 'wide'"));
}

TEST(Published, ANewStoreHoldsThem) {
  const hand_made::Scratch scratch;
  const Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  std::vector<PublishedRecord> expected = BuiltInPublished();
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(store.LoadPublished(), expected);
}

}  // namespace
}  // namespace fenestra
