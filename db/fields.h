// The columns of every evidence record, named once: the SQL tables (db/table.h), text evidence
// (db/text.h) and validation all walk these lists.
//
// Kind<Record> has
//   kName                   the SQL table and the section of a text file
//   kGroup                  columns that text evidence writes once for a run of lines
//   Key(record, visit)      calls visit(column name, field) for each field of the key, in order
//   Value(record, visit)    the same for what was measured: equal keys must have equal values
//   Origin(record, visit)   the same for where an equal value was first seen: the least is kept
//
// Columns are append only; a new one is a migration (db/schema.cc) and a text version.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "db/evidence.h"

namespace fenestra::fields {

using Names = std::array<std::string_view, 8>;  // unused places are empty

template <typename Record>
struct Kind;

template <>
struct Kind<Environment> {
  static constexpr std::string_view kName = "environments";
  static constexpr Names kGroup{};
  static void Key(auto& r, auto&& visit) { visit("id", r.id); }
  static void Value(auto& r, auto&& visit) {
    visit("gpu", r.gpu);
    visit("driver", r.driver);
    visit("toolkit", r.toolkit);
    visit("compiler", r.compiler);
    visit("host", r.host);
    visit("commit", r.commit);
    visit("sm_clock_mhz_max", r.sm_clock_mhz_max);
    visit("memory_clock_mhz_max", r.memory_clock_mhz_max);
  }
  static void Origin(auto&, auto&&) {}
};

template <>
struct Kind<TimeRecord> {
  static constexpr std::string_view kName = "times";
  static constexpr Names kGroup{"route",   "view",    "program", "environment",
                                "session", "process", "calls",   "memory_clock_mhz"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.key.board);
    visit("route", r.key.route);
    visit("view", r.key.view);
    visit("rows", r.key.rows);
    visit("program", r.key.program);
    visit("environment", r.key.environment);
    visit("session", r.key.session);
    visit("process", r.key.process);
  }
  static void Value(auto& r, auto&& visit) {
    visit("median_ns", r.median_ns);
    visit("min_ns", r.min_ns);
    visit("p90_ns", r.p90_ns);
    visit("span_median_ns", r.span_median_ns);
    visit("calls", r.calls);
    visit("rounds_discarded", r.rounds_discarded);
    visit("sm_clock_mhz", r.sm_clock_mhz);
    visit("memory_clock_mhz", r.memory_clock_mhz);
    visit("samples_digest", r.samples_digest);
  }
  static void Origin(auto&, auto&&) {}
};

template <>
struct Kind<AccuracyRecord> {
  static constexpr std::string_view kName = "accuracy";
  static constexpr Names kGroup{"width",  "program",  "family",   "reference",
                                "inputs", "protocol", "stood_in", "environment"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.key.board);
    visit("width", r.key.width);
    visit("rows", r.key.rows);
    visit("program", r.key.program);
    visit("family", r.key.family);
    visit("reference", r.key.reference);
    visit("inputs", r.key.inputs);
    visit("protocol", r.key.protocol);
  }
  static void Value(auto& r, auto&& visit) {
    visit("worst", r.worst);
    visit("worst_column", r.worst_column);
    visit("worst_seed", r.worst_seed);
    visit("median", r.median);
  }
  static void Origin(auto& r, auto&& visit) {
    visit("stood_in", r.stood_in);
    visit("environment", r.environment);
  }
};

template <>
struct Kind<DigestRecord> {
  static constexpr std::string_view kName = "digests";
  static constexpr Names kGroup{"width", "program", "protocol"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.key.board);
    visit("width", r.key.width);
    visit("rows", r.key.rows);
    visit("program", r.key.program);
    visit("seed", r.key.seed);
    visit("protocol", r.key.protocol);
  }
  static void Value(auto& r, auto&& visit) { visit("dw", r.dw); }
  static void Origin(auto&, auto&&) {}
};

template <>
struct Kind<EdgeRecord> {
  static constexpr std::string_view kName = "edges";
  static constexpr Names kGroup{"route", "environment"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.key.board);
    visit("route", r.key.route);
    visit("rows", r.key.rows);
    visit("below", r.key.below);
    visit("above", r.key.above);
  }
  static void Value(auto& r, auto&& visit) {
    visit("y", r.classes.y);
    visit("rstd", r.classes.rstd);
    visit("residual_out", r.classes.residual_out);
    visit("dx", r.classes.dx);
    visit("dw", r.classes.dw);
  }
  static void Origin(auto& r, auto&& visit) { visit("environment", r.environment); }
};

