// Size checks shared by the functions of accuracy/ that take spans.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "accuracy/error.h"

namespace fenestra {

// Throws Error unless `size` is rows * width. `where` names the caller, `what` the argument.
inline void CheckSize(std::string_view where, std::string_view what, std::size_t size,
                      std::int64_t rows, std::int64_t width) {
  if (rows >= 0 && width > 0 &&
      size == static_cast<std::size_t>(rows) * static_cast<std::size_t>(width)) {
    return;
  }
  throw Error(
      fmt::format("{}: {} holds {} elements; give {} x {}", where, what, size, rows, width));
}

}  // namespace fenestra
