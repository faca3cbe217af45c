#include "tuner/readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Rule, 5> kRules{{{Rule::kMeasured, "measured"},
                                     {Rule::kMargin, "margin"},
                                     {Rule::kEagerRstd, "eager_rstd"},
                                     {Rule::kMedian, "median"},
                                     {Rule::kWorstComparator, "worst_comparator"}}};

// How far beyond its limit a failing reading is, as a factor.
double Excess(const Reading& reading) {
  if (reading.rule == Rule::kMeasured || !(reading.value <= std::numeric_limits<double>::max())) {
    return std::numeric_limits<double>::infinity();
  }
  return reading.value / reading.limit;
}

// A reading of an input's worst element. A NaN never passes.
Reading WorstReading(Rule rule, const AccuracyRecord& record, double limit) {
  return {.rule = rule,
          .program = record.key.program,
          .rows = record.key.rows,
          .family = record.key.family,
          .seed = record.worst_seed,
          .column = record.worst_column,
          .value = record.worst,
          .limit = limit,
          .passes = record.worst <= limit};
}

Reading Missing(std::string_view program, std::int64_t rows, Family family) {
  return {.program = std::string(program), .rows = rows, .family = family};
}

void AppendFamily(const AccuracyTable& table, const Route& route, std::string_view program,
                  std::int64_t rows, Family family, double margin, std::vector<Reading>* out) {
  const AccuracyRecord* own = table.Find(program, rows, family, Reference::kOwnRstd);
  if (own == nullptr) {
    out->push_back(Missing(program, rows, family));
    return;
  }
  out->push_back(WorstReading(Rule::kMargin, *own, margin));
  if (const auto* eager = table.Find(program, rows, family, Reference::kEagerRstd)) {
    const double share = table.RstdShare(rows, family, eager->key.inputs);
    const double limit = std::max(kEagerMargin, AllowedBeside(share));
    out->push_back(WorstReading(Rule::kEagerRstd, *eager, limit));
  }
  // Compared over the same inputs where both have them: a worst over more inputs is larger.
  const AccuracyRecord* comparator =
      table.Find(kComparator, rows, family, Reference::kOwnRstd, own->key.inputs);
  if (comparator == nullptr || !std::isfinite(comparator->worst)) {  // nothing to compare with
    out->push_back(Missing(kComparator, rows, family));
    return;
  }
  const double median_limit = AllowedBeside(comparator->median);
  out->push_back({.rule = Rule::kMedian,
                  .program = std::string(program),
                  .rows = rows,
                  .family = family,
                  .value = own->median,
                  .limit = median_limit,
                  .passes = own->median <= median_limit});
  if (ComparesWorst(route)) {
    out->push_back(WorstReading(Rule::kWorstComparator, *own, AllowedBeside(comparator->worst)));
  }
}

}  // namespace

std::string_view ToString(Rule rule) { return NameOf(kRules, rule); }
std::optional<Rule> ParseRule(std::string_view text) { return ValueOf(kRules, text); }

std::string Describe(const Reading& reading) {
  const std::string place =
      fmt::format("at {} rows, family {}", reading.rows, ToString(reading.family));
  const std::string input = fmt::format(", seed {}, column {}", reading.seed, reading.column);
  switch (reading.rule) {
    case Rule::kMeasured:
      return fmt::format("has no accuracy evidence of {} {}", reading.program, place);
    case Rule::kMargin:
      return fmt::format("reaches {:.3g} of the budget (limit {:.3g}) {}{}", reading.value,
                         reading.limit, place, input);
    case Rule::kEagerRstd:
      return fmt::format("reaches {:.3g} of the budget at the eager rstd (limit {:.3g}) {}{}",
                         reading.value, reading.limit, place, input);
    case Rule::kMedian:
      return fmt::format("has median {:.3g} of the budget (comparator allows {:.3g}) {}",
                         reading.value, reading.limit, place);
    case Rule::kWorstComparator:
      return fmt::format("reaches {:.3g} of the budget (comparator allows {:.3g}) {}{}",
                         reading.value, reading.limit, place, input);
  }
  return "unknown rule";
}

AccuracyTable::AccuracyTable(const Evidence& evidence, std::string_view board, int width) {
  std::set<std::int64_t> rows;
  for (const AccuracyRecord& record : evidence.accuracy) {
    const AccuracyKey& key = record.key;
    if (key.board != board || key.width != width || key.protocol != kProtocolVersion) continue;
    records_[{key.program, key.rows, key.family, key.reference}].push_back(record);
    if (key.program != kComparator) rows.insert(key.rows);
  }
  for (auto& [key, list] : records_) {
    std::sort(list.begin(), list.end(), [](const AccuracyRecord& a, const AccuracyRecord& b) {
      return a.key.inputs != b.key.inputs ? a.key.inputs < b.key.inputs : a < b;
    });
  }
  rows_.assign(rows.begin(), rows.end());
  for (const FailureRecord& failure : evidence.failures) {
    if (failure.board == board && failure.route.pass == Pass::kBackward &&
        failure.route.width == width) {
      failed_.insert({failure.program, failure.rows});
    }
  }
  std::map<std::pair<std::string, std::int64_t>, int> families;
  for (const auto& [key, list] : records_) {
    if (key.reference == Reference::kOwnRstd) ++families[{key.program, key.rows}];
  }
  for (const auto& [key, count] : families) {
    if (count == static_cast<int>(kFamilies.size())) rows_of_[key.first].push_back(key.second);
  }
  for (const auto& [key, list] : records_) {
    if (key.reference != Reference::kOwnRstd || key.program == kComparator) continue;
    for (const AccuracyRecord& own : list) KeepShare(own);
  }
}

