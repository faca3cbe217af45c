#include "export/check_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/text_line.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr std::string_view kInPlace = " in place";

class WindowCheck {
 public:
  WindowCheck(const Evidence& evidence, const Plan& plan, std::string_view file)
      : evidence_(evidence), plan_(plan), file_(file) {}

  std::vector<Finding> Run(const ParsedHeader& header) {
    CheckRoutes(header);
    for (const ParsedRoute& route : header.routes) {
      CheckTable(route, route.windows, "");
      CheckClasses(route, route.windows, "");
      if (route.in_place.empty()) continue;
      CheckTable(route, route.in_place, kInPlace);
      // In a table that both share, the edges are the same.
      if (!SharesTable(route)) CheckClasses(route, route.in_place, kInPlace);
    }
    return std::move(findings_);
  }

 private:
  void Add(Severity severity, int line, std::string_view message, std::string_view remedy) {
    findings_.push_back(
        {severity, std::string(file_), line, text::Escape(message), std::string(remedy)});
  }

  const RoutePlan* Planned(const Route& route) const {
    const auto found = std::find_if(plan_.routes.begin(), plan_.routes.end(),
                                    [&](const RoutePlan& one) { return one.route == route; });
    return found == plan_.routes.end() ? nullptr : &*found;
  }

  void CheckRoutes(const ParsedHeader& header) {
    for (const RoutePlan& planned : plan_.routes) {
      const bool present =
          std::any_of(header.routes.begin(), header.routes.end(),
                      [&](const ParsedRoute& one) { return one.route == planned.route; });
      if (present) continue;
      Add(Severity::kError, 0,
          fmt::format("route {} has evidence but no windows", ToString(planned.route)),
          kRegenerate);
    }
    for (const ParsedRoute& route : header.routes) {
      if (Planned(route.route) != nullptr) continue;
      Add(Severity::kError, route.line,
          fmt::format("route {} has windows but no evidence", ToString(route.route)), kRegenerate);
    }
  }

  void CheckTable(const ParsedRoute& route, const std::vector<ParsedWindow>& windows,
                  std::string_view form) {
    const std::string name = ToString(route.route) + std::string(form);
    std::int64_t end = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const ParsedWindow& parsed = windows[i];
      const Window& window = parsed.window;
      if (window.hi <= window.lo) {
        Add(Severity::kError, parsed.line,
            fmt::format("window ({}, {}] of {} is empty", window.lo, window.hi, name), kRegenerate);
      }
      if (window.lo != end) {
        Add(Severity::kError, parsed.line,
            fmt::format("window ({}, {}] of {} leaves a gap or overlap after {}", window.lo,
                        window.hi, name, end),
            kRegenerate);
      }
      end = window.hi;
      CheckProgram(route, parsed, name, !form.empty());
      CheckMargin(route, parsed, name);
      CheckComment(route, parsed, i == 0 ? nullptr : &windows[i - 1], name);
    }
    if (end != kMaxRows) {
      Add(Severity::kError, windows.empty() ? route.line : windows.back().line,
          fmt::format("windows of {} end at {} rows, not {}", name, end, kMaxRows), kRegenerate);
    }
  }

  void CheckProgram(const ParsedRoute& route, const ParsedWindow& parsed, const std::string& name,
                    bool in_place) {
    if (parsed.window.program < 0) {
      Add(Severity::kError, parsed.line,
          fmt::format("{} is not in the list of programs", parsed.program),
          "put it back into kernels/program_list.h, or sweep and export again");
      return;
    }
    const Program& program = ProgramAt(parsed.window.program);
    if (!Serves(program, route.route) || (in_place && !AllowsInPlace(program))) {
      Add(Severity::kError, parsed.line, fmt::format("{} cannot run {}", parsed.program, name),
          kRegenerate);
    }
  }

  // The comment above a window speaks of the program below its edge, or at the start of the
  // runner-up: of one that the build has and that serves the route.
  void CheckComment(const ParsedRoute& route, const ParsedWindow& parsed, const ParsedWindow* below,
                    const std::string& name) {
    for (std::string_view rest = parsed.reason; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" ,;:"));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (!word.starts_with("fwd_") && !word.starts_with("bwd_")) continue;
      const int program = FindProgram(word);
      if (program < 0 || !Serves(ProgramAt(program), route.route)) {
        Add(Severity::kError, parsed.line,
            fmt::format("the comment names {}, which {}", word,
                        program < 0 ? "is not in the list of programs" : "cannot run " + name),
            kRegenerate);
      } else if (below != nullptr && word != below->program) {
        Add(Severity::kError, parsed.line,
            fmt::format("the comment names {}, and the window below runs {}", word, below->program),
            kRegenerate);
      }
    }
  }

  // The margin where a waiver does not say otherwise.
  double LimitAt(const Route& route, const std::string& program, std::int64_t rows) const {
    double limit = plan_.margin;
    for (const Waiver& waiver : plan_.waivers) {
      if (waiver.route == route && waiver.program == program && rows <= waiver.rows) {
        limit = std::max(limit, waiver.fraction);
      }
    }
    return limit;
  }

  // The top window is unqualified by its kind.
  void CheckMargin(const ParsedRoute& route, const ParsedWindow& parsed, const std::string& name) {
    const Window& window = parsed.window;
    if (route.route.pass == Pass::kForward || window.edge == EdgeKind::kTop) return;
    if (window.program < 0) return;  // said already
    const AccuracyRecord* worst = nullptr;
    const ProgramName twin = DwTwinName(window.program);
    for (const AccuracyRecord& record : evidence_.accuracy) {
      const AccuracyKey& key = record.key;
      if (key.board != plan_.board || key.width != route.route.width ||
          key.program != twin.view() || key.reference != Reference::kOwnRstd ||
          key.protocol != kProtocolVersion || key.rows <= window.lo || key.rows > window.hi ||
          record.worst <= LimitAt(route.route, parsed.program, key.rows)) {
        continue;
      }
      if (worst == nullptr || record.worst > worst->worst) worst = &record;
    }
    if (worst == nullptr) return;
    Add(Severity::kError, parsed.line,
        fmt::format("{} runs {} where it reaches {:.3g} of the budget (limit {:.3g}) at {} rows, "
                    "family {}, seed {}",
                    name, parsed.program, worst->worst,
                    LimitAt(route.route, parsed.program, worst->key.rows), worst->key.rows,
                    ToString(worst->key.family), worst->worst_seed),
        kRegenerate);
  }

  static bool SharesTable(const ParsedRoute& route) {
    return !route.windows.empty() && !route.in_place.empty() &&
           route.windows.front().line == route.in_place.front().line;
  }

  void CheckClasses(const ParsedRoute& route, const std::vector<ParsedWindow>& windows,
                    std::string_view form) {
    for (std::size_t i = 1; i < windows.size(); ++i) {
      const ParsedWindow& parsed = windows[i];
      if (UncomparedOutputs(route.route, parsed.window.classes).empty()) continue;
      Add(Severity::kWarning, parsed.line,
          fmt::format("edge of {}{} at {} rows: outputs on its two sides were never compared",
                      ToString(route.route), form, parsed.window.lo),
          "sweep the route on the board, which classes its edges");
    }
  }

  const Evidence& evidence_;
  const Plan& plan_;
  std::string_view file_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> CheckWindows(const Evidence& evidence, const Plan& plan,
                                  const ParsedHeader& header, std::string_view file) {
  return WindowCheck(evidence, plan, file).Run(header);
}

}  // namespace fenestra
