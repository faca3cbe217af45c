// The names by which compiler logs are read are those of the library's kernels. The host compiler
// gives a kernel's launch stub the symbol that the CUDA compiler logs.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/program_list.h"
#include "tuner/compiler_log.h"

namespace fenestra {
namespace {

TEST(CompilerLogSymbolsTest, EveryKernelOfTheLibraryIsKnown) {
  FILE* nm = popen("nm --defined-only --format=posix '" FENESTRA_PROGRAMS_ARCHIVE "'", "r");
  ASSERT_NE(nm, nullptr);
  std::string log;
  char line[4096];
  while (std::fgets(line, sizeof line, nm) != nullptr) {
    const std::string_view text(line);
    const std::string symbol(text.substr(0, text.find(' ')));
    if (!symbol.starts_with("_ZN8fenestra6device")) continue;
    log += "ptxas info    : Compiling entry function '" + symbol + "' for 'sm_90a'\n";
    log += "ptxas info    : Function properties for " + symbol + "\n";
    log += "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
    log += "ptxas info    : Used 32 registers\n";
  }
  ASSERT_EQ(pclose(nm), 0) << "nm of binutils failed on " FENESTRA_PROGRAMS_ARCHIVE;
  const std::vector<KernelRecord> records =
      ReadCompilerLog(log, "symbols", *FindBoard("h200_132"), "e");
  EXPECT_NO_THROW(CheckComplete(records));
  EXPECT_EQ(records.size(), 2 * kPrograms.size());
}

}  // namespace
}  // namespace fenestra
