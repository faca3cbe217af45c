#include "tuner/cli/suggest.h"

#include <gtest/gtest.h>

namespace fenestra::cli {
namespace {

TEST(EditDistance, CountsEachKindOfEditOnce) {
  EXPECT_EQ(EditDistance("sweep", "sweep"), 0);
  EXPECT_EQ(EditDistance("swep", "sweep"), 1);    // left out
  EXPECT_EQ(EditDistance("sweeep", "sweep"), 1);  // added
  EXPECT_EQ(EditDistance("sleep", "sweep"), 1);   // replaced
  EXPECT_EQ(EditDistance("seewp", "sweep"), 2);   // moved: one out, one in
  EXPECT_EQ(EditDistance("wseep", "sweep"), 1);   // swapped
  EXPECT_EQ(EditDistance("", "plan"), 4);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);  // the textbook pair
}

TEST(Nearest, IsTheFirstOfTheFewestEdits) {
  EXPECT_EQ(Nearest("plam", {"sweep", "plan", "clam"}), "plan");
  EXPECT_EQ(Nearest("plan", {"plan"}), "plan");
}

TEST(Nearest, GivesUpWhenNothingIsNear) {
  EXPECT_EQ(Nearest("xyzzy", {"sweep", "plan"}), "");
  EXPECT_EQ(Nearest("ab", {"cd"}), "");
  EXPECT_EQ(Nearest("plan", {}), "");
}

TEST(DidYouMean, IsACleanClause) {
  EXPECT_EQ(DidYouMean("swep", {"sweep"}), "; did you mean 'sweep'?");
  EXPECT_EQ(DidYouMean("xyzzy", {"sweep"}), "");
}

}  // namespace
}  // namespace fenestra::cli
