#include "export/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "accuracy/error.h"
#include "db/files.h"
#include "db/text_line.h"
#include "export/check_windows.h"
#include "export/header.h"
#include "export/header_folder.h"
#include "export/header_format.h"
#include "export/header_parse.h"
#include "kernels/board.h"
#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Severity, 2> kSeverities{
    {{Severity::kError, "error"}, {Severity::kWarning, "warning"}}};

// Line by line, so that CRLF and a missing last newline count as differences.
std::string_view TakeLine(std::string_view* text) {
  const std::size_t size = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, size);
  text->remove_prefix(std::min(size + 1, text->size()));
  return line;
}

// Columns are padded to the widest cell of all routes: the text without what that adds.
std::string WithoutPadding(std::string_view text) {
  std::string bare(text);
  const auto end =
      std::unique(bare.begin(), bare.end(), [](char a, char b) { return a == ' ' && b == ' '; });
  bare.erase(end, bare.end());
  return bare;
}

// The lines of a table, with the one above it; empty where there is none. `line`: of the first.
std::string_view TableIn(std::string_view text, const std::string& name, int* line) {
  const std::string open = fmt::format("\n{}{}{}\n", header::kTableOpen, name, header::kTableEnd);
  const std::size_t at = text.find(open);
  if (at == std::string_view::npos) return {};
  const std::size_t above = text.rfind('\n', at == 0 ? 0 : at - 1);
  const std::size_t start = above == std::string_view::npos ? 0 : above + 1;
  const std::string close = fmt::format("\n{}\n", header::TotalAssert(name));
  const std::size_t end = text.find(close, at);
  *line = static_cast<int>(
              std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n')) +
          1;
  return text.substr(start, end == std::string_view::npos ? end : end + close.size() - start);
}

bool IsContent(std::string_view line) { return line.starts_with("// content "); }

class HeaderCheck {
 public:
  // `remedy`: of a text that was edited.
  HeaderCheck(std::string_view name, std::string_view text, std::string_view remedy = kRegenerate)
      : name_(name), text_(text), remedy_(remedy) {}

  std::vector<Finding> Take() { return std::move(findings_); }

  void CheckContent() {
    std::string_view rest = text_;
    for (int line = 1; !rest.empty(); ++line) {
      const std::string_view content = TakeLine(&rest);
      if (!IsContent(content)) continue;
      std::string expected = header::BannerLine("content", header::ContentDigest(text_));
      expected.pop_back();  // the line's end
      if (content != expected) {
        Error(line, "the text differs from its content digest: it was edited by hand", remedy_);
      }
      return;
    }
    Error(0, "the banner has no content digest", remedy_);
  }

  // Whether it is the header of the plan's board.
  bool CheckBoards(const ParsedHeader& header, const Plan& plan) {
    const std::size_t before = findings_.size();
    const std::string stem = std::filesystem::path(name_).stem().string();
    const std::pair<std::string_view, std::string_view> places[] = {
        {"file name", stem},
        {"banner", header.banner_board},
        {"tables' name", header.constant_board},
        {"FindBoard", header.code_board}};
    for (const auto& [place, board] : places) {
      if (board == plan.board) continue;
      Error(0, fmt::format("boards are swapped: its {} says {}, not {}", place, board, plan.board),
            kRegenerate);
    }
    return findings_.size() == before;
  }

  void CheckEvidence(const ParsedHeader& header, const Evidence& evidence, const Plan& plan) {
    const std::string digest = DigestOf(evidence);
    if (plan.evidence != digest) {
      Error(
          0,
          fmt::format("the plan to compare with is of evidence {}, not {}", plan.evidence, digest),
          "plan again from this evidence");
    }
    for (const std::string& named : {header.banner_evidence, header.code_evidence}) {
      if (named == digest) continue;
      Error(0, fmt::format("it is of evidence {}, which has digest {} now", named, digest),
            fmt::format("{}; or bring back the evidence it is of", kRegenerate));
      break;
    }
    if (header.banner_protocol != kProtocolVersion || header.code_protocol != kProtocolVersion) {
      Error(0, fmt::format("it is of protocol {}, not {}", header.code_protocol, kProtocolVersion),
            "sweep with this build, then export");
    }
  }

  // Whether the header states the margin and noise that the plan is of.
  bool CheckSettings(const ParsedHeader& header, const Plan& plan) {
    if (header.code_margin != header.banner_margin) {
      Error(0,
            fmt::format("its banner is of margin {}, its code of margin {}", header.banner_margin,
                        header.code_margin),
            kRegenerate);
    }
    if (header.banner_margin == plan.margin && header.banner_noise == plan.noise) return true;
    Error(0,
          fmt::format("it is of margin {} and noise {}, the plan of margin {} and noise {}",
                      header.banner_margin, header.banner_noise, plan.margin, plan.noise),
          fmt::format("plan as it states with `fenestra plan --board {} --margin {} --noise {}`{}, "
                      "then check again",
                      plan.board, header.banner_margin, header.banner_noise,
                      header.banner_waivers.empty() ? "" : " and --waive for each of its waivers"));
    return false;
  }

  void CheckBytes(const Evidence& evidence, const Plan& plan) {
    const std::string expected = HeaderText(plan, evidence.environments);
    if (text_ != expected) NameDifference(text_, expected, 1);
  }

  // The same for the tables of the plan's routes alone.
  void CheckTables(const Evidence& evidence, const Plan& plan) {
    const std::string expected = HeaderText(plan, evidence.environments);
    for (const RoutePlan& route : plan.routes) {
      const std::string name = header::TableName(plan.board, route.route);
      for (const std::string& table : {name, name + std::string(header::kInPlaceSuffix)}) {
        int line = 0;
        const std::string wanted = WithoutPadding(TableIn(expected, table, &line));
        const std::string given = WithoutPadding(TableIn(text_, table, &line));
        if (given != wanted) NameDifference(given, wanted, line);
      }
    }
  }

  // The first line that differs from what the plan gives, content digests apart: those differ
  // wherever anything does; none where they are all that differs. `line`: number of the texts'
  // first.
  void NameDifference(std::string_view given, std::string_view wanted, int line) {
    for (; !given.empty() || !wanted.empty(); ++line) {
      const bool ends = given.empty() || wanted.empty();
      const std::string_view is = TakeLine(&given);
      const std::string_view should = TakeLine(&wanted);
      if (!ends && (is == should || (IsContent(is) && IsContent(should)))) continue;
      Error(line, fmt::format("regenerating gives other text here: '{}', not '{}'", should, is),
            kRegenerate);
      return;
    }
  }

  void CheckStale(const Evidence& evidence, const Plan& plan, const Environment& current) {
    for (const std::string& id : plan.environments) {
      const bool times =
          std::any_of(evidence.times.begin(), evidence.times.end(), [&](const TimeRecord& record) {
            return record.key.board == plan.board && record.key.environment == id;
          });
      const auto found = std::find_if(evidence.environments.begin(), evidence.environments.end(),
                                      [&](const Environment& one) { return one.id == id; });
      if (!times || found == evidence.environments.end()) continue;
      const std::tuple<std::string_view, std::string_view, std::string_view> changes[] = {
          {"driver", found->driver, current.driver},
          {"toolkit", found->toolkit, current.toolkit},
          {"compiler", found->compiler, current.compiler}};
      for (const auto& [what, then, now] : changes) {
        if (then == now) continue;
        findings_.push_back(
            {Severity::kWarning, std::string(name_), 0,
             fmt::format("time is stale: measured with {} {}, now {}", what, then, now),
             "sweep again with `fenestra sweep --only time`"});
      }
    }
  }

  // The message may quote the file, which may hold any byte.
  void Error(int line, std::string_view message, std::string_view remedy) {
    findings_.push_back(
        {Severity::kError, std::string(name_), line, text::Escape(message), std::string(remedy)});
  }

  void Append(std::vector<Finding> findings) {
    std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
  }

 private:
  std::string_view name_;
  std::string_view text_;
  std::string_view remedy_;
  std::vector<Finding> findings_;
};

// What is wrong with the list of a folder's headers; "" when nothing is.
std::string WrongWithList(const std::filesystem::path& path,
                          const std::vector<std::string>& boards) {
  if (!std::filesystem::exists(path)) return "the list of the folder's headers is missing";
  const std::string text = ReadFile(path, kMaxHeaderBytes);
  if (text == AllHeadersText(boards)) return "";
  for (const Board& board : kBoards) {
    const std::string include = fmt::format("/{}.h\"", board.name);
    const bool listed = text.find(include) != std::string::npos;
    const bool there = std::find(boards.begin(), boards.end(), board.name) != boards.end();
    if (listed && !there) return fmt::format("it lists {}.h, which is not there", board.name);
    if (there && !listed) return fmt::format("it does not list {}.h, which is there", board.name);
  }
  return "the text is not that of a list of these headers: it was edited by hand";
}

}  // namespace

