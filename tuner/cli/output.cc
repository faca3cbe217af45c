#include "tuner/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "accuracy/error.h"

namespace fenestra::cli {
namespace {

bool WantsColor() {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::strcmp(term, "dumb") == 0) return false;
  return isatty(STDOUT_FILENO) == 1;
}

}  // namespace

std::string TextOf(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Output::Output() : color_(WantsColor()) {}

void Output::Print(std::string_view text) {
  while (!closed_ && !text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                  ExitCode::kMachine);
    }
  }
}

void Output::PrintResult(bool as_json, const Json& json, const Table& table) {
  Print(as_json ? TextOf(json) + "\n" : table.Text(color_));
}

}  // namespace fenestra::cli
