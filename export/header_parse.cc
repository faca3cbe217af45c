#include "export/header_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "db/parse_number.h"
#include "db/text_line.h"
#include "export/header_format.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr std::string_view kRemedy = "regenerate it with `fenestra export`";

// The text between `prefix` and `suffix` when `line` is just that.
std::optional<std::string_view> Between(std::string_view line, std::string_view prefix,
                                        std::string_view suffix) {
  if (line.size() < prefix.size() + suffix.size() || !line.starts_with(prefix) ||
      !line.ends_with(suffix)) {
    return std::nullopt;
  }
  return line.substr(prefix.size(), line.size() - prefix.size() - suffix.size());
}

bool SetClass(std::string_view output, EdgeClass edge_class, EdgeClasses* classes) {
  const std::pair<std::string_view, EdgeClass EdgeClasses::*> outputs[] = {
      {"y", &EdgeClasses::y},
      {"rstd", &EdgeClasses::rstd},
      {"residual_out", &EdgeClasses::residual_out},
      {"dx", &EdgeClasses::dx},
      {"dw", &EdgeClasses::dw}};
  for (const auto& [name, member] : outputs) {
    if (name != output) continue;
    classes->*member = edge_class;
    return true;
  }
  return false;
}

// ".dx = kSame, .dw = kDiffers".
std::optional<EdgeClasses> ParseClasses(const std::string& text) {
  static const std::regex kItem(R"(\.(\w+) = (k\w+)(?:, |$))");
  EdgeClasses classes;
  std::size_t end = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), kItem); it != std::sregex_iterator();
       ++it) {
    const auto edge_class = ParseEdgeClass(header::NameOfEnumerator((*it)[2].str()));
    if (static_cast<std::size_t>(it->position()) != end || !edge_class ||
        !SetClass((*it)[1].str(), *edge_class, &classes)) {
      return std::nullopt;
    }
    end += static_cast<std::size_t>(it->length());
  }
  if (end != text.size()) return std::nullopt;
  return classes;
}

// No window's line is nearly as long; std::regex recurses with every character, and a longer line
// would exhaust the stack.
constexpr std::size_t kMaxWindowBytes = 1024;

std::optional<ParsedWindow> ParseWindow(std::string_view line) {
  if (line.size() > kMaxWindowBytes) return std::nullopt;
  static const std::regex kLine(
      R"re(\s+\{\s*(\d+),\s+(\d+|kMaxRows), ProgramIndex\("(\w+)"\),\s+(k\w+),\s+)re"
      R"re(\{([^{}]*)\},\s+(k\w+),\s+(k\w+)\},)re");
  std::cmatch match;
  if (!std::regex_match(line.data(), line.data() + line.size(), match, kLine)) {
    return std::nullopt;
  }
  const auto lo = ParseNumber<std::int64_t>(match[1].str());
  const auto hi = match[2] == std::string(header::kMaxRowsName)
                      ? std::optional<std::int64_t>(kMaxRows)
                      : ParseNumber<std::int64_t>(match[2].str());
  const auto edge = ParseEdgeKind(header::NameOfEnumerator(match[4].str()));
  const auto classes = ParseClasses(match[5].str());
  const auto time = ParseBasis(header::NameOfEnumerator(match[6].str()));
  const auto accuracy = ParseBasis(header::NameOfEnumerator(match[7].str()));
  if (!lo || !hi || !edge || !classes || !time || !accuracy) return std::nullopt;
  ParsedWindow parsed;
  parsed.program = match[3].str();
  parsed.window = {*lo, *hi, FindProgram(parsed.program), *edge, *classes, *time, *accuracy};
  parsed.text = line;
  return parsed;
}