std::string_view ToString(Severity severity) { return NameOf(kSeverities, severity); }
std::optional<Severity> ParseSeverity(std::string_view text) { return ValueOf(kSeverities, text); }

std::string ToString(const Finding& finding) {
  const std::string place =
      finding.line > 0 ? fmt::format("{}:{}", finding.file, finding.line) : finding.file;
  return fmt::format("{}: {}: {}{}{}", place, ToString(finding.severity), finding.message,
                     finding.remedy.empty() ? "" : ": ", finding.remedy);
}

std::vector<Finding> Check(const Evidence& evidence, const Plan& plan, std::string_view name,
                           std::string_view text, const Environment* current,
                           std::string_view routes) {
  HeaderCheck check(name, text);
  check.CheckContent();
  try {
    ParsedHeader header = ParseHeader(text, name);
    std::erase_if(header.routes, [&](const ParsedRoute& one) {
      return !MatchesGlob(ToString(one.route), routes);
    });
    const bool of_board = check.CheckBoards(header, plan);
    if (of_board) check.CheckEvidence(header, evidence, plan);
    if (of_board && check.CheckSettings(header, plan)) {
      check.Append(CheckWindows(evidence, plan, header, name));
      if (routes == "*") {
        check.CheckBytes(evidence, plan);
      } else {
        check.CheckTables(evidence, plan);
      }
    }
  } catch (const HeaderError& error) {
    check.Append({{Severity::kError, std::string(name), error.line(), error.message(),
                   std::string(kRegenerate)}});
  }
  if (current != nullptr) check.CheckStale(evidence, plan, *current);
  return check.Take();
}

