// From segments of samples to planned windows: edges, their kinds and classes, and the reasons.
#pragma once

#include <span>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"
#include "tuner/choose_segments.h"
#include "tuner/choose_table.h"

namespace fenestra {

// One window per segment, and a last one above the sampled row counts for the most accurate
// program there: of those whose worst error over the top octave is no more than AllowedBeside the
// smallest, the one that runs below already, else the fastest.
std::vector<PlannedWindow> PlanWindows(const RouteTable& table, std::span<const Segment> segments,
                                       double noise, std::span<const EdgeRecord> edges);

}  // namespace fenestra