void AccuracyTable::KeepShare(const AccuracyRecord& own) {
  if (own.worst > kExactFraction) return;
  const AccuracyKey& key = own.key;
  const AccuracyRecord* eager =
      Find(key.program, key.rows, key.family, Reference::kEagerRstd, key.inputs);
  if (eager == nullptr || eager->key.inputs != key.inputs || !std::isfinite(eager->worst)) return;
  const Share share{own.worst, eager->worst};
  const auto [entry, added] = rstd_shares_.try_emplace({key.rows, key.family, key.inputs}, share);
  if (added) return;
  Share& kept = entry->second;
  if (share.own_worst < kept.own_worst) {
    kept = share;
  } else if (share.own_worst == kept.own_worst) {
    kept.share = std::max(kept.share, share.share);
  }
}

const AccuracyRecord* AccuracyTable::Find(std::string_view program, std::int64_t rows,
                                          Family family, Reference reference, int inputs) const {
  const auto found = records_.find({std::string(program), rows, family, reference});
  if (found == records_.end()) return nullptr;
  for (const AccuracyRecord& record : found->second) {
    if (record.key.inputs == inputs) return &record;
  }
  return &found->second.back();
}

double AccuracyTable::RstdShare(std::int64_t rows, Family family, int inputs) const {
  const auto above = rstd_shares_.upper_bound({rows, family, inputs});
  if (above == rstd_shares_.begin()) return 0;
  const auto& [key, share] = *std::prev(above);
  return key.rows == rows && key.family == family ? share.share : 0;
}

const std::vector<std::int64_t>& AccuracyTable::RowsOf(std::string_view program) const {
  static const std::vector<std::int64_t> kNone;
  const auto found = rows_of_.find(program);
  return found == rows_of_.end() ? kNone : found->second;
}

std::vector<std::int64_t> AccuracyTable::PlacesFor(std::string_view program,
                                                   std::int64_t rows) const {
  const std::vector<std::int64_t>& measured = RowsOf(program);
  const auto above = std::lower_bound(measured.begin(), measured.end(), rows);
  if (above == measured.end() || *above == rows) return {rows};
  if (failed_.contains({std::string(program), rows})) return {rows};
  if (above == measured.begin()) return {*above};
  return {*std::prev(above), *above};
}

const AccuracyRecord* AccuracyTable::Worst(std::string_view program, std::int64_t rows) const {
  const AccuracyRecord* worst = nullptr;
  for (Family family : kFamilies) {
    const AccuracyRecord* record = Find(program, rows, family, Reference::kOwnRstd);
    if (record != nullptr && (worst == nullptr || !(record->worst <= worst->worst))) {
      worst = record;
    }
  }
  return worst;
}

bool AccuracyTable::StoodIn(std::string_view program, std::int64_t rows) const {
  return std::any_of(kFamilies.begin(), kFamilies.end(), [&](Family family) {
    const AccuracyRecord* record = Find(program, rows, family, Reference::kOwnRstd);
    return record != nullptr && record->stood_in;
  });
}

const Waiver* FindWaiver(std::span<const Waiver> waivers, const Route& route,
                         std::string_view program, std::int64_t rows, double margin) {
  const Waiver* best = nullptr;
  for (const Waiver& waiver : waivers) {
    if (waiver.route != route || waiver.program != program || rows > waiver.rows) continue;
    if (waiver.fraction <= (best == nullptr ? margin : best->fraction)) continue;
    best = &waiver;
  }
  return best;
}

std::vector<Reading> ReadingsAt(const AccuracyTable& table, const Route& route,
                                std::string_view program, std::int64_t rows, double margin) {
  std::vector<Reading> readings;
  for (Family family : kFamilies) {
    AppendFamily(table, route, program, rows, family, margin, &readings);
  }
  return readings;
}

const Reading* WorstFailure(std::span<const Reading> readings) {
  const Reading* worst = nullptr;
  for (const Reading& reading : readings) {
    if (reading.passes) continue;
    if (worst == nullptr || Excess(reading) > Excess(*worst)) worst = &reading;
  }
  return worst;
}

}  // namespace fenestra
