// A hand-made plan of gb300_152 that has every form a header can show: an edge classed and one not,
// separate and shared in-place tables, a route that was not timed, accuracy stood in for, a waiver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"
#include "tests/tuner/list_program.h"

namespace fenestra::test {

inline constexpr std::string_view kWide256 = kFwd<256>;
inline constexpr std::string_view kNarrow256 = kFwd<256, 1>;
inline constexpr std::string_view kTwo5120 = kBwd<Structure::kRing, Scheme::kTwoProd, 5120>;

inline constexpr Route kForward256{Pass::kForward, false, Dtype::kFp32, 256};
inline constexpr Route kBackward4096{Pass::kBackward, false, Dtype::kBf16, 4096};
inline constexpr Route kBackward5120{Pass::kBackward, false, Dtype::kFp32, 5120};

inline PlannedWindow Planned(std::int64_t lo, std::int64_t hi, std::string_view program,
                             EdgeKind edge, std::string reason, Basis time, Basis accuracy,
                             EdgeClasses classes = {}) {
  PlannedWindow planned;
  planned.window = {lo, hi, FindProgram(program), edge, classes, time, accuracy};
  planned.program = program;
  planned.reason = std::move(reason);
  return planned;
}

inline RoutePlan ForwardPlan() {
  const EdgeClasses same{.y = EdgeClass::kSame, .rstd = EdgeClass::kSame};
  RoutePlan plan;
  plan.route = kForward256;
  plan.qualified_rows = 65537;
  plan.windows = {Planned(0, 128, kWide256, EdgeKind::kStart,
                          "12.0 % faster than " + std::string(kNarrow256) + " at 64 rows",
                          Basis::kMeasured, Basis::kNone),
                  Planned(128, 65537, kNarrow256, EdgeKind::kSpeed,
                          "3.1 % faster than " + std::string(kWide256) + " at 1024 rows",
                          Basis::kMeasured, Basis::kNone, same),
                  Planned(65537, kMaxRows, kNarrow256, EdgeKind::kTop,
                          "unqualified: nothing is sampled above 65537 rows", Basis::kNone,
                          Basis::kNone, same)};
  plan.in_place = plan.windows;
  return plan;
}

inline RoutePlan BackwardPlan() {
  const EdgeClasses differs{.dx = EdgeClass::kSame, .dw = EdgeClass::kDiffers};
  const EdgeClasses same{.dx = EdgeClass::kSame, .dw = EdgeClass::kSame};
  const auto fma = Planned(49152, 65537, kFma, EdgeKind::kAccuracy,
                           std::string(kFold) +
                               " reaches 0.41 of the budget (limit 0.25) at 65536 rows, family "
                               "cancel, seed 12, column 7",
                           Basis::kMeasured, Basis::kStoodIn);
  const auto top = Planned(65537, kMaxRows, kFma, EdgeKind::kTop,
                           "unqualified: the most accurate up to 65537 rows, 0.0006 of the budget",
                           Basis::kNone, Basis::kNone, same);
  RoutePlan plan;
  plan.route = kBackward4096;
  plan.qualified_rows = 65537;
  plan.windows = {Planned(0, 512, kDual, EdgeKind::kStart, "the only program timed there",
                          Basis::kMeasured, Basis::kStoodIn),
                  Planned(512, 49152, kFold, EdgeKind::kSpeed,
                          "9.9 % faster than " + std::string(kDual) + " at 1024 rows",
                          Basis::kMeasured, Basis::kStoodIn, differs),
                  fma, top};
  plan.in_place = {Planned(0, 49152, kFold, EdgeKind::kStart, "the only program timed there",
                           Basis::kMeasured, Basis::kStoodIn),
                   fma, top};
  return plan;
}

inline RoutePlan NotTimedPlan() {
  RoutePlan plan;
  plan.route = kBackward5120;
  plan.qualified_rows = 65537;
  plan.windows = {Planned(0, 65537, kTwo5120, EdgeKind::kStart, "not timed; smallest error",
                          Basis::kNone, Basis::kStoodIn),
                  Planned(65537, kMaxRows, kTwo5120, EdgeKind::kTop, "unqualified", Basis::kNone,
                          Basis::kNone)};
  plan.in_place = plan.windows;
  return plan;
}

inline Environment FixtureEnvironment() {
  Environment environment;
  environment.id = "00000000000000e1";
  environment.gpu = "NVIDIA GB300";
  environment.driver = "580.159.04";
  environment.toolkit = "13.0";
  environment.compiler = "nvcc 13.0.88, g++ 12.2.0";
  environment.host = "aarch64";
  environment.commit = "unknown";
  return environment;
}

inline Plan FixturePlan() {
  Plan plan;
  plan.board = "gb300_152";
  plan.evidence = "0123456789abcdef";
  plan.environments = {FixtureEnvironment().id};
  plan.waivers = {{kBackward4096, 49152, std::string(kFold), 0.4, "few inputs\nnear the edge"}};
  plan.routes = {ForwardPlan(), BackwardPlan(), NotTimedPlan()};
  return plan;
}

// Evidence that this plan could rest on: a record within the margin in each backward window.
inline Evidence FixtureEvidence() {
  Evidence evidence;
  evidence.environments = {FixtureEnvironment()};
  const auto add = [&evidence](int width, std::int64_t rows, std::string_view program,
                               double worst) {
    AccuracyRecord record;
    record.key = {"gb300_152",         width, rows, std::string(program), Family::kCancel,
                  Reference::kOwnRstd, 60};
    record.worst = worst;
    record.worst_seed = 12;
    record.environment = FixtureEnvironment().id;
    evidence.accuracy.push_back(record);
  };
  add(4096, 512, kDual, 0.0006);
  add(4096, 49152, kFold, 0.35);  // waived to 0.4
  add(4096, 65536, kFold, 0.41);
  add(4096, 65536, kFma, 0.0006);
  add(5120, 65536, kTwo5120, 0.0006);
  TimeRecord time;
  time.key = {"gb300_152",        kBackward4096,           View::kRows, 512,
              std::string(kDual), FixtureEnvironment().id, 0,           0};
  time.median_ns = 1000;
  evidence.times = {time};
  return evidence;
}

}  // namespace fenestra::test
