#include "tuner/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "accuracy/error.h"
#include "accuracy/parallel.h"
#include "db/text.h"
#include "kernels/program_list.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/cli/suggest.h"
#include "tuner/sweep/element.h"
#include "tuner/sweep/tasks.h"

namespace fenestra::cli {
namespace {

// The input behind a program's worst error there, and its worst element, run again.
struct WorstElement {
  std::string program;
  AccuracyRecord record;
  DwElement element;
};

// Why a candidate runs there, does not, or may not.
std::string WhyText(const Candidate& candidate, const Explanation& explanation) {
  if (candidate.accuracy.failure) return Describe(*candidate.accuracy.failure);
  if (explanation.timed && !candidate.time) {
    return "not timed there: too slow to be worth it, or it failed";
  }
  if (candidate.routed) return "runs here";
  if (!explanation.window) return "may run here, but the route has no windows, see above";
  if (!candidate.time) return "no time decides: the smallest error runs";
  const double slower = std::expm1(candidate.time->log_over_best);
  return slower > 0 ? fmt::format("{:.1f} % slower than the fastest", 100 * slower)
                    : "the fastest, but its window would not be worth the edge";
}

bool MayRun(const Candidate& candidate, const Explanation& explanation) {
  return !candidate.accuracy.failure && (candidate.time || !explanation.timed);
}

std::string FloorText(const Candidate& candidate) {
  if (!candidate.time || !candidate.time->log_over_stream) return "-";
  return fmt::format("{:.3f}", std::exp(*candidate.time->log_over_stream));
}

// All candidates, or the one asked for.
Table CandidateTable(const Explanation& explanation, const Candidate* only) {
  Table table({{"program"},
               {"may run"},
               {"time (stream)", Align::kRight},
               {"worst (budget)", Align::kRight},
               {"why"}});
  for (const Candidate& candidate : explanation.candidates) {
    if (only != nullptr && candidate.program != only->program) continue;
    const std::optional<AccuracyRecord>& worst = candidate.accuracy.worst;
    table.Add({NameAt(candidate.program), MayRun(candidate, explanation) ? "yes" : "no",
               FloorText(candidate), worst ? fmt::format("{:.6f}", worst->worst) : "-",
               WhyText(candidate, explanation)});
  }
  return table;
}

std::string OrDash(std::int64_t number) { return number < 0 ? "-" : fmt::format("{}", number); }

Table ReadingTable(const Candidate& candidate) {
  Table table({{"rows", Align::kRight},
               {"family"},
               {"rule"},
               {"reads (budget)", Align::kRight},
               {"limit", Align::kRight},
               {"passes"},
               {"seed", Align::kRight},
               {"column", Align::kRight}});
  for (const Reading& reading : candidate.accuracy.readings) {
    const bool missing = reading.rule == Rule::kMeasured;
    table.Add({fmt::format("{}", reading.rows), std::string(ToString(reading.family)),
               std::string(ToString(reading.rule)),
               missing ? "-" : fmt::format("{:.6f}", reading.value),
               missing ? "-" : fmt::format("{:.6f}", reading.limit), reading.passes ? "yes" : "no",
               OrDash(reading.seed), OrDash(reading.column)});
  }
  return table;
}

Json JsonOf(const Reading& reading) {
  return {{"rule", ToString(reading.rule)},
          {"program", reading.program},
          {"rows", reading.rows},
          {"family", ToString(reading.family)},
          {"seed", reading.seed},
          {"column", reading.column},
          {"fraction", FractionJson(reading.value)},
          {"limit", FractionJson(reading.limit)},
          {"passes", reading.passes}};
}

Json JsonOf(const Candidate& candidate, const Explanation& explanation) {
  Json readings = Json::array();
  for (const Reading& reading : candidate.accuracy.readings) readings.push_back(JsonOf(reading));
  const std::optional<AccuracyRecord>& worst = candidate.accuracy.worst;
  Json json{{"program", NameAt(candidate.program)},
            {"dw_twin", DwTwinName(candidate.program).view()},
            {"may_run", MayRun(candidate, explanation)},
            {"routed", candidate.routed}};
  json["over_best"] =
      candidate.time ? Json(std::exp(candidate.time->log_over_best)) : Json(nullptr);
  json["over_stream"] = candidate.time && candidate.time->log_over_stream
                            ? Json(std::exp(*candidate.time->log_over_stream))
                            : Json(nullptr);
  json["worst"] = worst ? FractionJson(worst->worst) : Json(nullptr);
  json["accuracy_rows"] = candidate.accuracy.places;
  json["why"] = WhyText(candidate, explanation);
  json["readings"] = readings;
  return json;
}

Json JsonOf(const WorstElement& worst) {
  const DwElement& element = worst.element;
  return {{"program", worst.program},
          {"rows", worst.record.key.rows},
          {"family", ToString(worst.record.key.family)},
          {"seed", worst.record.worst_seed},
          {"column", element.column},
          {"dw", element.value},
          {"reference", element.reference},
          {"error", element.error},
          {"budget", element.budget},
          {"fraction", FractionJson(element.fraction)},
          {"recorded_fraction", FractionJson(worst.record.worst)}};
}

std::string Text(const WorstElement& worst) {
  const DwElement& element = worst.element;
  const bool same = RoundFraction(element.fraction) == worst.record.worst;
  return fmt::format(
      "\nworst element of {}, over {}: {} rows, family {}, seed {}, column {}\n"
      "  dw         {:.9g}\n"
      "  reference  {:.17g}\n"
      "  error      {:.4g}, {:.6f} of the budget {:.4g}; {}\n",
      worst.program, Counted(worst.record.key.inputs, "input"), worst.record.key.rows,
      ToString(worst.record.key.family), worst.record.worst_seed, element.column, element.value,
      element.reference, element.error, element.fraction, element.budget,
      same
          ? "as recorded"
          : fmt::format("recorded was {:.6f}: the arithmetic has changed since, or the GPU program "
                        "does not follow its host model; sweep again, and if that stays, run "
                        "scripts/check_gpu",
                        worst.record.worst));
}

class ExplainCommand final : public Command {
 public:
  const char* name() const override { return "explain"; }
  const char* summary() const override {
    return "Show why each program of a route may or may not run at a row count, down to the dw "
           "element";
  }
  const char* example() const override {
    return "fenestra explain --board h200_132 --route bwd_w32_h4096 --rows 8192";
  }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    app->add_option("--route", route_, "Route by name, as 'fenestra routes' lists them")
        ->required();
    app->add_option("--rows", rows_, "Rows of the call: tokens times the heads of the view")
        ->required()
        ->check(WholeNumber(1, kMaxRows))
        ->type_name("ROWS");
    app->add_option("--program", program_,
                    "One program: all its readings, and its worst element instead of the routed "
                    "program's");
    app->add_option("--margin", margin_,
                    "Largest fraction of the error budget that a window may reach; default: that "
                    "of the board's latest plan, or 0.25")
        ->type_name("FRACTION")
        ->check(BudgetFraction());
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const Route route = ResolveRoute();
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    const Board& board = ResolveStoredBoard(board_, store);
    options_.board = board.name;
    if (const std::optional<Plan> plan = store.LoadPlan(board.name)) {
      options_.margin = plan->margin;
      options_.noise = plan->noise;
      options_.waivers = plan->waivers;
      planned_ = true;
    }
    if (margin_) options_.margin = *margin_;
    const Explanation explanation =
        Explain(LoadForChoice(store, board, db_), options_, route, rows_);
    const Candidate* asked = FindCandidate(explanation, route);
    const std::optional<WorstElement> worst = MeasureWorst(asked, board);
    if (json_) {
      PrintJson(explanation, worst, out);
      return ExitCode::kOk;
    }
    PrintHead(explanation, asked, out);
    out->Print(CandidateTable(explanation, program_.empty() ? nullptr : asked).Text(out->color()));
    if (!program_.empty() && !asked->accuracy.readings.empty()) {
      out->Print("\n" + ReadingTable(*asked).Text(out->color()));
    }
    if (worst) out->Print(Text(*worst));
    return ExitCode::kOk;
  }

