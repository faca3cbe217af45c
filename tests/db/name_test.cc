#include "db/name.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "db/records.h"

namespace fenestra {
namespace {

// Half of what docs/store.md says a store at scale may take rests on these.
static_assert(sizeof(Name) == sizeof(void*));
static_assert(sizeof(AccuracyRecord) <= 96);

TEST(Name, ReadsLikeTheTextItStandsFor) {
  const Name name = "h200_132";
  EXPECT_EQ(name, "h200_132");
  EXPECT_EQ(name, std::string("h200_132"));
  EXPECT_EQ(fmt::format("<{}>", name), "<h200_132>");
  const std::string& text = name;
  const std::string_view view = name;
  EXPECT_EQ(text, view);
  EXPECT_EQ(Name(std::string("h200_") + "132"), name);
  EXPECT_NE(name, "h200_13");
  EXPECT_TRUE(Name().empty());
  EXPECT_EQ(Name(), "");
}

// Whichever was asked for first.
TEST(Name, IsOrderedByText) {
  const Name later = "name_test_b";
  const Name earlier = "name_test_a";
  EXPECT_LT(earlier, later);
  EXPECT_LT(Name(), earlier);
  EXPECT_LT(earlier, "name_test_aa");
  EXPECT_GT(later, std::string("name_test_a"));
}

TEST(Name, IsOneForAllThreads) {
  std::vector<Name> names(8);
  std::vector<std::thread> threads;
  for (Name& name : names) {
    threads.emplace_back([&name] {
      for (int i = 0; i < 1000; ++i) name = fmt::format("thread_{}", i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Name& name : names) {
    EXPECT_EQ(&name.str(), &names.front().str());
    EXPECT_EQ(name, "thread_999");
  }
}

}  // namespace
}  // namespace fenestra
