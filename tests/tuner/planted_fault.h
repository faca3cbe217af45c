// Programs with a planted fault, whatever runs them: the accuracy survey is to catch each, by name,
// and no sound one with it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "db/store.h"
#include "db/text.h"
#include "kernels/arith/scalar.h"
#include "kernels/board.h"
#include "kernels/program_list.h"
#include "tests/tuner/list_program.h"
#include "tuner/readings.h"
#include "tuner/sweep/meter.h"
#include "tuner/sweep/tasks.h"

namespace fenestra::test {

inline constexpr int kFaultyWidth = 256;
inline constexpr int kFaulty =
    IndexOf(Pass::kBackward, kFaultyWidth, Structure::kRing, Scheme::kFma64);

// One call of the faulty program, and what it may have the sound one do.
struct SoundRun {
  std::int64_t rows = 0;
  std::vector<float> before;  // dw as the call finds it
  std::function<std::vector<float>(std::int64_t first, std::int64_t count)> dw_of_rows;

  std::vector<float> dw() const { return dw_of_rows(0, rows); }
};

// The dw that a fault makes of a call.
using Fault = std::function<std::vector<float>(const SoundRun& sound)>;

inline std::vector<float> DropLastRow(const SoundRun& sound) {
  return sound.dw_of_rows(0, sound.rows - 1);
}

inline std::vector<float> AddOneRowTwice(const SoundRun& sound) {
  std::vector<float> dw = sound.dw();
  const std::vector<float> again = sound.dw_of_rows(sound.rows / 2, 1);
  std::ranges::transform(dw, again, dw.begin(), std::plus<>());
  return dw;
}

inline std::vector<float> RoundPartialsToBf16(const SoundRun& sound) {
  constexpr std::int64_t kPartials = 8;
  std::vector<float> dw(kFaultyWidth);
  for (std::int64_t k = 0; k < kPartials; ++k) {
    const std::int64_t first = sound.rows * k / kPartials;
    const std::int64_t count = sound.rows * (k + 1) / kPartials - first;
    const std::vector<float> partial = sound.dw_of_rows(first, count);
    std::ranges::transform(dw, partial, dw.begin(), [](float sum, float part) {
      return sum + arith::FromBf16(arith::ToBf16(part));
    });
  }
  return dw;
}

inline std::vector<float> FailAbove32768Rows(const SoundRun& sound) {
  return sound.rows > 32768 ? DropLastRow(sound) : sound.dw();
}

inline std::vector<float> LeaveOneElement(const SoundRun& sound) {
  std::vector<float> dw = sound.dw();
  dw[100] = sound.before[100];
  return dw;
}

// A fault, the row counts to survey, and those of them at which it shows.
struct Plant {
  const char* name;
  Fault fault;
  std::vector<std::int64_t> rows;
  std::set<std::int64_t> wrong;

  friend std::ostream& operator<<(std::ostream& out, const Plant& plant) {
    return out << plant.name;
  }
};

inline std::vector<Plant> Plants() {
  return {{"ARowIsDropped", DropLastRow, {64, 255}, {64, 255}},
          {"ARowIsAddedTwice", AddOneRowTwice, {64, 255}, {64, 255}},
          {"PartialsAreRoundedToBf16", RoundPartialsToBf16, {64, 255}, {64, 255}},
          {"AnElementIsLeftUnwritten", LeaveOneElement, {64, 255}, {64, 255}},
          {"ItIsWrongAbove32768RowsOnly", FailAbove32768Rows, {32768, 49152}, {49152}}};
}

inline std::string NameOf(const ::testing::TestParamInfo<Plant>& info) { return info.param.name; }

class PlantedFault : public ::testing::TestWithParam<Plant> {
 protected:
  static constexpr Route kRoute{
      .pass = Pass::kBackward, .weight = Dtype::kFp32, .width = kFaultyWidth};

  ~PlantedFault() override { std::filesystem::remove_all(folder_); }

  // Measures a task with the fault in place of kFaulty's dw.
  virtual Group Measure(const AccuracyTask& task, const Fault& fault) = 0;

  static MeterContext Context() {
    MeterContext context;
    context.board = FindBoard("h200_132");
    context.environment = WithId({});
    context.stood_in = true;
    context.threads = 2;
    return context;
  }

  // The faulty program is caught at the row counts at which it is wrong and nowhere else; of the
  // others those that fail anyhow (plain sums do), and no more.
  void ExpectOnlyTheFaultyIsCaught() {
    const Plant& plant = GetParam();
    const std::set<std::int64_t> surveyed = SurveyedRows();
    for (std::int64_t rows : plant.rows) EXPECT_TRUE(surveyed.contains(rows)) << rows;
    auto sound = Caught([](const SoundRun& run) { return run.dw(); }, plant.rows);
    auto caught = Caught(plant.fault, plant.rows);
    for (std::int64_t rows : plant.rows) {
      EXPECT_FALSE(sound[rows].contains(NameAt(kFaulty))) << rows;
      if (plant.wrong.contains(rows)) sound[rows].insert(NameAt(kFaulty));
      EXPECT_EQ(caught[rows], sound[rows]) << rows;
    }
  }

 private:
  // Surveys every backward program of the width at the row counts, over all families, into a store
  // and out again through text. Returns the programs that may not run, by row count.
  std::map<std::int64_t, std::set<std::string>> Caught(const Fault& fault,
                                                       const std::vector<std::int64_t>& rows) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Store store = Store::Open((folder_ / "survey.db").string(), OpenMode::kCreate);
    for (std::int64_t count : rows) {
      for (Family family : kFamilies) {
        store.Append(Measure(
            AccuracyTask{kFaultyWidth, count, family, 2, BackwardProgramsOf(kFaultyWidth, count)},
            fault));
      }
    }
    std::vector<std::filesystem::path> files;
    for (const DumpedFile& file : Dump(store.Load("h200_132"), folder_)) files.push_back(file.path);
    const AccuracyTable table(Import(files), "h200_132", kFaultyWidth);
    std::map<std::int64_t, std::set<std::string>> caught;
    for (std::int64_t count : rows) {
      for (int program : BackwardProgramsOf(kFaultyWidth, count)) {
        const auto readings = ReadingsAt(table, kRoute, NameAt(program), count, 0.25);
        if (WorstFailure(readings) != nullptr) caught[count].insert(NameAt(program));
      }
    }
    return caught;
  }

  // The row counts at which a full survey of the route runs the faulty program.
  static std::set<std::int64_t> SurveyedRows() {
    std::set<std::int64_t> rows;
    for (const AccuracyTask& task : AccuracyTasks({kRoute}, Profile::kFull, "h200_132")) {
      const bool runs = std::ranges::find(task.programs, kFaulty) != task.programs.end();
      if (task.width == kFaultyWidth && runs) rows.insert(task.rows);
    }
    return rows;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("planted_" + std::to_string(getpid()));
};

}  // namespace fenestra::test
