// Why a program may or may not run at one row count of a route: the same times and readings that
// window choice takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/evidence.h"
#include "tuner/choose.h"
#include "tuner/choose_table.h"
#include "tuner/choose_times.h"

namespace fenestra {

struct Candidate {
  int program = 0;                   // index in kPrograms
  bool routed = false;               // the window there names it
  std::optional<RelativeTime> time;  // none where it is no candidate by time, or nothing is timed
  AccuracyAt accuracy;               // backward
};

struct Explanation {
  std::int64_t rows = 0;                  // looked at: those asked for or, above the sampled ones,
                                          // the last sampled
  bool timed = false;                     // the route has times
  std::string timed_on;                   // of this board: the one asked about, or its lender
  std::optional<PlannedWindow> window;    // out of place, of the rows asked for
  std::string no_window;                  // why there is none
  std::optional<PlannedWindow> in_place;  // none where no program of the route may run in place
  std::vector<Candidate> candidates;      // fastest first, then in list order; untimed ones last
};

// `options.routes` is not looked at. Throws Error where Choose would, but for a route without an
// admissible program: `no_window` then says which and why.
Explanation Explain(const Evidence& evidence, const ChooseOptions& options, const Route& route,
                    std::int64_t rows);

}  // namespace fenestra
