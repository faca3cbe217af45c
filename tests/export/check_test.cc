#include "export/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "export/header.h"
#include "export/header_format.h"
#include "tests/export/plan_fixture.h"

namespace fenestra {
namespace {

using test::FixtureEnvironment;
using test::FixtureEvidence;
using test::FixturePlan;
using test::kForward256;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kFile = "kernels/dispatch/windows/gb300_152.h";

auto Says(const std::string& text) { return Field(&Finding::message, HasSubstr(text)); }

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    plan_.evidence = DigestOf(evidence_);
    text_ = HeaderText(plan_, evidence_.environments);
  }

  // Replaces the first `from` and seals the header anew, as a careful forger would.
  std::string Forge(std::string_view from, std::string_view to) const {
    std::string text = Edit(from, to);
    const std::size_t at = text.find("// content ");
    return text.replace(at, text.find('\n', at) + 1 - at,
                        header::BannerLine("content", header::ContentDigest(text)));
  }

  std::string Edit(std::string_view from, std::string_view to) const {
    std::string text = text_;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  std::vector<Finding> Findings(std::string_view text, std::string_view file = kFile) const {
    return Check(evidence_, plan_, file, text);
  }

  std::vector<Finding> Errors(std::string_view text, std::string_view file = kFile) const {
    std::vector<Finding> findings = Findings(text, file);
    std::erase_if(findings, [](const Finding& one) { return one.severity != Severity::kError; });
    return findings;
  }

  Evidence evidence_ = FixtureEvidence();
  Plan plan_ = FixturePlan();
  std::string text_;
};

TEST_F(CheckTest, HeaderOfItsPlanHasNoErrors) { EXPECT_THAT(Errors(text_), IsEmpty()); }

TEST_F(CheckTest, EdgesNeverComparedAreWarnings) {
  // One accuracy edge, out of place and in place, and the top of the route that was not timed,
  // whose one table serves both.
  const std::vector<Finding> findings = Findings(text_);
  EXPECT_THAT(findings, SizeIs(3));
  EXPECT_THAT(findings, Each(Field(&Finding::severity, Severity::kWarning)));
  EXPECT_THAT(findings, Contains(Says("edge of bwd_w16_h4096 at 49152 rows")));
  EXPECT_THAT(findings, Contains(Says("edge of bwd_w16_h4096 in place at 49152 rows")));
  EXPECT_THAT(ToString(findings[0]),
              testing::MatchesRegex("kernels/.*h:[0-9]+: warning: edge of .*: sweep .*"));
}

TEST_F(CheckTest, HandEditIsCaughtByDigestAndByRegenerating) {
  const std::vector<Finding> errors = Errors(Edit("    // 3.1 % faster", "    // 9.1 % faster"));
  EXPECT_THAT(errors, Contains(Says("edited by hand")));
  EXPECT_THAT(errors, Contains(Says("9.1 % faster")));
}

TEST_F(CheckTest, ForgedCommentIsCaughtByRegeneratingAndNamed) {
  const std::vector<Finding> errors = Errors(Forge("    // 3.1 % faster", "    // 9.1 % faster"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0].message, HasSubstr("not '    // 9.1 % faster"));
  EXPECT_GT(errors[0].line, 0);
}

TEST_F(CheckTest, ACommentThatNamesAnotherProgramIsNamed) {
  const std::string below = "// 3.1 % faster than " + std::string(test::kWide256);
  EXPECT_THAT(Errors(Forge(below, "// 3.1 % faster than " + std::string(test::kNarrow256))),
              Contains(Says("the comment names " + std::string(test::kNarrow256) +
                            ", and the window below runs " + std::string(test::kWide256))));
  EXPECT_THAT(Errors(Forge(below, "// 3.1 % faster than fwd_gone")),
              Contains(Says("the comment names fwd_gone, which is not in the list of programs")));
  EXPECT_THAT(
      Errors(Forge(below, "// 3.1 % faster than " + std::string(test::kFma))),
      Contains(Says("the comment names " + std::string(test::kFma) + ", which cannot run")));
}

TEST_F(CheckTest, MissingContentDigest) {
  EXPECT_THAT(Errors(Edit("// content ", "// context ")), Contains(Says("no content digest")));
}

TEST_F(CheckTest, AnEditedContentDigestIsOneFinding) {
  const std::size_t at = text_.find("// content ");
  const std::size_t digit = text_.find('\n', at) - 1;
  std::string edited = text_;
  edited[digit] = edited[digit] == '0' ? '1' : '0';
  EXPECT_THAT(Errors(edited), ElementsAre(Says("content digest")));
}

TEST_F(CheckTest, OtherEvidence) {
  evidence_.accuracy[0].worst = 0.0007;
  EXPECT_THAT(Errors(text_), Contains(Says("it is of evidence " + plan_.evidence)));
  EXPECT_THAT(Errors(text_), Contains(Says("the plan to compare with is of evidence")));
}

TEST_F(CheckTest, SwappedBoards) {
  // Of another board's header nothing else is said: all of it would seem wrong.
  plan_.noise = 0.5;
  EXPECT_THAT(Errors(text_, "windows/b200_148.h"),
              ElementsAre(Says("its file name says b200_148, not gb300_152")));
  plan_.noise = FixturePlan().noise;
  EXPECT_THAT(Errors(Forge("// board        gb300_152", "// board        b200_148")),
              Contains(Says("its banner says b200_148")));
  EXPECT_THAT(Errors(Forge("FindBoard(\"gb300_152\")", "FindBoard(\"b200_148\")")),
              Contains(Says("its FindBoard says b200_148")));
  std::string renamed = text_;
  for (std::size_t at = 0; (at = renamed.find("kGb300_152", at)) != std::string::npos;) {
    renamed.replace(at, 10, "kB200_148");
  }
  EXPECT_THAT(Errors(renamed), Contains(Says("its tables' name says b200_148")));
}

TEST_F(CheckTest, GapOverlapAndEnd) {
  EXPECT_THAT(Errors(Forge("{    128,    65537", "{    129,    65537")),
              Contains(Says("window (129, 65537] of fwd_w32_h256 leaves a gap or overlap")));
  EXPECT_THAT(Errors(Forge("{    128,    65537", "{    128,      100")),
              Contains(Says("window (128, 100] of fwd_w32_h256 is empty")));
  EXPECT_THAT(Errors(Forge("kMaxRows", "70000")), Contains(Says("end at 70000 rows")));
}

TEST_F(CheckTest, UnknownAndForeignPrograms) {
  const std::string program = "ProgramIndex(\"" + std::string(test::kWide256);
  EXPECT_THAT(Errors(Forge(program, "ProgramIndex(\"fwd_none")),
              Contains(Says("fwd_none is not in the list of programs")));
  EXPECT_THAT(Errors(Forge(program, "ProgramIndex(\"" + std::string(test::kFwd<512>))),
              Contains(Says(std::string(test::kFwd<512>) + " cannot run fwd_w32_h256")));
}

TEST_F(CheckTest, ProgramThatNoRouteRunsIsFound) {
  // A table beside those of the routes would compile its program into the library.
  const std::string stray =
      "// Qualified up to 64 rows.\n"
      "inline constexpr Window kStray[] = {\n"
      "    // as fast as any\n"
      "    {0, kMaxRows, ProgramIndex(\"" +
      std::string(ProgramName(ProgramAt(0)).view()) +
      "\"), kStart, {}, kNone, "
      "kNone},\n"
      "};\n\n";
  EXPECT_THAT(Errors(Forge("// Qualified up to", stray + "// Qualified up to")),
              Contains(Field(&Finding::message, HasSubstr("kStray"))));
}

TEST_F(CheckTest, WindowBeyondTheMarginInTheEvidence) {
  EXPECT_THAT(Errors(Forge("    512,    49152", "    512,    65536")),
              Contains(Says("bwd_w16_h4096 runs " + std::string(test::kFold) +
                            " where it reaches 0.41 of the budget (limit 0.25) at 65536 rows, "
                            "family cancel, seed 12")));
  plan_.waivers.clear();
  EXPECT_THAT(Errors(text_), Contains(Says("reaches 0.35 of the budget (limit 0.25)")));
}

TEST_F(CheckTest, MissingAndExtraRoutes) {
  Plan fewer = plan_;
  fewer.routes.pop_back();
  const std::string without = HeaderText(fewer, evidence_.environments);
  EXPECT_THAT(Errors(without), Contains(Says("route bwd_w32_h5120 has evidence but no windows")));
  plan_ = fewer;
  EXPECT_THAT(Errors(text_), Contains(Says("route bwd_w32_h5120 has windows but no evidence")));
}

TEST_F(CheckTest, OtherMarginAndProtocol) {
  EXPECT_THAT(Errors(Forge(".margin = 0.25", ".margin = 0.8")), Contains(Says("of margin 0.8")));
  plan_.margin = 0.001;
  plan_.waivers.clear();
  const std::vector<Finding> errors = Errors(text_);
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0].message, HasSubstr("of margin 0.25 and noise 0.014, the plan of margin"));
  EXPECT_THAT(
      errors[0].remedy,
      HasSubstr("`fenestra plan --board gb300_152 --margin 0.25 --noise 0.014` and --waive"));
  plan_ = FixturePlan();
  plan_.evidence = DigestOf(evidence_);
  plan_.noise = 0.02;
  EXPECT_THAT(Errors(text_), ElementsAre(Says("the plan of margin 0.25 and noise 0.02")));
  EXPECT_THAT(Errors(Forge(".protocol = 1", ".protocol = 2")), Contains(Says("of protocol 2")));
}

