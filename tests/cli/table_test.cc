#include "tuner/cli/table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fenestra::cli {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoTrailingSpaces) {
  Table table({{"name"}, {"time (ns)", Align::kRight}, {"note"}});
  table.Add({"a", "12", "first"});
  table.Add({"longer", "1234", ""});
  EXPECT_EQ(table.Text(),
            "name    time (ns)  note\n"
            "a              12  first\n"
            "longer       1234\n");
}

TEST(Table, CountsCodePointsNotBytes) {
  Table table({{"unit"}, {"x"}});
  table.Add({"µs", "1"});
  table.Add({"ns", "2"});
  EXPECT_EQ(table.Text(), "unit  x\nµs    1\nns    2\n");
}

TEST(Table, NotesStandBelowTheirRowAndWrap) {
  Table table({{"name"}, {"x"}});
  table.Add({"a", "1"});
  table.AddNote(std::string(100, 'p') + " " + std::string(13, 'q') + " rr");
  table.AddNote("short");
  table.Add({"b", "2"});
  // 4 + 100 + 1 + 13 is 118, which still fits.
  EXPECT_EQ(table.Text(), "name  x\na     1\n    " + std::string(100, 'p') + " " +
                              std::string(13, 'q') + "\n      rr\n    short\nb     2\n");
}

TEST(Table, BoldTitlesOnlyWhenAsked) {
  Table table({{"name"}});
  EXPECT_EQ(table.Text(true), "\033[1mname\033[0m\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table({{"name"}, {"x"}});
  EXPECT_THROW(table.Add({"a"}), std::invalid_argument);
}

TEST(Grouped, SetsCommasEveryThreeDigits) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(1572864), "1,572,864");
  EXPECT_EQ(Grouped(-100), "-100");
  EXPECT_EQ(Grouped(-2147483647), "-2,147,483,647");
}

TEST(Counted, UsesThePlural) {
  EXPECT_EQ(Counted(0, "route"), "0 routes");
  EXPECT_EQ(Counted(1, "route"), "1 route");
  EXPECT_EQ(Counted(1234, "route"), "1,234 routes");
}

}  // namespace
}  // namespace fenestra::cli