 private:
  Route ResolveRoute() const {
    const std::optional<Route> route = ParseRoute(route_);
    const std::vector<Route> all = AllRoutes();
    if (route && std::find(all.begin(), all.end(), *route) != all.end()) return *route;
    throw Error(fmt::format("--route: '{}' is no route with programs; 'fenestra routes' lists them",
                            route_));
  }

  // The program asked for, or the routed one; null when neither is there.
  const Candidate* FindCandidate(const Explanation& explanation, const Route& route) const {
    for (const Candidate& candidate : explanation.candidates) {
      if (program_.empty() ? candidate.routed : NameAt(candidate.program) == program_) {
        return &candidate;
      }
    }
    if (program_.empty()) return nullptr;
    std::vector<std::string> names;
    for (const Candidate& candidate : explanation.candidates) {
      names.push_back(NameAt(candidate.program));
    }
    throw Error(fmt::format("--program: '{}' does not serve {}{}", program_, ToString(route),
                            DidYouMean(program_, names)));
  }

  static std::optional<WorstElement> MeasureWorst(const Candidate* candidate, const Board& board) {
    if (candidate == nullptr || !candidate->accuracy.worst) return std::nullopt;
    const AccuracyRecord& record = *candidate->accuracy.worst;
    const InputSpec input{record.key.family, record.worst_seed, record.key.rows, record.key.width};
    const int threads = HostThreads();
    return WorstElement{NameAt(candidate->program), record,
                        MeasureElement(candidate->program, input, board.sm_count, threads, {})};
  }

