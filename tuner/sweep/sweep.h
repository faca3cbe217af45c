// A sweep: measures what a profile asks for and the store does not hold yet. Killed at any moment
// it loses at most the comparison group in hand; run again it goes on where it was.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/board.h"
#include "tuner/sweep/progress.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {

// Margins whose accuracy edges every search looks for: the planner's own and the most that a waiver
// allows, which the source documents use.
inline constexpr std::array kSearchedMargins{0.25, 0.8};

struct SweepOptions {
  std::filesystem::path db;
  const Board* board = nullptr;
  std::vector<Route> routes;
  Profile profile = Profile::kQuick;
  bool time = true;
  bool accuracy = true;               // the survey
  bool edges = true;                  // the search for accuracy edges that rests on it
  std::vector<AccuracyProbe> probes;  // measured before that search
  std::int64_t max_rows = kMaxRows;   // leave out larger row counts
  double budget_s = 0;                // stop starting groups after this long; 0: no limit
  double margin = 0.25;               // of the plan whose edges are classed; also searched
  double noise = 0.014;               // of that plan
  // Where a GPU is used: the command that starts a worker on this board (worker.h). Empty: accuracy
  // through the host model, and no times.
  std::vector<std::string> worker;
  bool stood_in = false;  // the machine is not the board: no times
  Environment environment;
  int threads = 1;  // of the host model
};

struct SweepSummary {
  int measured = 0;   // groups
  int present = 0;    // groups that the store held already
  int failed = 0;     // programs that faulted, hung or were refused, each at one row count
  int skipped = 0;    // groups that failed through no single program; the next sweep tries again
  int remaining = 0;  // groups left because the budget ran out
};

// Throws Error when the machine cannot measure at all, or what it measures cannot be stored.
SweepSummary Sweep(const SweepOptions& options, Progress* progress);

}  // namespace fenestra
