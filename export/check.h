// Do a generated header, the plan and the evidence belong together?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"

namespace fenestra {

// Printed values: append only.
enum class Severity : int { kError = 0, kWarning = 1 };
std::string_view ToString(Severity severity);  // "error", "warning"
std::optional<Severity> ParseSeverity(std::string_view text);

struct Finding {
  Severity severity = Severity::kError;
  std::string file;     // as it was given
  int line = 0;         // from 1; 0: the file as a whole
  std::string message;  // what is wrong, one clause
  std::string remedy;   // what to do, one clause; "" where the message says it

  auto operator<=>(const Finding&) const = default;
};

inline constexpr std::string_view kRegenerate =
    "`fenestra plan` with the margin and noise in its first lines, then `fenestra export`";

// "h200_132.h:37: error: ...: ...".
std::string ToString(const Finding& finding);

// Checks one header: `text` of the file `name` (its last component names the board), against the
// plan that the caller chose from `evidence` for that board. `routes` is the glob that the plan was
// chosen with: of a header's other routes nothing is said.
//
// Errors: the text differs from its own content digest (edited by hand), from its format, from the
// evidence (digest), from the plan (routes, windows, bytes); boards are swapped; a table is not
// sorted, gap-free and total; a program is unknown or does not serve its route; a window is beyond
// the margin (or a waiver) somewhere in the evidence. Warnings: edges whose outputs were never
// compared; with `current`, times measured under another driver, toolkit or compiler. A change of
// program source is not seen here. A header that cannot be read, or that states another margin or
// noise than the plan's, is not compared further: all of it would seem wrong.
std::vector<Finding> Check(const Evidence& evidence, const Plan& plan, std::string_view name,
                           std::string_view text, const Environment* current = nullptr,
                           std::string_view routes = "*");

// Checks that all.h lists just the headers in the folder, and each header's own content digest.
// `remedy`: of what is found.
std::vector<Finding> CheckFolder(const std::filesystem::path& folder,
                                 std::string_view remedy = kRegenerate);

// Reads and checks <folder>/<plan.board>.h, and the folder. A missing file is an error finding.
std::vector<Finding> CheckFolder(const Evidence& evidence, const Plan& plan,
                                 const std::filesystem::path& folder,
                                 const Environment* current = nullptr,
                                 std::string_view routes = "*");

}  // namespace fenestra
