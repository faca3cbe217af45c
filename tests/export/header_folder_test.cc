#include "export/header_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "accuracy/error.h"
#include "db/files.h"
#include "export/check.h"
#include "export/header.h"
#include "tests/export/plan_fixture.h"

namespace fenestra {
namespace {

using test::FixtureEnvironment;
using test::FixturePlan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HeaderFolderTest : public testing::Test {
 protected:
  HeaderFolderTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("fenestra_headers_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~HeaderFolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void Write(std::string_view board) {
    Plan plan = FixturePlan();
    plan.board = board;
    const Environment environment = FixtureEnvironment();
    EXPECT_EQ(WriteHeader(folder_, plan.board, HeaderText(plan, std::span(&environment, 1))),
              folder_ / (plan.board + ".h"));
  }

  std::filesystem::path folder_;
};

TEST_F(HeaderFolderTest, WritingABoardAddsItToAllBoards) {
  Write("gb300_152");
  Write("b200_148");
  EXPECT_THAT(BoardsIn(folder_), ElementsAre("b200_148", "gb300_152"));
  const std::string all = ReadFile(folder_ / "all.h", 1 << 20);
  EXPECT_THAT(all, HasSubstr("#include \"kernels/dispatch/windows/b200_148.h\"\n"
                             "#include \"kernels/dispatch/windows/gb300_152.h\"\n"));
  EXPECT_THAT(all, HasSubstr("std::array<const BoardWindows*, 2> kBoardWindows{\n"
                             "    &kB200_148,\n    &kGb300_152,\n};\n"));
  EXPECT_THAT(CheckFolder(folder_), IsEmpty());
}

TEST_F(HeaderFolderTest, HeadersAreReadWhereTheyAreAsExported) {
  const auto refusal = [this] {
    try {
      (void)ReadHeaders(folder_);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(), HasSubstr("no header is there"));
  Write("gb300_152");
  Write("b200_148");
  const std::vector<ParsedHeader> headers = ReadHeaders(folder_);
  ASSERT_THAT(headers, SizeIs(2));
  EXPECT_EQ(headers[0].code_board, "b200_148");
  const std::filesystem::path path = folder_ / "gb300_152.h";
  std::string text = ReadFile(path, kMaxHeaderBytes);
  text.replace(text.find("12.0 % faster"), 2, "13");
  WriteFileAtomically(path, text);
  EXPECT_THAT(refusal(), HasSubstr("gb300_152.h: the text differs from its content digest"));
}

TEST_F(HeaderFolderTest, NoBoardGivesAnEmptyTable) {
  EXPECT_THAT(BoardsIn(folder_), IsEmpty());
  EXPECT_THAT(AllHeadersText({}),
              HasSubstr("std::array<const BoardWindows*, 0> kBoardWindows{\n};\n"));
}

TEST_F(HeaderFolderTest, CheckFindsHeadersThatAllBoardsDoesNotList) {
  Write("gb300_152");
  std::filesystem::copy(folder_ / "gb300_152.h", folder_ / "b200_148.h");
  ASSERT_THAT(CheckFolder(folder_), SizeIs(1));
  EXPECT_EQ(CheckFolder(folder_)[0].message, "it does not list b200_148.h, which is there");
  std::filesystem::remove(folder_ / "b200_148.h");
  EXPECT_THAT(CheckFolder(folder_), IsEmpty());
  std::filesystem::rename(folder_ / "gb300_152.h", folder_ / "aside");
  EXPECT_EQ(CheckFolder(folder_)[0].message, "it lists gb300_152.h, which is not there");
  std::filesystem::rename(folder_ / "aside", folder_ / "gb300_152.h");
  std::ofstream(folder_ / "all.h", std::ios::app) << "// mine\n";
  EXPECT_THAT(CheckFolder(folder_)[0].message, HasSubstr("it was edited by hand"));
  std::filesystem::remove(folder_ / "all.h");
  ASSERT_THAT(CheckFolder(folder_), SizeIs(1));
  EXPECT_THAT(CheckFolder(folder_)[0].message, HasSubstr("is missing"));
}

TEST_F(HeaderFolderTest, CheckFindsAHandEdit) {
  Write("gb300_152");
  std::string text = ReadFile(folder_ / "gb300_152.h", 1 << 20);
  text.replace(text.find("kStoodIn"), 8, "kMeasured");
  WriteFileAtomically(folder_ / "gb300_152.h", text);
  ASSERT_THAT(CheckFolder(folder_), SizeIs(1));
  EXPECT_THAT(CheckFolder(folder_)[0].message, HasSubstr("edited by hand"));
}

TEST_F(HeaderFolderTest, StrangeNamesAndMissingFoldersAreErrors) {
  WriteFileAtomically(folder_ / "h100_132.h", "");
  EXPECT_THROW(BoardsIn(folder_), Error);
  EXPECT_THROW(BoardsIn(folder_ / "none"), Error);
}

TEST_F(HeaderFolderTest, MissingBoardHeaderIsAFinding) {
  Write("b200_148");
  const std::vector<Finding> findings = CheckFolder(Evidence{}, FixturePlan(), folder_);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].message, HasSubstr("no header for gb300_152"));
}

}  // namespace
}  // namespace fenestra
