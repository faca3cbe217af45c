// Hand-made evidence for tests of choice, export and check: one board, a few rows of code each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "db/evidence.h"
#include "tests/tuner/list_program.h"

namespace fenestra::test {

inline constexpr std::string_view kBoard = "h200_132";

inline constexpr Route kBackward{.pass = Pass::kBackward, .weight = Dtype::kBf16, .width = 4096};

using Points = std::initializer_list<std::pair<std::int64_t, double>>;

class EvidenceBuilder {
 public:
  explicit EvidenceBuilder(Route route = kBackward) : route_(route) {
    Environment environment{.id = {},
                            .gpu = "NVIDIA H200",
                            .driver = "580.1",
                            .toolkit = "13.0",
                            .compiler = "nvcc 13.0.88",
                            .host = "x86_64",
                            .commit = "unknown",
                            .sm_clock_mhz_max = 1980,
                            .memory_clock_mhz_max = 3201};
    environment.id = kEnvironment;
    evidence.environments.push_back(environment);
  }

  // Times in nanoseconds per row count, all of one process.
  EvidenceBuilder& Time(std::string_view program, Points points, int process = 0,
                        View view = View::kRows) {
    for (const auto& [rows, ns] : points) {
      TimeRecord record;
      record.key = {std::string(kBoard),  route_,       view, rows,
                    std::string(program), kEnvironment, 0,    process};
      record.median_ns = static_cast<std::int64_t>(ns);
      evidence.times.push_back(record);
    }
    return *this;
  }

  // Worst fractions per row count, the same in every family; half of it as median.
  EvidenceBuilder& Error(std::string_view program, Points points, int inputs = 60) {
    for (const auto& [rows, worst] : points) {
      for (Family family : kFamilies) {
        One(program, rows, family, worst, worst / 2, inputs);
      }
    }
    return *this;
  }

  // The same error at every row count.
  EvidenceBuilder& Flat(std::string_view program, std::initializer_list<std::int64_t> row_counts,
                        double worst) {
    for (std::int64_t rows : row_counts) Error(program, {{rows, worst}});
    return *this;
  }

  EvidenceBuilder& One(std::string_view program, std::int64_t rows, Family family, double worst,
                       double median, int inputs = 60, Reference reference = Reference::kOwnRstd) {
    AccuracyRecord record;
    record.key = {std::string(kBoard), route_.width, rows, std::string(program), family,
                  reference,           inputs};
    record.worst = worst;
    record.worst_column = 7;
    record.worst_seed = 12;
    record.median = median;
    record.environment = kEnvironment;
    evidence.accuracy.push_back(record);
    return *this;
  }

  Evidence evidence;

  static constexpr const char* kEnvironment = "00000000000000e1";

 private:
  Route route_;
};

}  // namespace fenestra::test
