#include <fmt/format.h>

#include <map>

#include "accuracy/error.h"
#include "db/published.h"
#include "db/published_points.h"
#include "kernels/program_list.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/readings.h"
#include "tuner/sweep/tasks.h"

namespace fenestra::cli {
namespace {

// What the store holds of one subject at a point, over the normal family, whose inputs are the
// likest to those published: the statistic that was, "median" or else the worst.
std::optional<double> ValueAt(const AccuracyTable& table, std::string_view subject,
                              const PublishedPoint& point) {
  const AccuracyRecord* record = table.Find(subject, point.rows, Family::kNormal, point.reference);
  if (record == nullptr) return std::nullopt;
  return point.statistic.starts_with("median") ? record->median : record->worst;
}

// The width's first program of a scheme, as accuracy names it; "" when it has none.
std::string FirstOf(int width, Scheme scheme) {
  for (int program : BackwardProgramsOf(width, kDualRowsMax + 1)) {
    if (ProgramAt(program).scheme == scheme) return NameAt(program);
  }
  return "";
}

std::string Text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

Json JsonOf(const std::optional<double>& value) {
  return value ? FractionJson(*value) : Json(nullptr);
}

class CompareCommand final : public Command {
 public:
  const char* name() const override { return "compare"; }
  const char* summary() const override {
    return "Set the published accuracy readings of a board beside what the database holds at the "
           "same width and row count (normal family; other inputs, so sizes compare, not bits)";
  }
  const char* example() const override { return "fenestra compare --board r200_212"; }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    const Board& board = ResolveStoredBoard(board_, store);
    const Evidence evidence = LoadEvidence(store, board, db_);
    Table table({{"source"},
                 {"width", Align::kRight},
                 {"weight"},
                 {"rows", Align::kRight},
                 {"statistic"},
                 {"reference"},
                 {"published", Align::kRight},
                 {"eager there", Align::kRight},
                 {"plain here", Align::kRight},
                 {"compensated here", Align::kRight},
                 {"exact here", Align::kRight},
                 {"eager here", Align::kRight},
                 {"published program"}});
    Json list = Json::array();
    std::map<int, AccuracyTable> tables;  // by width
    for (const PublishedPoint& point : PublishedPoints(BuiltInPublished())) {
      if (point.board->name != board.name) continue;
      const AccuracyTable& accuracy =
          tables.try_emplace(point.width, evidence, board.name, point.width).first->second;
      const auto plain = ValueAt(accuracy, FirstOf(point.width, Scheme::kPlain), point);
      const auto compensated = ValueAt(accuracy, FirstOf(point.width, Scheme::kTwoProd), point);
      const auto exact = ValueAt(accuracy, FirstOf(point.width, Scheme::kFma64), point);
      const auto eager = ValueAt(accuracy, kComparator, point);
      table.Add({point.source, fmt::format("{}", point.width), point.weight,
                 fmt::format("{}", point.rows), point.statistic,
                 std::string(ToString(point.reference)), fmt::format("{}", point.fraction),
                 Text(point.comparator), Text(plain), Text(compensated), Text(exact), Text(eager),
                 point.program});
      list.push_back({{"source", point.source},
                      {"width", point.width},
                      {"rows", point.rows},
                      {"weight", point.weight},
                      {"statistic", point.statistic},
                      {"reference", ToString(point.reference)},
                      {"program", point.program},
                      {"published", point.fraction},
                      {"published_eager", JsonOf(point.comparator)},
                      {"plain", JsonOf(plain)},
                      {"compensated", JsonOf(compensated)},
                      {"exact", JsonOf(exact)},
                      {"eager", JsonOf(eager)}});
    }
    const std::size_t without_place = PublishedWithoutPlace(BuiltInPublished(), board);
    if (without_place > 0) {
      table.AddNote(
          fmt::format("{} more, over ranges of row counts or all widths: 'fenestra history "
                      "--only accuracy --board {}'",
                      without_place, board.name));
    }
    if (list.empty() && !json_) {
      throw Error(
          fmt::format("no accuracy reading at one row count was published for {}: see "
                      "'fenestra history'",
                      board.name));
    }
    out->PrintResult(
        json_, Json{{"board", board.name}, {"points", list}, {"without_place", without_place}},
        table);
    return ExitCode::kOk;
  }

 private:
  std::string db_;
  std::string board_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCompare() { return std::make_unique<CompareCommand>(); }

}  // namespace fenestra::cli
