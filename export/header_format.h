// The parts of a generated window header that its writer (header.h) and its reader
// (header_parse.h) share. Nothing else knows the format.
#pragma once

#include <string>
#include <string_view>

#include "kernels/route.h"

namespace fenestra::header {

inline constexpr std::string_view kComment = "// ";
inline constexpr int kKeyWidth = 13;  // of the banner's keys, the space behind them included
inline constexpr int kColumns = 100;

inline constexpr std::string_view kPragma = "#pragma once";
inline constexpr std::string_view kInclude = "#include \"kernels/dispatch/board_windows.h\"";
inline constexpr std::string_view kFormatOff = "// clang-format off";
inline constexpr std::string_view kOpen = "namespace fenestra::windows {";
inline constexpr std::string_view kClose = "}  // namespace fenestra::windows";
inline constexpr std::string_view kQualifiedOpen = "// Qualified up to ";
inline constexpr std::string_view kQualifiedEnd = " rows.";
inline constexpr std::string_view kReason = "    // ";
inline constexpr std::string_view kReasonRest = "    //   ";  // of its further lines
inline constexpr std::string_view kTableOpen = "inline constexpr Window ";
inline constexpr std::string_view kTableEnd = "[] = {";
inline constexpr std::string_view kRoutesOpen = "inline constexpr RouteWindows ";
inline constexpr std::string_view kBoardOpen = "inline constexpr BoardWindows ";
inline constexpr std::string_view kEnd = "};";
inline constexpr std::string_view kInPlaceSuffix = "_in_place";
inline constexpr std::string_view kNoTable = "{}";
inline constexpr std::string_view kMaxRowsName = "kMaxRows";

// "stood_in" -> "kStoodIn": an enumerator from its text form, and back.
std::string EnumeratorOf(std::string_view name);
std::string NameOfEnumerator(std::string_view enumerator);

// "h200_132" -> "kH200_132", the name of a board's BoardWindows, and back.
std::string BoardConstant(std::string_view board);
std::string BoardOfConstant(std::string_view constant);

// "kH200_132_bwd_w32_h4096".
std::string TableName(std::string_view board, const Route& route);

// The row of a route in the table of routes; `in_place` is a table's name or kNoTable.
std::string RouteRow(std::string_view board, const Route& route, std::string_view in_place);

// "static_assert(IsTotal(NAME));".
std::string TotalAssert(std::string_view table);

// FNV-1a, 16 hex digits, of the text without its "content" line(s).
std::string ContentDigest(std::string_view text);

// The banner line "// key          value".
std::string BannerLine(std::string_view key, std::string_view value);

}  // namespace fenestra::header
