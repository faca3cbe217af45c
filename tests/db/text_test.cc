#include "db/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "db/digest.h"
#include "db/text_line.h"
#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::OneOfEach;
using hand_made::Same;
using hand_made::Scratch;
using hand_made::Time;

// OneOfEach() as written by hand from the format of db/text.h; '|' stands for a tab.
std::string HandMadeText() {
  std::string text =
      "fenestra-evidence|1|h200_132\n"
      "[environments]|id|gpu|driver|toolkit|compiler|host|commit|sm_clock_mhz_max|"
      "memory_clock_mhz_max\n"
      "aff6f23d5cbcdee0|NVIDIA H200|580.159.04|13.0|nvcc 13.0.88, g++ 12.2.0|x86_64|0123abc|1980|"
      "3201\n"
      "[times]|@route|@view|@program|@environment|@session|@process|@calls|@memory_clock_mhz|rows|"
      "median_ns|min_ns|p90_ns|span_median_ns|rounds_discarded|sm_clock_mhz|samples_digest\n"
      "@|bwd_w32_h4096|rows|bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64|aff6f23d5cbcdee0|1|2|80|"
      "3201\n"
      "4096|28512|28416|28704|28608|1|1965|00000000000000aa\n"
      "[accuracy]|@width|@program|@family|@reference|@inputs|@protocol|@stood_in|@environment|rows|"
      "worst|worst_column|worst_seed|median\n"
      "@|4096|bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64|cancel|eager_rstd|60|1|0|"
      "aff6f23d5cbcdee0\n"
      "65537|0.41234|17|42|0.30000000000000004\n"
      "[digests]|@width|@program|@protocol|rows|seed|dw\n"
      "@|4096|bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64|1\n"
      "64|3|fedcba9876543210\n"
      "[edges]|@route|@environment|rows|below|above|y|rstd|residual_out|dx|dw\n"
      "@|bwd_res_w16_h256_nd|aff6f23d5cbcdee0\n"
      "512|bwd_dual_h256_t256_w1_slab64_fma64|bwd_ring_h256_t512_w1_r1_s8_c1_rr_fma64|unmeasured|"
      "same|unmeasured|same|differs\n"
      "[waits]|@program|@environment|beside_kib|waits\n"
      "@|bwd_dual_h256_t256_w1_slab64_fma64|aff6f23d5cbcdee0\n"
      "132|1\n"
      "[kernels]|@weight|@environment|program|registers|spill_bytes|shared_bytes\n"
      "@|w32|aff6f23d5cbcdee0\n"
      "bwd_dual_h256_t256_w1_slab64_fma64|64|0|4160\n"
      "[failures]|@route|@view|@environment|rows|program|reason\n"
      "@|fwd_w16_h256|query|aff6f23d5cbcdee0\n"
      "24|fwd_direct_h256_t128_w1|hung:\\tno answer in 30 s \\\\ 100 \\xc2\\xb5s\n"
      "[end]\n";
  for (char& c : text) c = c == '|' ? '\t' : c;
  return text;
}

