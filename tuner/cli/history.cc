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

// One name, or a pattern as --routes takes it of what the names share: "bwd_w*_h4096".
std::string RoutesText(const HistoryEntry& entry) {
  std::string text = ToString(entry.routes.front());
  const auto differ = [&](auto&& field) {
    return std::any_of(entry.routes.begin(), entry.routes.end(), [&](const Route& route) {
      return field(route) != field(entry.routes.front());
    });
  };
  const auto blur = [&text](std::string_view mark, const auto& value) {
    const std::string shown = fmt::format("{}{}", mark, value);
    text.replace(text.find(shown), shown.size(), fmt::format("{}*", mark));
  };
  const Route& first = entry.routes.front();
  if (differ([](const Route& route) { return route.weight; })) {
    blur("w", ToString(first.weight).substr(1));
  }
  if (differ([](const Route& route) { return route.width; })) blur("h", first.width);
  return text;
}

// "52736 to 44032": where an edge was and is; of a figure, the row counts it covers.
std::string RowsText(const HistoryEntry& entry) {
  if (entry.what != HistoryKind::kEdge) {
    if (entry.last == 0) return "-";
    return entry.first == entry.last ? fmt::format("{}", entry.first)
                                     : fmt::format("({}, {}]", entry.first - 1, entry.last);
  }
  if (!entry.before || entry.before == entry.after) return fmt::format("{}", *entry.after);
  return entry.after ? fmt::format("{} -> {}", *entry.before, *entry.after)
                     : fmt::format("{} -> gone", *entry.before);
}

std::string KindText(const HistoryEntry& entry) {
  if (entry.what != HistoryKind::kEdge) return std::string(ToString(entry.what));
  return entry.kind ? std::string(ToString(*entry.kind)) : "unstated";
}

// "0.909 of the budget (eager 0.7) at 44544 rows: worst, B200, 148 SMs, ..."
std::string PointText(const HistoryPoint& point, const std::string& unit) {
  std::string text = point.fraction + " of the budget";
  if (!point.comparator_fraction.empty()) {
    text += fmt::format(" (eager {})", point.comparator_fraction);
  }
  text += fmt::format(" at {} {}: {}", point.at, unit, point.statistic);
  for (const std::string& part : {point.weight, point.program, point.reference, point.board}) {
    if (!part.empty()) text += ", " + part;
  }
  if (point.seed) text += fmt::format(", seed {}, column {}", *point.seed, *point.column);
  text += fmt::format("; {}", point.source);
  if (!point.environment.empty()) text += fmt::format(" in environment {}", point.environment);
  return text;
}

void AddTo(Table* table, const HistoryEntry& entry) {
  table->Add({entry.source, std::string(ToString(entry.arch)), entry.board, RoutesText(entry),
              RowsText(entry), entry.unit, KindText(entry)});
  std::string why = entry.reason.empty() ? "no reason is stated" : entry.reason;
  if (entry.what == HistoryKind::kEdge) {
    why = fmt::format("{} -> {}: {}",
                      entry.program_below.empty() ? "(not stated)" : entry.program_below,
                      entry.program_above.empty() ? "(not stated)" : entry.program_above, why);
  }
  if (entry.what != HistoryKind::kAccuracy) table->AddNote(std::move(why));
  for (const HistoryPoint& point : entry.points) table->AddNote(PointText(point, entry.unit));
}

class HistoryCommand final : public Command {
 public:
  const char* name() const override { return "history"; }
  const char* summary() const override {
    return "Show how window edges moved, and why, oldest first: what was published, then stored "
           "plans and their releases";
  }
  const char* example() const override {
    return "fenestra history --arch sm_100a --routes 'bwd_w*_h4096' --only edge";
  }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    app->add_option("--arch", arch_, "Only this arch, as sm_90a; default: all")->type_name("ARCH");
    app->add_option("--board", board_, "Only this board and its arch; default: all")
        ->type_name("NAME");
    AddRoutes(app, &filter_.routes);
    app->add_option("--only", only_, "Only edge, accuracy, cost or timing; default: all")
        ->type_name("KIND");
    app->add_option(
           "--from", filter_.first_source,
           "From this source on: a pull request, as '#8253', 'plan 3', a release, which stands "
           "for what moved since the one before, or a day, as 2026-11-30, for the first "
           "release from then on; what was published, and a release that tells no day, "
           "comes before all days")
        ->type_name("SOURCE");
    app->add_option(
           "--to", filter_.last_source,
           "Up to this source, itself included; a day stands for the last release until then")
        ->type_name("SOURCE");
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    if (!arch_.empty()) filter_.arch = ResolveArch(arch_);
    if (!board_.empty()) filter_.board = ResolveBoard(board_).name;
    if (!only_.empty()) filter_.what = ResolveKind(only_);
    const std::vector<HistoryEntry> entries = Entries();
    // A published route need not be one that this build has.
    if (entries.empty() && History(BuiltInPublished(), {.routes = filter_.routes}).empty()) {
      ResolveRoutes(filter_.routes);
    }
    Table table({{"source"}, {"arch"}, {"board"}, {"routes"}, {"rows"}, {"unit"}, {"kind"}});
    Json list = Json::array();
    for (const HistoryEntry& entry : entries) {
      if (json_) {
        list.push_back(JsonOf(entry));
      } else {
        AddTo(&table, entry);
      }
    }
    if (entries.empty() && !json_) {
      out->Print(
          "nothing was published of this in that range, and no stored plan moved an edge of it\n");
      return ExitCode::kOk;
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

  static HistoryKind ResolveKind(const std::string& name) {
    if (const std::optional<HistoryKind> kind = ParseHistoryKind(name)) return *kind;
    std::vector<std::string> known;
    known.reserve(kHistoryKinds.size());
    for (const HistoryKind kind : kHistoryKinds) known.emplace_back(ToString(kind));
    throw Error(fmt::format("--only: no kind '{}'{} (known: {})", name, DidYouMean(name, known),
                            fmt::join(known, ", ")));
  }

  // The published figures come with the program, so there is a history before any database.
  std::vector<HistoryEntry> Entries() const {
    if (db_ != kDefaultDb || std::filesystem::exists(db_)) {
      return History(Store::Open(db_, OpenMode::kReadOnly), filter_);
    }
    return History(BuiltInPublished(), filter_);
  }

  std::string db_;
  std::string arch_;
  std::string board_;
  std::string only_;
  HistoryFilter filter_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeHistory() { return std::make_unique<HistoryCommand>(); }

}  // namespace fenestra::cli