  void PrintHead(const Explanation& explanation, const Candidate* asked, Output* out) const {
    out->Print(fmt::format("{} at {} rows on {}, margin {} of the budget\n", route_, rows_,
                           options_.board, options_.margin));
    if (!planned_) {
      out->Print(
          fmt::format("no plan of {} is stored: what follows is what 'fenestra plan' would "
                      "choose now, not what a header ships\n",
                      options_.board));
    }
    const auto text_of = [](const PlannedWindow& planned) {
      return fmt::format("window {} runs {}: {}\n", RowsText(planned.window.lo, planned.window.hi),
                         planned.program, planned.reason);
    };
    if (!explanation.window) {
      out->Print(explanation.no_window + "\n");
    } else {
      out->Print(text_of(*explanation.window));
      if (!explanation.in_place) {
        out->Print("in place no program of this route may run\n");
      } else if (*explanation.in_place != *explanation.window) {
        out->Print("in place " + text_of(*explanation.in_place));
      }
    }
    if (explanation.rows != rows_) {
      out->Print(fmt::format("above the sampled row counts; what follows is at {} rows\n",
                             explanation.rows));
    }
    if (explanation.timed && explanation.timed_on != options_.board) {
      out->Print(fmt::format("{} is not timed; times are those of {}\n", options_.board,
                             explanation.timed_on));
    }
    if (asked != nullptr && asked->accuracy.places.size() == 2) {
      out->Print(fmt::format(
          "accuracy of {} there is that of the nearest measured row counts, {} "
          "and {}\n",
          NameAt(asked->program), asked->accuracy.places[0], asked->accuracy.places[1]));
    }
    out->Print("\n");
  }

  void PrintJson(const Explanation& explanation, const std::optional<WorstElement>& worst,
                 Output* out) const {
    Json json{
        {"route", route_}, {"rows", rows_}, {"board", options_.board}, {"margin", options_.margin}};
    json["plan_stored"] = planned_;
    const auto json_of = [](const std::optional<PlannedWindow>& planned) {
      if (!planned) return Json(nullptr);
      return Json{{"lo", planned->window.lo},
                  {"hi", planned->window.hi},
                  {"program", planned->program},
                  {"reason", planned->reason}};
    };
    json["window"] = json_of(explanation.window);
    json["in_place"] = json_of(explanation.in_place);
    json["no_window"] = explanation.no_window;
    json["rows_looked_at"] = explanation.rows;
    json["timed_on"] = explanation.timed ? Json(explanation.timed_on) : Json(nullptr);
    json["programs"] = Json::array();
    for (const Candidate& candidate : explanation.candidates) {
      if (!program_.empty() && NameAt(candidate.program) != program_) continue;
      json["programs"].push_back(JsonOf(candidate, explanation));
    }
    json["element"] = worst ? JsonOf(*worst) : Json(nullptr);
    out->Print(TextOf(json) + "\n");
  }

  std::string db_;
  std::string board_;
  std::string route_;
  std::int64_t rows_ = 0;
  std::string program_;
  std::optional<double> margin_;
  ChooseOptions options_;
  bool planned_ = false;  // whether they are a stored plan's
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeExplain() { return std::make_unique<ExplainCommand>(); }

}  // namespace fenestra::cli
