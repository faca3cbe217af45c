// scripts/check_includes on trees made here, each with one fault.
#include <gmock/gmock.h>

#include "tests/cli/process.h"

namespace fenestra::testing {
namespace {

using ::testing::HasSubstr;

ProcessResult CheckIncludes(const TempFolder& tree) {
  return RunProcess({FENESTRA_SOURCES "/scripts/check_includes", tree.path()});
}

struct IncludeCase {
  const char* name;
  const char* file;
  const char* line;
  bool accepted;
};

class CheckIncludesTest : public ::testing::TestWithParam<IncludeCase> {};

TEST_P(CheckIncludesTest, Judges) {
  const IncludeCase& test = GetParam();
  const TempFolder tree;
  tree.Write("kernels/route.h", "#pragma once\n#include <array>\n");
  tree.Write(test.file, std::string("#pragma once\n\n") + test.line + "\n");
  const ProcessResult result = CheckIncludes(tree);
  EXPECT_EQ(result.exit_code == 0, test.accepted) << result.out << result.err;
  if (!test.accepted) {
    EXPECT_THAT(result.out, HasSubstr(std::string(test.file) + ":3: " + test.line));
  }
}

constexpr IncludeCase kIncludeCases[] = {
    {"KernelsItself", "kernels/a.h", "#include \"kernels/route.h\"", true},
    {"KernelsAccuracy", "kernels/a.h", "#include \"accuracy/error.h\"", false},
    {"KernelsBelowAccuracy", "kernels/dispatch/a.cc", "#include \"accuracy/error.h\"", false},
    {"KernelsCuda", "kernels/a.cuh", "#include <cuda_bf16.h>", true},
    {"KernelsStandard", "kernels/a.h", "#include <cstdint>", true},
    {"KernelsFmt", "kernels/a.h", "#include <fmt/format.h>", false},
    {"KernelsSqlite", "kernels/a.h", "#include <sqlite3.h>", false},
    {"AccuracyKernels", "accuracy/a.h", "#include \"kernels/route.h\"", true},
    {"AccuracyEigen", "accuracy/a.h", "#include <Eigen/Core>", true},
    {"AccuracyDb", "accuracy/a.h", "#include \"db/records.h\"", false},
    {"DbExport", "db/a.cc", "#include \"export/header.h\"", false},
    {"DbIndented", "db/a.cc", "  #  include \"tuner/choose.h\"", false},
    {"ExportDb", "export/a.cc", "#include \"db/plan.h\"", true},
    {"ExportTuner", "export/a.cc", "#include \"tuner/choose.h\"", false},
    {"TunerExport", "tuner/a.cu", "#include \"export/header.h\"", true},
    {"TunerCli", "tuner/a.cc", "#include \"tuner/cli/table.h\"", false},
    {"CliTuner", "tuner/cli/a.cc", "#include \"tuner/choose.h\"", true},
    {"NotFromTheRoot", "db/a.cc", "#include \"records.h\"", false},
};

INSTANTIATE_TEST_SUITE_P(Trees, CheckIncludesTest, ::testing::ValuesIn(kIncludeCases),
                         [](const auto& test) { return test.param.name; });

TEST(CheckIncludes, RefusesAFolderWithoutSources) {
  const TempFolder tree;
  EXPECT_EQ(CheckIncludes(tree).exit_code, 2);
}

}  // namespace
}  // namespace fenestra::testing
