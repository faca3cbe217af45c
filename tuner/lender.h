// A board that nobody here has timed borrows the order of its programs from one that was: the times
// of another board, at equal row counts. What the two are known to differ in is taken into
// account (FP64 arithmetic, which sm_103a is slow at, is added; what spills registers is left out);
// what is not known stays the lender's. Windows say that
// their time is borrowed, and a sweep on the board itself ends the loan.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/evidence.h"
#include "db/store.h"
#include "kernels/board.h"
#include "kernels/program.h"

namespace fenestra {

// Whose times window choice reads for `board`: its own where there are any, or else those of the
// first board of kBoards that the evidence has times of; `board` itself where it has none at all.
std::string_view LenderOf(const Evidence& evidence, std::string_view board);

// The same of what a store holds.
std::string_view LenderOf(const Store& store, std::string_view board);

// The evidence of one board; where it has no times, those of the first board of kBoards that the
// store has times of join it, with that board's failures and the environments of both.
Evidence WithLender(const Store& store, Evidence evidence);

// Whether the compiler spills registers of the program's main kernel on the board: a lender's time
// is not of that code.
bool SpillsOn(const Evidence& evidence, std::string_view board, std::string_view program,
              Dtype weight);

// FP64 results (conversions included) of the SM that has most of them in one call: of the row loop,
// of its partials, and of its share of the reduce.
double Fp64ResultsOfAnSm(const Program& program, std::int64_t rows, int sm_count);

// Nanoseconds that a program's FP64 work takes on a board whose arch is slow at it, if nothing
// hides behind it; 0 on the others, whose FP64 a lender's times hold already.
double SlowFp64Ns(const Program& program, std::int64_t rows, const Board& board);

}  // namespace fenestra
