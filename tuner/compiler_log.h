// What the CUDA compiler says of kernels for boards that are not at hand: the same facts that
// LaunchMeter reads of a loaded kernel, from the text that `nvcc -Xptxas -v` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"
#include "kernels/board.h"

namespace fenestra {

// Registers and spills of every listed program whose main kernel `log` names, for both weight
// dtypes, sorted by key. Shared memory is the static part alone: the compiler does not know the
// other. Throws Error when the log is of another arch than the board's, or names no program.
std::vector<KernelRecord> ReadCompilerLog(std::string_view log, const Board& board,
                                          const std::string& environment);

}  // namespace fenestra
