// The known name nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fenestra::cli {

// Edits (insertion, deletion, replacement, swap of neighbours) that turn one text into the other.
int EditDistance(std::string_view a, std::string_view b);

// The name with the fewest edits, the first of equals; "" when none is near: more than 2 edits, or
// more than half of the word's length.
std::string Nearest(std::string_view word, const std::vector<std::string>& names);

// "; did you mean 'sweep'?", or "" when none is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names);

}  // namespace fenestra::cli
