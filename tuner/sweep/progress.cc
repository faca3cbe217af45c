#include "tuner/sweep/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace fenestra {
namespace {

constexpr auto kTerminalInterval = std::chrono::milliseconds(200);
constexpr auto kPlainInterval = std::chrono::seconds(15);

}  // namespace

Progress::Progress()
    : start_(std::chrono::steady_clock::now()),
      shown_(start_),
      terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (dirty_) std::fputc('\n', stderr);
}

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Progress::share() const { return total_ > 0 ? std::min(1.0, done_ / total_) : 1; }

std::string Progress::Text(const std::string& what) const {
  const double left_s = share() > 0 ? elapsed_s() * (1 - share()) / share() : 0;
  return fmt::format("{:5.1f} %  {:.0f} s gone, about {:.0f} s left  {}", 100 * share(),
                     elapsed_s(), left_s, what);
}

void Progress::Done(double cost, const std::string& what) {
  done_ += cost;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (now - shown_ < kTerminalInterval) return;
    fmt::print(stderr, "\r\033[K{}", Text(what));
    std::fflush(stderr);
    dirty_ = true;
  } else {
    if (now - shown_ < kPlainInterval) return;
    fmt::print(stderr, "{}\n", Text(what));
  }
  shown_ = now;
}

void Progress::Say(const std::string& line) {
  fmt::print(stderr, "{}{}\n", dirty_ ? "\r\033[K" : "", line);
  dirty_ = false;
}

}  // namespace fenestra
