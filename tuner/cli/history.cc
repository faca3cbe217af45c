#include "db/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "db/published.h"
#include "export/json.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/suggest.h"

namespace fenestra::cli {
namespace {

std::vector<std::string> RouteNames(const HistoryEntry& entry) {
  std::vector<std::string> names;
  for (const Route& route : entry.routes) names.push_back(ToString(route));
  return names;
}

std::string Position(const std::optional<std::int64_t>& rows, const char* unset) {
  return rows ? fmt::format("{}", *rows) : unset;
}

std::string KindText(const HistoryEntry& entry) {
  return entry.kind ? std::string(ToString(*entry.kind)) : "";
}

// "0.909 at 44544 (+3)": the first that was read, and how many more --json lists.
std::string PointsText(const HistoryEntry& entry) {
  if (entry.points.empty()) return "";
  const HistoryPoint& first = entry.points.front();
  const std::size_t more = entry.points.size() - 1;
  return fmt::format("{} at {}{}", first.fraction, first.at,
                     more > 0 ? fmt::format(" (+{})", more) : "");
}

class HistoryCommand final : public Command {
 public:
  const char* name() const override { return "history"; }
  const char* summary() const override {
    return "Show how window edges moved, oldest first: published ones, then those of stored plans";
  }
  const char* example() const override { return "fenestra history --arch sm_100a"; }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    app->add_option("--arch", arch_, "Only this arch, as sm_90a; default: all")->type_name("ARCH");
    app->add_option("--board", board_, "Only this board and its arch; default: all")
        ->type_name("NAME");
    AddRoutes(app, &filter_.routes);
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    if (!arch_.empty()) filter_.arch = ResolveArch(arch_);
    if (!board_.empty()) filter_.board = ResolveBoard(board_).name;
    Table table({{"source"},
                 {"arch"},
                 {"board"},
                 {"routes"},
                 {"before", Align::kRight},
                 {"after", Align::kRight},
                 {"unit"},
                 {"kind"},
                 {"dw error (budget)"},
                 {"reason"}});
    Json list = Json::array();
    for (const HistoryEntry& entry : Entries()) {
      table.Add({entry.source, std::string(ToString(entry.arch)), entry.board,
                 fmt::format("{}", fmt::join(RouteNames(entry), ",")), Position(entry.before, "?"),
                 Position(entry.after, "gone"), entry.unit, KindText(entry), PointsText(entry),
                 entry.reason});
      list.push_back(JsonOf(entry));
    }
    out->PrintResult(json_, {{"entries", list}}, table);
    return ExitCode::kOk;
  }

 private:
  static Arch ResolveArch(const std::string& name) {
    if (const std::optional<Arch> arch = ParseArch(name)) return *arch;
    std::vector<std::string> known;
    for (const Board& board : kBoards) {
      const std::string text(ToString(board.arch));
      if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
    }
    throw Error(fmt::format("--arch: no arch '{}'{} (known: {})", name, DidYouMean(name, known),
                            fmt::join(known, ", ")));
  }

  // The published figures come with the program, so there is a history before any database.
  std::vector<HistoryEntry> Entries() const {
    if (db_ != kDefaultDb || std::filesystem::exists(db_)) {
      return History(Store::Open(db_, OpenMode::kReadOnly), filter_);
    }
    std::vector<HistoryEntry> entries = PublishedHistory(BuiltInPublished());
    std::erase_if(entries, [&](const HistoryEntry& entry) { return !Matches(entry, filter_); });
    return entries;
  }

  std::string db_;
  std::string arch_;
  std::string board_;
  HistoryFilter filter_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeHistory() { return std::make_unique<HistoryCommand>(); }

}  // namespace fenestra::cli
