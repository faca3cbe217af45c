// Standard output of the command: results only; errors and progress go to standard error.
#pragma once

#include <string>
#include <string_view>

#include "export/json.h"
#include "tuner/cli/table.h"

namespace fenestra::cli {

using Json = OrderedJson;

// Indented by two; what is no UTF-8, as a path may be, becomes U+FFFD.
std::string TextOf(const Json& json);

class Output {
 public:
  // Asks the terminal; color is off where NO_COLOR is set, stdout is no terminal, or TERM is dumb.
  Output();

  bool color() const { return color_; }

  // Writes at once. A reader that has gone away is not an error: later text is dropped quietly.
  // Throws Error (kMachine) on any other failure, such as a full disk.
  void Print(std::string_view text);

  // A command's result in the form asked for.
  void PrintResult(bool as_json, const Json& json, const Table& table);

 private:
  bool color_ = false;
  bool closed_ = false;
};

}  // namespace fenestra::cli