template <>
struct Kind<WaitRecord> {
  static constexpr std::string_view kName = "waits";
  static constexpr Names kGroup{"program", "environment"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.key.board);
    visit("program", r.key.program);
    visit("beside_kib", r.key.beside_kib);
    visit("environment", r.key.environment);
  }
  static void Value(auto& r, auto&& visit) { visit("waits", r.waits); }
  static void Origin(auto&, auto&&) {}
};

template <>
struct Kind<KernelRecord> {
  static constexpr std::string_view kName = "kernels";
  static constexpr Names kGroup{"weight", "environment"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.key.board);
    visit("program", r.key.program);
    visit("weight", r.key.weight);
    visit("environment", r.key.environment);
  }
  static void Value(auto& r, auto&& visit) {
    visit("registers", r.registers);
    visit("spill_bytes", r.spill_bytes);
    visit("shared_bytes", r.shared_bytes);
  }
  static void Origin(auto&, auto&&) {}
};

// Failures are events: the same measurement may fail for two reasons, so all of it is key.
template <>
struct Kind<FailureRecord> {
  static constexpr std::string_view kName = "failures";
  static constexpr Names kGroup{"route", "view", "environment"};
  static void Key(auto& r, auto&& visit) {
    visit("board", r.board);
    visit("route", r.route);
    visit("view", r.view);
    visit("rows", r.rows);
    visit("program", r.program);
    visit("reason", r.reason);
    visit("environment", r.environment);
  }
  static void Value(auto&, auto&&) {}
  static void Origin(auto&, auto&&) {}
};

// Every kind of record kept in lists, in file order.
using Records = std::tuple<Environment, TimeRecord, AccuracyRecord, DigestRecord, EdgeRecord,
                           WaitRecord, KernelRecord, FailureRecord>;

// Every field, in column order.
template <typename Record>
void All(auto& record, auto&& visit) {
  Kind<Record>::Key(record, visit);
  Kind<Record>::Value(record, visit);
  Kind<Record>::Origin(record, visit);
}

// The lists of an Evidence that records are kept in (all but `published`), in file order.
template <typename Lists>
auto ListsOf(Lists& e) {
  return std::tie(e.environments, e.times, e.accuracy, e.digests, e.edges, e.waits, e.kernels,
                  e.failures);
}

// Calls f(list) for each list of the evidence.
void ForEachList(auto& evidence, auto&& f) {
  std::apply([&](auto&... list) { (f(list), ...); }, ListsOf(evidence));
}

// Calls f(list of a, list of b) for each kind of record, where b has lists of the same names.
void ForEachPair(auto& a, auto& b, auto&& f) {
  std::apply(
      [&](auto&... of_a) { std::apply([&](auto&... of_b) { (f(of_a, of_b), ...); }, ListsOf(b)); },
      ListsOf(a));
}

// What identifies a record: its key struct, an environment's id, or all of a failure.
template <typename Record>
const auto& KeyOf(const Record& record) {
  if constexpr (requires { record.key; }) {
    return record.key;
  } else if constexpr (requires { record.id; }) {
    return record.id;
  } else {
    return record;
  }
}

// A record of that key, with nothing measured: what look-ups by key take.
template <typename Record>
Record WithKey(const auto& key) {
  Record record;
  record.key = key;
  return record;
}

// The board a record belongs to; "" for environments.
template <typename Record>
std::string_view BoardOf(const Record& record) {
  if constexpr (requires { record.key.board; }) {
    return record.key.board;
  } else if constexpr (requires { record.board; }) {
    return record.board;
  } else {
    return {};
  }
}

// The environment a record was made in; "" where it holds none.
template <typename Record>
std::string_view EnvironmentOf(const Record& record) {
  if constexpr (requires { record.key.environment; }) {
    return record.key.environment;
  } else if constexpr (requires { record.environment; }) {
    return record.environment;
  } else {
    return {};
  }
}

// The inverse of ToString by type, so that visitors need not name each enum.
template <typename Enum>
std::optional<Enum> ParseAs(std::string_view text) {
  if constexpr (std::is_same_v<Enum, Pass>) return ParsePass(text);
  if constexpr (std::is_same_v<Enum, Dtype>) return ParseDtype(text);
  if constexpr (std::is_same_v<Enum, Determinism>) return ParseDeterminism(text);
  if constexpr (std::is_same_v<Enum, View>) return ParseView(text);
  if constexpr (std::is_same_v<Enum, Family>) return ParseFamily(text);
  if constexpr (std::is_same_v<Enum, Reference>) return ParseReference(text);
  if constexpr (std::is_same_v<Enum, EdgeKind>) return ParseEdgeKind(text);
  if constexpr (std::is_same_v<Enum, EdgeClass>) return ParseEdgeClass(text);
  if constexpr (std::is_same_v<Enum, Basis>) return ParseBasis(text);
}

template <typename T>
concept AnyEnum = std::is_enum_v<T>;

}  // namespace fenestra::fields
