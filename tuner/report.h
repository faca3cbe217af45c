// What a report (export/report.h) shows of one route and of one width, from their evidence alone.
#pragma once

#include <string>
#include <vector>

#include "db/evidence.h"
#include "export/report.h"
#include "tuner/readings.h"

namespace fenestra {

// Error curves of a width: the dw programs in list order, then the comparator.
ReportErrors ReportErrorsOf(const AccuracyTable& accuracy, int width);

// Times of a route and the programs that have them, or, backward, errors of the width. Leaves its
// windows to the caller. Throws Error on a record whose time is not positive.
ReportRoute ReportRouteOf(const Evidence& evidence, std::string_view board, const Route& route,
                          const ReportErrors& errors);

// What is uncertain of a route. `evidence` holds what it holds for ReportRouteOf and the failures
// of the route's width.
std::vector<ReportDoubt> DoubtsOf(const Evidence& evidence, const ReportBoard& board,
                                  const ReportRoute& route, const AccuracyTable& accuracy);

// What is uncertain of the board as a whole: the plan, and environments that differ.
std::vector<ReportDoubt> DoubtsOf(const ReportBoard& board, bool stale);

}  // namespace fenestra