TEST(Digest, IsPublishedFnv1a) {
  // Test vectors of the FNV reference page.
  EXPECT_EQ(HexDigest(""), "cbf29ce484222325");
  EXPECT_EQ(HexDigest("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(HexDigest("foobar"), "85944171f73967e8");
}

TEST(Digest, EnvironmentIdCoversEveryField) {
  Environment environment = hand_made::TheEnvironment();
  environment.id.clear();
  EXPECT_EQ(WithId(environment).id, "aff6f23d5cbcdee0");
  environment.commit = "0123abd";
  EXPECT_NE(WithId(environment).id, "aff6f23d5cbcdee0");
}

TEST(Text, WritesTheHandMadeFile) { EXPECT_EQ(TextOf(OneOfEach(), "h200_132"), HandMadeText()); }

TEST(Text, ReadsTheHandMadeFile) {
  const Scratch scratch;
  hand_made::WriteBytes(scratch / "a.tsv", HandMadeText());
  EXPECT_TRUE(Same(Import({scratch / "a.tsv"}), OneOfEach()));
}

TEST(Text, DumpsTheFilesOfEachBoardAndReadsThemBack) {
  const Scratch scratch;
  Evidence evidence = OneOfEach();
  evidence.times.push_back(Time(64, 0));
  evidence.times.push_back(Time(1024, 0));
  evidence.digests.push_back(evidence.digests.front());
  evidence.digests.back().key.board = "b200_148";
  std::vector<std::filesystem::path> files;
  for (const DumpedFile& file : Dump(evidence, scratch / "out")) files.push_back(file.path);
  EXPECT_THAT(files, testing::ElementsAre(scratch / "out" / "b200_148.tsv",
                                          scratch / "out" / "h200_132.tsv",
                                          scratch / "out" / "h200_132_bwd.tsv",
                                          scratch / "out" / "h200_132_bwd_res.tsv",
                                          scratch / "out" / "h200_132_fwd.tsv"));
  Sort(&evidence);
  EXPECT_TRUE(Same(Import(files), evidence));
  // A group's lines follow in order of rows.
  const std::string text = hand_made::ReadBytes(files[2]);
  EXPECT_LT(text.find("\n64\t28512"), text.find("\n1024\t28512"));
}

TEST(Text, EachPassWithAndWithoutResidualHasAFileOfItsOwn) {
  const Scratch scratch;
  Evidence evidence;
  evidence.environments = OneOfEach().environments;
  evidence.times = {Time(64, 0), Time(64, 0), Time(64, 0)};
  evidence.times[1].key.route.residual = true;
  evidence.times[2].key.route.pass = Pass::kForward;
  evidence.waits = OneOfEach().waits;
  const auto files = Dump(evidence, scratch / "out");
  ASSERT_EQ(files.size(), 4);
  EXPECT_EQ(files[0].path, scratch / "out" / "h200_132.tsv");
  EXPECT_EQ(files[0].evidence.waits, evidence.waits);
  const char* names[] = {"h200_132_bwd.tsv", "h200_132_bwd_res.tsv", "h200_132_fwd.tsv"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(files[i + 1].path, scratch / "out" / names[i]);
    EXPECT_EQ(files[i + 1].evidence.times, std::vector{evidence.times[i]});
  }
  Sort(&evidence);
  EXPECT_TRUE(Same(Import({files[3].path, files[1].path, files[0].path, files[2].path}), evidence));
}

TEST(Text, EqualEvidencePrintsTheSameBytesInAnyOrder) {
  Evidence forward;
  Evidence backward;
  for (int i = 0; i < 40; ++i) forward.times.push_back(Time(1 + i * 7 % 40, i % 3));
  backward.times.assign(forward.times.rbegin(), forward.times.rend());
  EXPECT_EQ(TextOf(forward, "h200_132"), TextOf(backward, "h200_132"));
  EXPECT_EQ(DigestOf(forward), DigestOf(backward));
}

TEST(Text, DigestCoversRecordsButNotPublishedFigures) {
  Evidence evidence = OneOfEach();
  const std::string digest = DigestOf(evidence);
  EXPECT_EQ(digest, HexDigest(HandMadeText()));
  evidence.published.push_back({.table = "edges", .line = 1, .pr = "#1", .arch = "", .json = ""});
  EXPECT_EQ(DigestOf(evidence), digest);
  evidence.waits[0].waits = false;
  EXPECT_NE(DigestOf(evidence), digest);
}

TEST(Text, DoublesComeBackToTheBit) {
  for (double value : {0.0, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, 0.000596046, 1e22}) {
    double back = -1;
    ASSERT_TRUE(text::ReadField(text::FieldOf(value), &back)) << value;
    EXPECT_EQ(back, value);
  }
}

TEST(Text, StringsEscapeWhatIsNotPlain) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::string escaped = text::Escape(all);
  for (char c : escaped) EXPECT_TRUE(c >= ' ' && c <= '~');
  std::string back;
  ASSERT_TRUE(text::Unescape(escaped, &back));
  EXPECT_EQ(back, all);
  for (const char* broken : {"\\", "\\q", "\\x", "\\x1", "\\xzz", "\\xA0", "a\tb", "\x7f"}) {
    EXPECT_FALSE(text::Unescape(broken, &back)) << broken;
  }
}

TEST(Text, RoundsFractionsToFiveDigits) {
  EXPECT_EQ(text::FieldOf(RoundFraction(0.00059604644775390625)), "0.00059605");
  EXPECT_EQ(text::FieldOf(RoundFraction(2.0 / 3.0)), "0.66667");
  EXPECT_EQ(RoundFraction(0.0), 0.0);
}

TEST(Text, RefusesToDumpWhatWouldNotReadBack) {
  const Scratch scratch;
  Evidence evidence = OneOfEach();
  evidence.accuracy[0].worst = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ErrorOf([&] { Dump(evidence, scratch.path()); }), testing::HasSubstr("worst: 'nan'"));
  evidence = OneOfEach();
  evidence.environments.clear();
  EXPECT_THAT(ErrorOf([&] { Dump(evidence, scratch.path()); }),
              testing::HasSubstr("environment 'aff6f23d5cbcdee0' is not in the evidence"));
  EXPECT_EQ(scratch.List(), "");
}

TEST(Text, DumpLeavesTheOldFileWhenItCannotWrite) {
  const Scratch scratch;
  hand_made::WriteBytes(scratch / "file", "no folder");
  EXPECT_THAT(ErrorOf([&] { Dump(OneOfEach(), scratch / "file"); }), testing::HasSubstr("file"));
  EXPECT_EQ(hand_made::ReadBytes(scratch / "file"), "no folder");
}

}  // namespace
}  // namespace fenestra
