// A board that nobody here has timed borrows the order of its programs from one that was: the times
// of another board, at equal row counts, route by route. What the two are known to differ in is
// taken into account: FP64 arithmetic, which sm_103a is slow at, and registers that are spilled.
// What is not known stays the lender's. Windows say that their time is borrowed, and times of the
// board itself end the loan of their route.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/evidence.h"
#include "db/store.h"
#include "kernels/board.h"
#include "kernels/program.h"

namespace fenestra {

// Whose times window choice reads for a route of `board`: its own where there are any, or else
// those of another board in the evidence, of the same arch before others, then in the order of
// kBoards. A board that is slow at FP64 lends to its own arch alone. `board` where there is no
// lender.
std::string_view LenderOf(const Evidence& evidence, std::string_view board, const Route& route);

// Who lends to a board that a store has not all routes' times of; `board` where nobody has to or
// can.
std::string_view LenderOf(const Store& store, std::string_view board);

// `evidence`, which is the board's; where it needs a lender, all of that one's times and failures
// join it, with the environments they are of.
Evidence WithLender(const Store& store, std::string_view board, Evidence evidence);

// What a lent time is multiplied by where the compiler spills registers of the program on the board
// (by every record of its kernel there is). An assumption, so that a program without spills is
// preferred unless it is much slower; no board was at hand to measure it.
inline constexpr double kSpillFactor = 1.1;
bool SpillsOn(const Evidence& evidence, std::string_view board, std::string_view program,
              Dtype weight);

// FP64 results (conversions included) of the SM that has most of them in one call: of the row loop,
// of what is handed to the reduce, and of the reduce. Stated for the order of kernels/device.
double Fp64ResultsOfAnSm(const Program& program, std::int64_t rows, int sm_count);

// Nanoseconds that a program's FP64 work takes on a board whose arch is slow at it, if nothing
// hides behind it; 0 on the others, whose FP64 a lender's times hold already.
double SlowFp64Ns(const Program& program, std::int64_t rows, const Board& board);

}  // namespace fenestra
