#include "export/report_html.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "accuracy/error.h"
#include "export/report_page.h"

namespace fenestra {
namespace {

// The template with each @NAME@ replaced, in one pass: what is put in is not looked at again.
std::string Fill(std::string_view page,
                 const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string out;
  while (!page.empty()) {
    const std::pair<std::string_view, std::string_view>* next = nullptr;
    std::size_t place = page.size();
    for (const auto& value : values) {
      const std::size_t found = page.find(value.first);
      if (found >= place) continue;
      place = found;
      next = &value;
    }
    out += page.substr(0, place);
    if (next == nullptr) break;
    out += next->second;
    page.remove_prefix(place + next->first.size());
  }
  return out;
}

std::string TitleOf(const Report& report) {
  std::string title = "Fenestra report";
  for (const ReportBoard& board : report.boards) {
    title += fmt::format("{}{}", &board == &report.boards.front() ? ": " : ", ", board.name);
  }
  return title;
}

}  // namespace

bool HasReportPage() { return !report_page::kChartJs.empty(); }

std::string_view ReportLibrary() { return report_page::kChartName; }

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// These stand in strings alone, where \u means the same.
std::string EscapeJsonForScript(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string ReportHtml(const Report& report) {
  if (!HasReportPage()) {
    throw Error(
        "this build has no report: it found no Chart.js; 'scripts/install_deps' installs it, then "
        "configure and build again",
        ExitCode::kMachine);
  }
  const std::string title = EscapeHtml(TitleOf(report));
  const std::string library = EscapeHtml(report_page::kChartName);
  const std::string license = EscapeHtml(report_page::kChartLicense);
  const std::string data = EscapeJsonForScript(ReportJson(report));
  return Fill(report_page::kHtml, {{"@TITLE@", title},
                                   {"@POLICY@", report_page::kPolicy},
                                   {"@CSS@", report_page::kCss},
                                   {"@LIBRARY@", library},
                                   {"@LICENSE@", license},
                                   {"@VERSION@", FENESTRA_VERSION},
                                   {"@DATA@", data},
                                   {"@CHART_JS@", report_page::kChartJs},
                                   {"@JS@", report_page::kJs}});
}

}  // namespace fenestra
