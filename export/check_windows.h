// The checks of a parsed header's windows.
#pragma once

#include <string_view>
#include <vector>

#include "export/check.h"
#include "export/header_parse.h"

namespace fenestra {

// Missing and extra routes, tables that are not total, unknown programs, windows beyond the margin,
// edges never compared. `file` stands in every finding.
std::vector<Finding> CheckWindows(const Evidence& evidence, const Plan& plan,
                                  const ParsedHeader& header, std::string_view file);

}  // namespace fenestra
