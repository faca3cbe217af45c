// Evidence of several machines, split at random and read in random orders, gives the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

#include "db/fields.h"
#include "db/text.h"
#include "hand_made.h"
#include "large_evidence.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::ReadBytes;
using hand_made::Same;
using hand_made::Scratch;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr int kMachines = 4;

// Bytes by file name.
using Files = std::map<std::string, std::string>;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Files BytesIn(const fs::path& folder) {
  Files bytes;
  for (const fs::path& file : FilesIn(folder)) bytes[file.filename()] = ReadBytes(file);
  return bytes;
}

Files DumpOf(const Store& store, const fs::path& folder) {
  for (const std::string& board : store.Boards()) Dump(store.Load(board), folder);
  return BytesIn(folder);
}

// Some of each kind, and of every route.
Evidence Whole() {
  constexpr std::int64_t kMeasurements = 60000;
  constexpr std::size_t kKept = 29;  // one in so many
  Evidence evidence = large::LargeEvidence(kMeasurements, std::span(kBoards).first(2));
  const auto thin = [](auto* list) {
    std::size_t number = 0;
    std::erase_if(*list, [&number](const auto&) { return number++ % kKept != 0; });
  };
  thin(&evidence.times);
  thin(&evidence.accuracy);
  return evidence;
}

// Where every record is on at least one machine, and about one in four on another too. There an
// accuracy value may have been seen in a later environment, or stood in for: its place is kept
// from the first.
std::vector<Evidence> Split(const Evidence& whole, std::mt19937_64* random) {
  std::vector<Evidence> machines(kMachines);
  const auto pick = [random](int count) {
    return static_cast<int>((*random)() % static_cast<std::uint64_t>(count));
  };
  for (Evidence& machine : machines) {
    fields::ForEachPair(whole, machine,
                        [&]<typename Record>(const std::vector<Record>& from, auto& to) {
                          if constexpr (std::is_same_v<Record, Environment>) to = from;
                        });
  }
  const auto deal = [&]<typename Record>(const std::vector<Record>& list) {
    for (const Record& record : list) {
      const int first = pick(kMachines);
      std::get<std::vector<Record>&>(fields::ListsOf(machines[first])).push_back(record);
      if (pick(4) != 0) continue;
      Record copy = record;
      if constexpr (std::is_same_v<Record, AccuracyRecord>) {
        copy.stood_in = pick(2) == 0;
        if (!copy.stood_in) copy.environment = machines[0].environments.back().id;
      }
      const int other = (first + 1 + pick(kMachines - 1)) % kMachines;
      std::get<std::vector<Record>&>(fields::ListsOf(machines[other])).push_back(copy);
    }
  };
  deal(whole.times);
  deal(whole.accuracy);
  deal(whole.digests);
  deal(whole.edges);
  deal(whole.waits);
  deal(whole.kernels);
  deal(whole.failures);
  return machines;
}

class MergeOrder : public testing::TestWithParam<int> {};

TEST_P(MergeOrder, DoesNotMatter) {
  const Scratch scratch;
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  const Evidence whole = Whole();
  Dump(whole, scratch / "whole");
  const Files expected = BytesIn(scratch / "whole");
  ASSERT_EQ(expected.size(), 10U);  // five parts of two boards

  const std::vector<Evidence> machines = Split(whole, &random);
  std::vector<fs::path> files;
  for (int i = 0; i < kMachines; ++i) {
    Dump(machines[i], scratch / ("machine" + std::to_string(i)));
    const auto of_machine = FilesIn(scratch / ("machine" + std::to_string(i)));
    files.insert(files.end(), of_machine.begin(), of_machine.end());
  }
  std::shuffle(files.begin(), files.end(), random);

  Dump(Import(files), scratch / "at_once");
  EXPECT_EQ(BytesIn(scratch / "at_once"), expected);

  Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
  for (const fs::path& file : files) store.Append(Import({file}));
  EXPECT_EQ(DumpOf(store, scratch / "one_by_one"), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MergeOrder, testing::Range(0, 6));

TEST(MergeOrder, TimesOfAnotherEnvironmentStandBesideTheFirst) {
  const Scratch scratch;
  const Evidence one = hand_made::OneOfEach();
  Evidence other = one;
  other.environments[0].driver = "590.1";
  other.environments[0] = WithId(other.environments[0]);
  for (TimeRecord& time : other.times) {
    time.key.environment = other.environments[0].id;
    time.median_ns += 100;
  }
  const std::string first = TextOf(one, "h200_132");
  const std::string second = TextOf({.environments = other.environments,
                                     .times = other.times,
                                     .accuracy = {},
                                     .digests = {},
                                     .edges = {},
                                     .waits = {},
                                     .kernels = {},
                                     .failures = {},
                                     .published = {}},
                                    "h200_132");
  hand_made::WriteBytes(scratch / "a.tsv", first);
  hand_made::WriteBytes(scratch / "b.tsv", second);
  const Evidence merged = Import({scratch / "a.tsv", scratch / "b.tsv"});
  EXPECT_TRUE(Same(merged, Import({scratch / "b.tsv", scratch / "a.tsv"})));
  ASSERT_EQ(merged.times.size(), 2U);
  EXPECT_THAT((std::vector{merged.times[0].median_ns, merged.times[1].median_ns}),
              testing::UnorderedElementsAre(28512, 28612));
}

// dw is a function of board, program, rows and seeds: two values cannot both be right.
TEST(MergeOrder, AnAccuracyThatDiffersIsAnErrorThatNamesBoth) {
  const Scratch scratch;
  Evidence other = hand_made::OneOfEach();
  other.accuracy[0].worst = 0.5;
  hand_made::WriteBytes(scratch / "a.tsv", TextOf(hand_made::OneOfEach(), "h200_132"));
  hand_made::WriteBytes(scratch / "b.tsv", TextOf(other, "h200_132"));
  for (const auto& names : {std::array{"a.tsv", "b.tsv"}, std::array{"b.tsv", "a.tsv"}}) {
    const std::string error = ErrorOf([&] { Import({scratch / names[0], scratch / names[1]}); });
    EXPECT_THAT(error, HasSubstr("a.tsv:9"));
    EXPECT_THAT(error, HasSubstr("b.tsv:9"));
    EXPECT_THAT(error, HasSubstr("worst=0.41234"));
    EXPECT_THAT(error, HasSubstr("worst=0.5"));
  }
}

}  // namespace
}  // namespace fenestra