TEST_F(CheckTest, BrokenFormatIsNamedByLine) {
  EXPECT_THAT(Errors(Forge("kStart", "kBegin")), Contains(Says("expected a window")));
  EXPECT_THAT(Errors(""), Contains(Says("expected more: the file is cut short")));
  EXPECT_THAT(Errors(text_.substr(0, text_.size() - 1)), Not(IsEmpty()));
}

TEST_F(CheckTest, AHeaderThatCannotBeReadIsNamedOnceAndComparedNoFurther) {
  plan_.margin = 0.001;
  const std::string text = Forge("kStart", "kBegin");
  const std::vector<Finding> errors = Errors(text);
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0].message, testing::StartsWith("expected a window"));
  EXPECT_EQ(std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(text.find("kBegin")), '\n') +
                1,
            errors[0].line);
}

TEST_F(CheckTest, OfOtherRoutesThanThoseAskedForNothingIsSaid) {
  Plan one = plan_;
  std::erase_if(one.routes, [](const RoutePlan& route) { return route.route != kForward256; });
  const auto findings = [&](std::string_view text) {
    return Check(evidence_, one, kFile, text, nullptr, "fwd_w32_h256");
  };
  EXPECT_THAT(findings(text_), IsEmpty());
  EXPECT_THAT(findings(Forge("{    512,    49152", "{    512,    65536")), IsEmpty());
  EXPECT_THAT(findings(Forge("    // 9.9 % faster", "    // 9.8 % faster")), IsEmpty());
  const std::string forged = Forge("    // 3.1 % faster", "    // 9.1 % faster");
  const std::vector<Finding> found = findings(forged);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].message, HasSubstr("not ' // 9.1 % faster"));
  EXPECT_EQ(found[0].line, Errors(forged).at(0).line);
  one.routes = {plan_.routes[1]};  // with a table of its own for calls in place
  const auto errors =
      Check(evidence_, one, kFile,
            Forge("_in_place[] = {\n    // the only", "_in_place[] = {\n    // the one"), nullptr,
            "bwd_w16_h4096");
  EXPECT_THAT(errors, Contains(Says("not ' // the one program timed there'")));
}