struct Table {
  int line = 0;
  std::int64_t qualified_rows = 0;
  std::vector<ParsedWindow> windows;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : name_(name) {
    while (!text.empty()) {
      const std::size_t size = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, size));
      text.remove_prefix(std::min(size + 1, text.size()));
    }
  }

  ParsedHeader Run() {
    ParseBanner();
    for (std::string_view line : {std::string_view(), header::kInclude, std::string_view(),
                                  header::kFormatOff, header::kOpen, std::string_view()}) {
      Expect(line);
    }
    while (!Peek().starts_with(header::kRoutesOpen)) ParseTable();
    ParseRoutes();
    ParseBoard();
    Expect(header::kClose);
    if (next_ != lines_.size()) Fail("nothing after the end");
    return std::move(parsed_);
  }

 private:
  // Names the line read last.
  [[noreturn]] void Fail(std::string_view expected) const {
    // What is expected may quote the file, and a file may hold any byte.
    throw HeaderError(name_, std::max(static_cast<int>(next_), 1),
                      fmt::format("expected {}", text::Escape(expected)), kRemedy);
  }

  std::string_view Next() {
    if (next_ == lines_.size()) Fail("more: the file is cut short");
    return lines_[next_++];
  }
  std::string_view Peek() const {
    return next_ < lines_.size() ? lines_[next_] : std::string_view();
  }
  void Expect(std::string_view line) {
    if (Next() != line) Fail(line.empty() ? "an empty line" : fmt::format("'{}'", line));
  }
  std::string_view ExpectBetween(std::string_view prefix, std::string_view suffix) {
    const auto text = Between(Next(), prefix, suffix);
    if (!text) Fail(fmt::format("'{}...{}'", prefix, suffix));
    return *text;
  }
  template <typename Number>
  Number ExpectNumber(std::string_view text) {
    const auto number = ParseNumber<Number>(text);
    if (!number) Fail("a number");
    return *number;
  }

  void ParseBanner() {
    std::map<std::string, std::string, std::less<>> first;  // first word of each key's last line
    std::vector<std::string> waivers;
    std::string key;
    while (Peek() != header::kPragma) {
      const std::string_view line = Next();
      if (!line.starts_with("//")) Fail("a comment line of the banner");
      if (line.size() <= header::kComment.size() + header::kKeyWidth) continue;
      const std::string value(line.substr(header::kComment.size() + header::kKeyWidth));
      if (line[3] == ' ') {
        if (key == "waiver") waivers.back() += " " + value;
        continue;
      }
      key = line.substr(3, line.find(' ', 3) - 3);
      first.insert_or_assign(key, value.substr(0, value.find(' ')));
      if (key == "waiver") waivers.push_back(value);
      if (key == "environment") parsed_.environments.emplace_back(first["environment"]);
    }
    Expect(header::kPragma);
    for (std::string_view need : {"board", "margin", "noise", "protocol", "evidence", "content"}) {
      if (!first.contains(need)) Fail(fmt::format("'{}' in the banner", need));
    }
    parsed_.banner_board = first["board"];
    parsed_.banner_margin = ExpectNumber<double>(first["margin"]);
    parsed_.banner_noise = ExpectNumber<double>(first["noise"]);
    parsed_.banner_protocol = ExpectNumber<int>(first["protocol"]);
    parsed_.banner_evidence = first["evidence"];
    parsed_.content = first["content"];
    for (const std::string& text : waivers) {
      const std::optional<Waiver> waiver = ParseWaiver(text);
      if (!waiver) Fail("waivers as ROUTE PROGRAM up to ROWS rows to FRACTION: REASON");
      parsed_.banner_waivers.push_back(*waiver);
    }
  }

  void ParseTable() {
    std::int64_t qualified_rows = 0;
    while (Peek().starts_with("// ")) {
      const auto rows = Between(Next(), header::kQualifiedOpen, header::kQualifiedEnd);
      if (rows) qualified_rows = ExpectNumber<std::int64_t>(*rows);
    }
    const std::string name(ExpectBetween(header::kTableOpen, header::kTableEnd));
    Table table{.line = static_cast<int>(next_), .qualified_rows = qualified_rows, .windows = {}};
    std::string reason;
    while (Peek() != header::kEnd) {
      const std::string_view line = Next();
      if (line.starts_with(header::kReasonRest)) {
        reason += fmt::format(" {}", line.substr(header::kReasonRest.size()));
        continue;
      }
      if (line.starts_with(header::kReason)) {
        reason = line.substr(header::kReason.size());
        continue;
      }
      auto window = ParseWindow(line);
      if (!window)
        Fail("a window '{lo, hi, ProgramIndex(\"...\"), kind, {classes}, time, accuracy}'");
      window->line = static_cast<int>(next_);
      window->reason = std::exchange(reason, {});
      table.windows.push_back(std::move(*window));
    }
    Expect(header::kEnd);
    Expect(header::TotalAssert(name));
    Expect("");
    if (!tables_.emplace(name, std::move(table)).second) Fail("each table once");
  }

  void ParseRoutes() {
    const std::string name(ExpectBetween(header::kRoutesOpen, header::kTableEnd));
    const auto board = Between(name, "", "_routes");
    if (!board) Fail("a table of routes named '..._routes'");
    constant_ = *board;
    parsed_.constant_board = header::BoardOfConstant(constant_);
    while (Peek() != header::kEnd) ParseRouteRow(Next());
    Expect(header::kEnd);
    Expect(fmt::format("static_assert(AreSound({}));", name));
    Expect("");
    for (const auto& [table, windows] : tables_) {
      if (!used_.contains(table)) Fail(fmt::format("'{}' in the table of routes", table));
    }
  }

  // A row is known by its table: whichever of the ways to write that route it is.
  void ParseRouteRow(std::string_view row) {
    for (const auto& [name, table] : tables_) {
      const auto text = Between(name, constant_ + "_", "");
      const auto route = text ? ParseRoute(*text) : std::nullopt;
      if (!route) continue;
      const std::string other = name + std::string(header::kInPlaceSuffix);
      for (std::string_view in_place :
           {std::string_view{name}, std::string_view{other}, header::kNoTable}) {
        if (row != header::RouteRow(parsed_.constant_board, *route, in_place)) continue;
        ParsedRoute parsed{*route, table.line, table.windows, {}, table.qualified_rows};
        if (in_place != header::kNoTable) {
          const auto found = tables_.find(std::string(in_place));
          if (found == tables_.end()) Fail(fmt::format("a table '{}'", in_place));
          parsed.in_place = found->second.windows;
          used_.insert(found->first);
        }
        used_.insert(name);
        parsed_.routes.push_back(std::move(parsed));
        return;
      }
    }
    Fail("a row of the table of routes, as its tables above are named");
  }

  void ParseBoard() {
    Expect(fmt::format("{}{}{{", header::kBoardOpen, constant_));
    parsed_.code_board = ExpectBetween("    .board = FindBoard(\"", "\"),");
    Expect(fmt::format("    .routes = {}_routes,", constant_));
    parsed_.code_evidence = ExpectBetween("    .evidence_digest = \"", "\",");
    parsed_.code_margin = ExpectNumber<double>(ExpectBetween("    .margin = ", ","));
    parsed_.code_protocol = ExpectNumber<int>(ExpectBetween("    .protocol = ", ","));
    Expect(fmt::format("    .index = IndexRoutes({}_routes),", constant_));
    Expect(header::kEnd);
    Expect("");
  }

  std::string_view name_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  std::string constant_;  // "kH200_132"
  std::map<std::string, Table> tables_;
  std::set<std::string> used_;
  ParsedHeader parsed_;
};

}  // namespace

