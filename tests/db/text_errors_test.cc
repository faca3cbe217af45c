// Text evidence that is wrong: each kind of fault gives one line with the place, and no crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "db/text.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::Scratch;
using testing::HasSubstr;

std::string ErrorOfText(const std::string& text) {
  const Scratch scratch;
  hand_made::WriteBytes(scratch / "a.tsv", text);
  return ErrorOf([&] { Import({scratch / "a.tsv"}); });
}

// A fault made by replacing one text of a sound file.
struct Replacement {
  const char* name;
  std::string from;
  std::string to;
  int line;          // where the fault must be reported
  const char* what;  // a part of the report
};

void PrintTo(const Replacement& fault, std::ostream* out) { *out << fault.name; }

std::string NameOfCase(const testing::TestParamInfo<Replacement>& info) { return info.param.name; }

class Faults : public testing::TestWithParam<Replacement> {};

TEST_P(Faults, AreReportedWithTheirLine) {
  const Replacement& fault = GetParam();
  std::string text = TextOf(hand_made::OneOfEach(), "h200_132");
  const std::size_t at = text.find(fault.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, fault.from.size(), fault.to);
  const std::string error = ErrorOfText(text);
  EXPECT_THAT(error, HasSubstr("a.tsv:" + std::to_string(fault.line) + ": "));
  EXPECT_THAT(error, HasSubstr(fault.what));
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

// Lines: 1 title, 2-3 environments, 4-6 times, 7-9 accuracy, 10-12 digests, 13-15 edges, 16-18
// waits, 19-21 kernels, 22-24 failures, 25 end.
INSTANTIATE_TEST_SUITE_P(
    Text, Faults,
    testing::Values(
        Replacement{"OtherFile", "fenestra-evidence", "PK", 1, "not text evidence"},
        Replacement{"NewerVersion", "evidence\t1", "evidence\t2", 1, "version '2' is not 1"},
        Replacement{"UnknownBoard", "1\th200_132", "1\th999_1", 1, "'h999_1' is no board"},
        Replacement{"UnknownSection", "[times]", "[tunes]", 4, "no section"},
        Replacement{"OtherColumns", "\tp90_ns", "\tp95_ns", 4, "no section with the columns"},
        Replacement{"NegativeTime", "\t28512", "\t-28512", 6, "median_ns: '-28512'"},
        Replacement{"FractionalTime", "\t28512", "\t28512.5", 6, "median_ns: '28512.5'"},
        Replacement{"OverflowingTime", "\t28512", "\t99999999999999999999", 6, "median_ns"},
        Replacement{"SpaceInNumber", "\t28512", "\t 28512", 6, "median_ns: ' 28512'"},
        Replacement{"EmptyNumber", "\t28512", "\t", 6, "median_ns: ''"},
        Replacement{"ZeroRows", "\n4096\t", "\n0\t", 6, "rows: '0' is not from 1"},
        Replacement{"TooManyRows", "\n4096\t", "\n2147483648\t", 6, "rows"},
        Replacement{"UnknownRoute", "bwd_w32_h4096", "bwd_w64_h4096", 5, "route: 'bwd_w64_h4096'"},
        Replacement{"RouteSpeltTwice", "bwd_w32_h4096", "bwd_w32_h04096", 5, "route"},
        Replacement{"UnknownView", "4096\trows", "4096\tcols", 5, "view: 'cols'"},
        Replacement{"UnknownFamily", "cancel", "odd", 8, "family: 'odd'"},
        Replacement{"UnknownReference", "eager_rstd", "rstd", 8, "reference: 'rstd'"},
        Replacement{"NotANumber", "\t0.41234", "\tnan", 9, "worst: 'nan'"},
        Replacement{"InfinityByAnotherName", "\t0.41234", "\tinfinity", 9, "worst: 'infinity'"},
        Replacement{"LessThanNothing", "\t0.41234", "\t-inf", 9, "worst: '-inf'"},
        Replacement{"TooLargeDouble", "\t0.41234", "\t1e999", 9, "worst: '1e999'"},
        Replacement{"NegativeFraction", "\t0.41234", "\t-0.1", 9, "worst: '-0.1'"},
        Replacement{"NegativeZero", "\t0.41234", "\t-0", 9, "worst: '-0'"},
        Replacement{"BadDigest", "fedcba9876543210", "fedcba987654321", 12, "16 lower-case hex"},
        Replacement{"BadClass", "differs", "differ", 15, "dw: 'differ'"},
        Replacement{"BadProgram", "bwd_dual_h256", "bwd dual_h256", 15, "below"},
        Replacement{"BadFlag", "132\t1", "132\tyes", 18, "waits: 'yes'"},
        Replacement{"BadEscape", "hung:\\t", "hung:\\z", 24, "reason"},
        Replacement{"EditedEnvironment", "13.0.88", "13.0.89", 3, "id: 'aff6f23d5cbcdee0'"},
        Replacement{"FieldMissing", "28416\t", "", 6, "7 fields where 8"},
        Replacement{"FieldTooMany", "28416\t", "28416\t1\t", 6, "9 fields where 8"},
        Replacement{"GroupFieldMissing", "\t80\t3201", "\t80", 5, "8 fields where 9"},
        Replacement{"WindowsLineEnd", "00aa\n", "00aa\r\n", 6, "CR LF"},
        Replacement{"NulByte", "28416",
                    std::string("284\0"
                                "16",
                                6),
                    6, "byte 0x00"},
        Replacement{"HighByte", "28416", "284\xff", 6, "byte 0xff"},
        Replacement{"MoreBehindTheEnd", "[end]\n", "[end]\n\n", 26, "more after the closing line"},
        Replacement{"EmptyLine", "[waits]", "\n[waits]", 16, "1 fields where 8"},
        Replacement{"GiganticLine", "28416", std::string(70'000, '1'), 6, "more than 65536"},
        Replacement{"GiganticField", "28416", std::string(5'000, '1'), 6, "..."}),
    NameOfCase);

TEST(TextErrors, EveryCutIsNoticed) {
  const std::string whole = TextOf(hand_made::OneOfEach(), "h200_132");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    SourcedEvidence evidence;
    EXPECT_NE(ErrorOf([&] { ParseText(whole.substr(0, bytes), "a", 0, &evidence); }), "") << bytes;
  }
  EXPECT_EQ(ErrorOfText(whole), "");
}

TEST(TextErrors, NoByteFlipCrashes) {
  const std::string whole = TextOf(hand_made::OneOfEach(), "h200_132");
  SourcedEvidence evidence;
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ 0x80);
    refused += ErrorOf([&] { ParseText(text, "a", 0, &evidence); }).empty() ? 0 : 1;
  }
  EXPECT_EQ(refused, static_cast<int>(whole.size()));  // a high byte is nowhere allowed
}

TEST(TextErrors, RecordsNeedTheirSectionAndGroup) {
  EXPECT_THAT(ErrorOfText("fenestra-evidence\t1\th200_132\n1\t2\n"),
              HasSubstr("a.tsv:2: a record stands before the first section"));
  std::string text = TextOf(hand_made::OneOfEach(), "h200_132");
  const std::size_t group = text.find("@\t4096");
  text.erase(group, text.find('\n', group) - group + 1);
  EXPECT_THAT(ErrorOfText(text), HasSubstr("a.tsv:8: a record stands before its group line"));
}

TEST(TextErrors, OneKeyWithTwoValuesNamesBothLines) {
  std::string text = TextOf(hand_made::OneOfEach(), "h200_132");
  const std::string line = "4096\t28512\t28416\t28704\t28608\t1\t1965\t00000000000000aa\n";
  const std::size_t at = text.find(line);
  std::string twice = text;
  EXPECT_EQ(ErrorOfText(twice.insert(at, line)), "");  // equal: as a merge of two files leaves it
  std::string other = line;
  other.replace(5, 5, "30000");
  const std::string error = ErrorOfText(text.insert(at, other));
  EXPECT_THAT(error, HasSubstr("a.tsv:6 and "));
  EXPECT_THAT(error, HasSubstr("a.tsv:7 disagree on times board=h200_132"));
  EXPECT_THAT(error, HasSubstr("median_ns=30000"));
  EXPECT_THAT(error, HasSubstr("median_ns=28512"));
}

TEST(TextErrors, EnvironmentsMustComeAlong) {
  std::string text = TextOf(hand_made::OneOfEach(), "h200_132");
  const std::size_t at = text.find("aff6f23d5cbcdee0\tNVIDIA");
  text.erase(at, text.find('\n', at) - at + 1);
  EXPECT_THAT(ErrorOfText(text), HasSubstr("environment 'aff6f23d5cbcdee0' is in no file's"));
}

TEST(TextErrors, FilesThatAreNone) {
  const Scratch scratch;
  EXPECT_THAT(ErrorOf([&] { Import({scratch / "none.tsv"}); }),
              HasSubstr("none.tsv: no such file"));
  EXPECT_THAT(ErrorOf([&] { Import({scratch.path()}); }), HasSubstr("not a plain file"));
}

}  // namespace
}  // namespace fenestra
