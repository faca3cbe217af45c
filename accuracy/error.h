// The one error type of the tools (accuracy, tuner, db, export). Kernels and dispatch return
// Status.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fenestra {

// What a failed command exits with.
enum class ExitCode : int { kOk = 0, kCheckFailed = 1, kBadCall = 2, kMachine = 3 };

// One clear line: what is wrong, where, what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& line, ExitCode exit_code = ExitCode::kBadCall)
      : std::runtime_error(line), exit_code_(exit_code) {}

  ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

}  // namespace fenestra
