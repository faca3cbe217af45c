// Texts that very many records share, of boards, programs and environments: each is kept once for
// the life of the process, and a record holds a pointer to it. A million records so fit in memory.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <concepts>
#include <string>
#include <string_view>

namespace fenestra {

// A text to be shared, which reads like a const std::string. Equality compares pointers, order
// compares texts. May be used by several threads.
class Name {
 public:
  template <typename Text>
  static constexpr bool kIsText =
      std::convertible_to<const Text&, std::string_view> && !std::same_as<Text, Name>;

  Name() : Name(std::string_view{}) {}
  // NOLINTBEGIN(google-explicit-constructor): fields are set from plain texts
  template <typename Text>
  requires kIsText<Text> Name(const Text& text) : text_(Shared(text)) {}
  // NOLINTEND(google-explicit-constructor)

  // NOLINTNEXTLINE(google-explicit-constructor): read like the std::string it stands for
  operator const std::string&() const { return *text_; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::string_view() const { return *text_; }
  const std::string& str() const { return *text_; }
  bool empty() const { return text_->empty(); }

  // NOLINTBEGIN(google-readability-casting): there is no cast
  friend bool operator==(const Name& a, const Name& b) { return a.text_ == b.text_; }
  friend std::strong_ordering operator<=>(const Name& a, const Name& b) {
    return a.text_ == b.text_ ? std::strong_ordering::equal : *a.text_ <=> *b.text_;
  }
  template <typename Text>
  requires kIsText<Text>
  friend bool operator==(const Name& a, const Text& b) { return a.str() == std::string_view(b); }
  template <typename Text>
  requires kIsText<Text>
  friend std::strong_ordering operator<=>(const Name& a, const Text& b) {
    return std::string_view(a) <=> std::string_view(b);
  }
  // NOLINTEND(google-readability-casting)

 private:
  // The one copy of a text.
  static const std::string* Shared(std::string_view text);

  const std::string* text_;
};

}  // namespace fenestra

template <>
struct fmt::formatter<fenestra::Name> : fmt::formatter<std::string_view> {
  auto format(const fenestra::Name& name, auto& context) const {
    return fmt::formatter<std::string_view>::format(name, context);
  }
};