TEST_F(CheckTest, AnyChangedByteIsAnError) {
  for (std::size_t at = 0; at < text_.size(); at += 53) {
    std::string text = text_;
    text[at] = text[at] == 'x' ? 'y' : 'x';
    EXPECT_THAT(Errors(text), Not(IsEmpty())) << "byte " << at;
  }
}

TEST_F(CheckTest, StaleTimesAreWarnings) {
  Environment current = FixtureEnvironment();
  EXPECT_THAT(Check(evidence_, plan_, kFile, text_, &current), SizeIs(3));
  current.driver = "590.1";
  current.compiler = "nvcc 13.1";
  const std::vector<Finding> findings = Check(evidence_, plan_, kFile, text_, &current);
  EXPECT_THAT(findings, Each(Field(&Finding::severity, Severity::kWarning)));
  EXPECT_THAT(findings, Contains(Says("time is stale: measured with driver 580.159.04, now 590")));
  EXPECT_THAT(findings, Contains(Says("time is stale: measured with compiler")));
}

TEST(SeverityTest, NamesRoundTrip) {
  EXPECT_EQ(ParseSeverity(ToString(Severity::kError)), Severity::kError);
  EXPECT_EQ(ParseSeverity(ToString(Severity::kWarning)), Severity::kWarning);
}

}  // namespace
}  // namespace fenestra
