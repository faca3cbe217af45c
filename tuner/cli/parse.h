// The command line: which command, with which options.
#pragma once

#include <memory>
#include <vector>

#include "tuner/cli/command.h"

namespace fenestra::cli {

// Fills in the options of the command that argv names and returns it; nullptr after --help or
// --version, which it prints. Throws Error (kBadCall) with one line that says what is wrong with
// the command line and what to do, naming the nearest command or option.
Command* ParseCommandLine(int argc, const char* const* argv,
                          const std::vector<std::unique_ptr<Command>>& commands, Output* out);

}  // namespace fenestra::cli