HeaderError::HeaderError(std::string_view name, int line, std::string what, std::string_view remedy)
    : Error(fmt::format("{}:{}: {}: {}", name, line, what, remedy), ExitCode::kCheckFailed),
      line_(line),
      message_(std::move(what)) {}

ParsedHeader ParseHeader(std::string_view text, std::string_view name) {
  return Parser(text, name).Run();
}

Plan PlanOf(const ParsedHeader& header) {
  const auto planned = [](const std::vector<ParsedWindow>& windows) {
    std::vector<PlannedWindow> list;
    list.reserve(windows.size());
    for (const ParsedWindow& parsed : windows) {
      list.push_back({.window = parsed.window, .program = parsed.program, .reason = parsed.reason});
    }
    return list;
  };
  Plan plan{.board = header.code_board,
            .margin = header.code_margin,
            .noise = header.banner_noise,
            .evidence = header.code_evidence,
            .environments = header.environments,
            .waivers = header.banner_waivers,
            .routes = {},
            .imported = true};
  for (const ParsedRoute& route : header.routes) {
    plan.routes.push_back({.route = route.route,
                           .windows = planned(route.windows),
                           .in_place = planned(route.in_place),
                           .qualified_rows = route.qualified_rows});
  }
  return plan;
}

}  // namespace fenestra
