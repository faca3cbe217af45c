// What the CUDA compiler says of kernels for boards that are not at hand: the same facts that
// LaunchMeter reads of a loaded kernel, from the text that `nvcc -Xptxas -v` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"
#include "kernels/board.h"

namespace fenestra {

// Registers and spills of every listed program whose main kernel `log` names, sorted by key. Shared
// memory is the static part alone: the compiler does not know the other. Throws Error, with `name`
// and the line, when the log is of another arch than the board's or what it says of a program is
// cut off.
std::vector<KernelRecord> ReadCompilerLog(std::string_view log, std::string_view name,
                                          const Board& board, const std::string& environment);

// Throws Error unless the records hold every program of the widths they are of, with both weight
// dtypes: a log that is cut off between two kernels names too few.
void CheckComplete(const std::vector<KernelRecord>& kernels);

}  // namespace fenestra
