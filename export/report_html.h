// A report as one HTML file that opens with no network.
#pragma once

#include <string>
#include <string_view>

#include "export/report.h"

namespace fenestra {

// Whether this build holds the library that draws the charts (cmake/FenestraReport.cmake).
bool HasReportPage();

// The library's name and version, "Chart.js v3.9.1"; "" without it.
std::string_view ReportLibrary();

// The data of a report, as the page reads it: the same bytes for the same report.
std::string ReportJson(const Report& report);

// The page: the same bytes for the same report, no time stamp, no path. REQUIRES: HasReportPage().
std::string ReportHtml(const Report& report);

// Text that can stand in an element or a quoted attribute.
std::string EscapeHtml(std::string_view text);

// JSON that can stand in a script element: it neither ends it nor opens a comment in it.
std::string EscapeJsonForScript(std::string_view json);

}  // namespace fenestra