std::vector<Finding> CheckFolder(const std::filesystem::path& folder, std::string_view remedy) {
  const std::vector<std::string> boards = BoardsIn(folder);
  std::vector<Finding> findings;
  const auto add = [&findings](std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(findings));
  };
  const std::filesystem::path all = folder / kAllHeadersName;
  if (const std::string wrong = WrongWithList(all, boards); !wrong.empty()) {
    findings.push_back({Severity::kError, all.string(), 0, wrong, std::string(remedy)});
  }
  for (const std::string& board : boards) {
    const std::string path = (folder / (board + ".h")).string();
    const std::string text = ReadFile(path, kMaxHeaderBytes);
    HeaderCheck check(path, text, remedy);
    check.CheckContent();
    add(check.Take());
  }
  return findings;
}

std::vector<Finding> CheckFolder(const Evidence& evidence, const Plan& plan,
                                 const std::filesystem::path& folder, const Environment* current,
                                 std::string_view routes) {
  std::vector<Finding> findings = CheckFolder(folder);
  const std::filesystem::path path = folder / (plan.board + ".h");
  if (!std::filesystem::exists(path)) {
    findings.push_back({Severity::kError, path.string(), 0,
                        fmt::format("there is no header for {}", plan.board),
                        std::string(kRegenerate)});
    return findings;
  }
  std::erase_if(findings, [&](const Finding& one) { return one.file == path.string(); });
  const std::string text = ReadFile(path, kMaxHeaderBytes);
  for (Finding& one : Check(evidence, plan, path.string(), text, current, routes)) {
    findings.push_back(std::move(one));
  }
  return findings;
}

}  // namespace fenestra
