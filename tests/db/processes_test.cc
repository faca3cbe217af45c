// Several processes on one file, and processes that die.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::Scratch;
using hand_made::Time;

// Runs f in a child; the child ends without the parent's clean-up.
template <typename F>
pid_t Spawn(F&& f) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    try {
      f();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  return pid;
}

int StatusOf(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

// One comparison group: `kPrograms` processes of one row count, with samples.
constexpr int kProcesses = 4;
Group GroupAt(std::int64_t rows) {
  Group group;
  group.evidence.environments = {hand_made::TheEnvironment()};
  for (int process = 0; process < kProcesses; ++process) {
    group.evidence.times.push_back(Time(rows, process));
    TimeSamples& samples = group.samples.emplace_back();
    samples.key = Time(rows, process).key;
    for (int call = 0; call < 20; ++call) samples.samples.push_back({.call = call, .union_ns = 7});
  }
  return group;
}

TEST(Processes, TwoWritersShareAFileThatNeitherMadeFirst) {
  const Scratch scratch;
  constexpr std::int64_t kRows = 60;
  const auto write = [&](std::int64_t first) {
    Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
    // The last third is written by both.
    for (std::int64_t rows = first; rows < first + kRows; ++rows) store.Append(GroupAt(rows));
  };
  const pid_t a = Spawn([&] { write(1); });
  const pid_t b = Spawn([&] { write(41); });
  EXPECT_EQ(StatusOf(a), 0);
  EXPECT_EQ(StatusOf(b), 0);
  const Store store = Store::Open(scratch / "a.db", OpenMode::kReadOnly);
  const Evidence evidence = store.Load("h200_132");
  ASSERT_EQ(evidence.times.size(), 100U * kProcesses);
  for (std::int64_t rows = 1; rows <= 100; ++rows) {
    EXPECT_EQ(evidence.times[static_cast<std::size_t>(rows - 1) * kProcesses], Time(rows, 0));
  }
  EXPECT_EQ(store.LoadSamples(Time(50, 1).key).size(), 20U);
  EXPECT_EQ(scratch.List(), "a.db");
}

TEST(Processes, AKilledWriterLosesAtMostTheGroupInHand) {
  for (int round = 0; round < 6; ++round) {
    const Scratch scratch;
    int committed[2];  // the child reports each row count it has committed
    ASSERT_EQ(::pipe(committed), 0);
    const pid_t writer = Spawn([&] {
      Store store = Store::Open(scratch / "a.db", OpenMode::kCreate);
      for (std::int64_t rows = 1;; ++rows) {
        store.Append(GroupAt(rows));
        if (::write(committed[1], &rows, sizeof(rows)) != sizeof(rows)) return;
      }
    });
    ::close(committed[1]);
    std::int64_t last = 0;
    while (last < 10 + round && ::read(committed[0], &last, sizeof(last)) == sizeof(last)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(137 * round));
    ::kill(writer, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(StatusOf(writer)));
    while (::read(committed[0], &last, sizeof(last)) == sizeof(last)) {
    }
    ::close(committed[0]);

    // Once as a reader that finds the dead writer's log, once as the sweep that goes on.
    for (OpenMode mode : {OpenMode::kReadOnly, OpenMode::kCreate}) {
      const Store store = Store::Open(scratch / "a.db", mode);
      const Evidence evidence = store.Load("h200_132");
      EXPECT_GE(evidence.times.size(), static_cast<std::size_t>(last) * kProcesses);
      EXPECT_LE(evidence.times.size(), static_cast<std::size_t>(last + 1) * kProcesses);
      EXPECT_EQ(evidence.times.size() % kProcesses, 0U);
      for (const TimeRecord& time : evidence.times) {
        EXPECT_EQ(store.LoadSamples(time.key).size(), 20U);
      }
    }
    EXPECT_EQ(scratch.List(), "a.db");
  }
}

}  // namespace
}  // namespace fenestra
