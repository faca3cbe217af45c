// What the commands that work on a database take from it.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "db/store.h"
#include "kernels/board.h"

namespace fenestra::cli {

// By name; "auto" is the board of the GPU at hand or, where there is none, the only board with
// evidence in the store. Throws Error that lists the boards to choose from.
const Board& ResolveStoredBoard(const std::string& name, const Store& store);

// All evidence of the board. Throws Error when there is none; `db` names the store in it.
Evidence LoadEvidence(const Store& store, const Board& board, const std::string& db);
[[noreturn]] void ThrowNoEvidence(const std::string& db, std::string_view board);

// The same with what windows are chosen by on a board without times (tuner/lender.h).
Evidence LoadForChoice(const Store& store, const Board& board, const std::string& db);

// That in parts, for a command that need not hold all of it: what the routes of a width share, and
// then one route's times and edges in place of those of the route before. `lender` is LenderOf the
// store and the board: asked once, since it looks through all times.
Evidence LoadWidthForChoice(const Store& store, std::string_view board, std::string_view lender,
                            int width);
void LoadRouteForChoice(const Store& store, std::string_view board, std::string_view lender,
                        const Route& route, Evidence* evidence);

// The board's latest plan, without the routes that do not match. Throws Error when there is none,
// it was chosen from other evidence than the store now holds, or no route is left.
Plan LoadCurrentPlan(const Store& store, const Board& board, const Evidence& evidence,
                     const std::string& routes);

// Names of the releases that the database has.
std::set<std::string> ReleaseNames(const Store& store);

}  // namespace fenestra::cli
