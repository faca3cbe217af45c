// One table per enum gives both directions of its text form.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace fenestra {

template <typename Enum, std::size_t kSize>
using EnumNames = std::array<std::pair<Enum, std::string_view>, kSize>;

template <typename Enum, std::size_t kSize>
constexpr std::string_view NameOf(const EnumNames<Enum, kSize>& names, Enum value) {
  for (const auto& [entry, name] : names) {
    if (entry == value) return name;
  }
  return "unknown";
}

template <typename Enum, std::size_t kSize>
constexpr std::optional<Enum> ValueOf(const EnumNames<Enum, kSize>& names, std::string_view text) {
  for (const auto& [entry, name] : names) {
    if (name == text) return entry;
  }
  return std::nullopt;
}

}  // namespace fenestra
