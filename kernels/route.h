// Routes: what a caller asks for. A program (program.h) is one way to run a route; a window
// (window.h) says for which row counts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fenestra {

// On-disk values of every enum here: append only.
enum class Pass : int { kForward = 0, kBackward = 1 };
enum class Dtype : int { kBf16 = 0, kFp32 = 1 };

// What is promised about dw. kDeterministic: same bits for the same rows on boards of one SM count;
// kBoardInvariant: same bits on every board; kAny: a program without fixed order is permitted.
enum class Determinism : int { kAny = 0, kDeterministic = 1, kBoardInvariant = 2 };

// Shapes rows may come in. kRows: [T, H]; kKey: [T, 4, 256] contiguous; kQuery: [T, 24, 256] with
// strides (12288, 512, 1). The last two exist for H 256 only.
enum class View : int { kRows = 0, kKey = 1, kQuery = 2 };

inline constexpr std::array kWidths{256, 512, 1536, 2048, 4096, 5120, 6144};

// Largest row count any call may name; windows end here.
inline constexpr std::int64_t kMaxRows = (std::int64_t{1} << 31) - 1;

struct Route {
  Pass pass = Pass::kForward;
  bool residual = false;
  Dtype weight = Dtype::kBf16;
  int width = 0;
  Determinism determinism = Determinism::kDeterministic;

  auto operator<=>(const Route&) const = default;
};

// "bwd_res_w16_h6144"; "_nd" is appended for kAny, "_bi" for kBoardInvariant.
std::string ToString(const Route& route);
std::optional<Route> ParseRoute(std::string_view text);

std::string_view ToString(Pass pass);  // "fwd", "bwd"
std::optional<Pass> ParsePass(std::string_view text);
std::string_view ToString(Dtype dtype);  // "w16", "w32"
std::optional<Dtype> ParseDtype(std::string_view text);
std::string_view ToString(Determinism level);  // "any", "deterministic", "board_invariant"
std::optional<Determinism> ParseDeterminism(std::string_view text);
std::string_view ToString(View view);  // "rows", "key", "query"
std::optional<View> ParseView(std::string_view text);

// Rows per token of a view: 1, 4, 24.
constexpr int HeadsOf(View view) { return view == View::kQuery ? 24 : view == View::kKey ? 4 : 1; }

// Views that exist at a width: all three at 256, kRows elsewhere.
std::vector<View> ViewsOf(int width);

// Every route that has programs today, in order of (pass, residual, weight, width).
std::vector<Route> AllRoutes();

// Shell-style match of a route name: '*' any run, '?' one character, ',' separates alternatives.
bool MatchesGlob(std::string_view text, std::string_view glob);

}  // namespace fenestra
