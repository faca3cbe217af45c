// Readings: the rules that decide from accuracy evidence alone whether a backward program may run
// at a row count. Pure functions, used to choose windows and to explain the choice.
//
// Source: docs/protocol.md, "Readings".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"

namespace fenestra {

// What the comparator is called in AccuracyKey::program.
inline constexpr std::string_view kComparator = "eager";

// Largest fraction of the budget allowed against the reference at the eager rstd, and the most a
// waiver may allow against the one at the program's own rstd. Where the rounding of rstd alone
// comes to more, which is no program's doing, a program may reach that and AllowedBeside's
// allowance.
inline constexpr double kEagerMargin = 0.8;
inline constexpr double kMaxWaiver = 0.8;

// Up to here a program's own error counts as that of an exact sum, rounded once.
inline constexpr double kExactFraction = 0.001;

// "No worse than the comparator" allows this much more: a share of the comparator's figure, or an
// absolute fraction of the budget, whichever is more.
inline constexpr double kRelativeAllowance = 0.01;
inline constexpr double kAbsoluteAllowance = 0.0005;

// The largest figure that counts as no worse than `figure`, both fractions of the budget.
constexpr double AllowedBeside(double figure) {
  const double relative = kRelativeAllowance * figure;
  return figure + (relative > kAbsoluteAllowance ? relative : kAbsoluteAllowance);
}

// Printed values: append only.
enum class Rule : int {
  kMeasured = 0,         // every family has evidence, of the program and of the comparator
  kMargin = 1,           // worst within the margin, reference at the program's own rstd
  kEagerRstd = 2,        // worst within kEagerMargin, or what rstd's rounding alone comes to;
                         // reference at the eager rstd, where recorded
  kMedian = 3,           // median no worse than the comparator's
  kWorstComparator = 4,  // worst no worse than the comparator's, on the routes that ask for it
};

std::string_view ToString(Rule rule);  // "measured", "margin", "eager_rstd", ...
std::optional<Rule> ParseRule(std::string_view text);

// One rule applied to one program at one row count over one family.
struct Reading {
  Rule rule = Rule::kMeasured;
  std::string program;  // kMeasured: whose evidence is missing, a program or the comparator
  std::int64_t rows = 0;
  Family family = Family::kNormal;
  std::int64_t seed = -1;    // of the worst input; -1 where the value is no single input's
  std::int64_t column = -1;  // likewise
  double value = 0;          // fractions of the budget; 0 for kMeasured
  double limit = 0;
  bool passes = false;
};

// "reaches 0.31 of the budget (limit 0.25) at 8192 rows, family cancel, seed 12, column 7".
std::string Describe(const Reading& reading);

// Accuracy evidence of one board and width at the protocol of this build. Where a program has
// records of several input counts, the one with most inputs counts.
class AccuracyTable {
 public:
  AccuracyTable(const Evidence& evidence, std::string_view board, int width);

  // The record that counts, preferring one of exactly `inputs` inputs; null when there is none.
  const AccuracyRecord* Find(std::string_view program, std::int64_t rows, Family family,
                             Reference reference, int inputs = 0) const;

  // Row counts at which any program has evidence, ascending; the comparator's alone do not count.
  const std::vector<std::int64_t>& rows() const { return rows_; }

  // The row counts whose evidence of the program holds at `rows`: itself where the program was
  // measured, else the nearest ones on either side at which it was. A row count at which it failed
  // is not bridged so, nor one above its last: `rows` itself, which has none.
  std::vector<std::int64_t> PlacesFor(std::string_view program, std::int64_t rows) const;

  // Row counts at which the program has evidence of every family, ascending.
  const std::vector<std::int64_t>& RowsOf(std::string_view program) const;

  // The record of largest worst among the families at the program's own rstd; null when none.
  const AccuracyRecord* Worst(std::string_view program, std::int64_t rows) const;

  // What the rounding of rstd alone comes to against the reference at the eager rstd: the worst
  // fraction there of the program that is most accurate at its own rstd (the largest among equals),
  // which must be within kExactFraction, since an exact sum alone adds nothing. Over this many
  // inputs, or the most below that it has. 0 when no such program has both records.
  double RstdShare(std::int64_t rows, Family family, int inputs) const;

  // Whether any record that counts at the program's own rstd was run elsewhere than on the board.
  bool StoodIn(std::string_view program, std::int64_t rows) const;

 private:
  struct Key {
    std::string program;
    std::int64_t rows;
    Family family;
    Reference reference;
    auto operator<=>(const Key&) const = default;
  };
  // Each list ascending in inputs.
  std::map<Key, std::vector<AccuracyRecord>> records_;
  struct ShareKey {
    std::int64_t rows;
    Family family;
    int inputs;
    auto operator<=>(const ShareKey&) const = default;
  };
  struct Share {
    double own_worst;
    double share;
  };
  void KeepShare(const AccuracyRecord& own);

  std::map<ShareKey, Share> rstd_shares_;
  std::vector<std::int64_t> rows_;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> rows_of_;
  std::set<std::pair<std::string, std::int64_t>> failed_;  // (program, rows)
};

// Whether the route also asks for a worst error no worse than the comparator's.
constexpr bool ComparesWorst(const Route& route) {
  return route.weight == Dtype::kFp32 || route.width == 5120 || route.width == 256;
}

// The waiver that lets `program` exceed `margin` at `rows` of `route`: the one that allows most;
// null when none does.
const Waiver* FindWaiver(std::span<const Waiver> waivers, const Route& route,
                         std::string_view program, std::int64_t rows, double margin);

// Every reading of `program` at `rows` of a backward route, passed or not, in order of family and
// rule. `margin` is the one that holds there, waivers included. A family without evidence gives one
// failing kMeasured reading in place of the others.
std::vector<Reading> ReadingsAt(const AccuracyTable& table, const Route& route,
                                std::string_view program, std::int64_t rows, double margin);

// The first failing reading that is furthest beyond its limit; missing evidence counts as furthest.
// Null when all pass.
const Reading* WorstFailure(std::span<const Reading> readings);

}  // namespace fenestra
