#include "tuner/sweep/sweep.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "accuracy/error.h"
#include "accuracy/parallel.h"
#include "db/parse_number.h"
#include "kernels/program_list.h"
#include "tuner/choose.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/sweep/environment.h"

namespace fenestra::cli {
namespace {

class SweepCommand final : public Command {
 public:
  const char* name() const override { return "sweep"; }
  const char* summary() const override {
    return "Measure time and dw error of every program, into the database; run again, it resumes";
  }
  const char* example() const override { return "fenestra sweep --profile quick --budget 10m"; }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    AddRoutes(app, &routes_);
    app->add_option(
           "--profile", profile_,
           "How much: quick (a glance), full, release (twice the sessions, and accuracy edges)")
        ->check(CLI::IsMember({"quick", "full", "release"}))
        ->capture_default_str();
    app->add_option("--only", only_,
                    "One part: time, accuracy (the survey), or edges (the search for accuracy "
                    "edges, which rests on the survey; without --only it is part of the release "
                    "profile alone)")
        ->check(CLI::IsMember({"time", "accuracy", "edges"}));
    app->add_option("--at", probes_,
                    "With --only edges: measure these programs at these row counts first, as in "
                    "bwd_ring_async_h512_t256_w2_r2_s4_c2_rr_plain@3357")
        ->type_name("PROGRAM@ROWS")
        ->delimiter(',');
    app->add_option("--budget", budget_s_, "Start nothing new after this long, as in 90s, 10m, 1h")
        ->transform(
            CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}},
                                  CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
        ->check(CLI::Validator(
            [](std::string& seconds) {
              return ParseNumber<double>(seconds).value_or(0) > 0
                         ? std::string()
                         : std::string(
                               "the time must be above 0; without a budget there is no end");
            },
            ""));
    app->add_option("--max-rows", max_rows_, "Leave out larger row counts")
        ->type_name("ROWS")
        ->check(WholeNumber(1, kMaxRows));
    app->add_option(
           "--margin", margin_,
           "Margin of the plan whose edges are classed; accuracy edges are searched at it, "
           "0.25 and 0.8")
        ->type_name("FRACTION")
        ->check(BudgetFraction())
        ->capture_default_str();
    app->add_option("--noise", noise_, "Noise of that plan, as 'fenestra plan' takes it")
        ->type_name("FRACTION")
        ->check(NoiseNumber())
        ->capture_default_str();
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    SweepOptions options = Options();
    Progress progress;
    Announce(options, &progress);
    const SweepSummary summary = Sweep(options, &progress);
    Table table({{"groups"}, {"count", Align::kRight}});
    table.Add({"measured", fmt::format("{}", summary.measured)});
    table.Add({"there before", fmt::format("{}", summary.present)});
    table.Add({"left by the budget", fmt::format("{}", summary.remaining)});
    table.Add({"failed programs", fmt::format("{}", summary.failed)});
    table.Add({"skipped", fmt::format("{}", summary.skipped)});
    const Json json{{"board", options.board->name},   {"measured", summary.measured},
                    {"present", summary.present},     {"remaining", summary.remaining},
                    {"failed", summary.failed},       {"skipped", summary.skipped},
                    {"seconds", progress.elapsed_s()}};
    out->PrintResult(json_, json, table);
    // A failed program is evidence; a group that nobody can be blamed for is missing.
    return summary.skipped > 0 ? ExitCode::kMachine : ExitCode::kOk;
  }

 private:
  SweepOptions Options() const {
    SweepOptions options;
    options.db = db_;
    options.board = &ResolveBoard(board_);
    options.routes = ResolveRoutes(routes_);
    options.profile = *ParseProfile(profile_);
    options.budget_s = budget_s_;
    options.margin = margin_;
    options.noise = noise_;
    options.max_rows = max_rows_;
    options.threads = HostThreads();
    std::string why_not;
    const std::optional<GpuInfo> gpu = QueryGpu(&why_not);
    options.probes = Probes();
    options.environment = ThisEnvironment(gpu);
    options.stood_in = !gpu || BoardOf(*gpu) != options.board;
    options.time = (only_.empty() || only_ == "time") && !options.stood_in;
    options.accuracy = only_.empty() || only_ == "accuracy";
    options.edges = only_ == "edges" || (only_.empty() && options.profile == Profile::kRelease);
    if (only_ == "time" && options.stood_in) {
      throw Error(fmt::format("--only time: time is measured on {} itself, and this machine is not "
                              "one{}; measure --only accuracy",
                              options.board->name, gpu ? "" : ": " + why_not),
                  ExitCode::kMachine);
    }
    if (gpu) {
      options.worker = {std::filesystem::read_symlink("/proc/self/exe").string(),
                        "worker",
                        "--db",
                        db_,
                        "--board",
                        std::string(options.board->name)};
    }
    return options;
  }

  std::vector<AccuracyProbe> Probes() const {
    if (!probes_.empty() && only_ != "edges") {
      throw Error(
          "--at: it goes with --only edges, whose search begins with what is measured there");
    }
    std::vector<AccuracyProbe> probes;
    for (const std::string& text : probes_) {
      const std::size_t at = text.find('@');
      const std::string name = text.substr(0, at);
      const auto rows =
          at == std::string::npos ? std::nullopt : ParseNumber<std::int64_t>(text.substr(at + 1));
      if (!rows || *rows < 1 || *rows > kMaxRows) {
        throw Error(fmt::format("--at '{}': a program and a row count, as in NAME@4096", text));
      }
      const int program = FindProgram(name);
      if (program < 0 || ProgramAt(program).pass != Pass::kBackward) {
        throw Error(
            fmt::format("--at '{}': no backward program of that name: 'fenestra programs' "
                        "lists them",
                        text));
      }
      if (!IsMeasuredAt(program, *rows)) {
        throw Error(fmt::format("--at '{}': dual-role grids are measured up to {} rows", text,
                                kDualRowsMax));
      }
      if (*rows > max_rows_) {
        throw Error(fmt::format("--at '{}': --max-rows leaves it out", text));
      }
      if (std::ranges::none_of(ResolveRoutes(routes_), [&](const Route& route) {
            return route.pass == Pass::kBackward && route.width == ProgramAt(program).width;
          })) {
        throw Error(fmt::format("--at '{}': --routes leaves its width out", text));
      }
      probes.push_back({DwTwinOf(program), *rows});
    }
    return probes;
  }

  static void Announce(const SweepOptions& options, Progress* progress) {
    progress->Say(fmt::format("sweep of {}: {} profile, {}", options.board->name,
                              ToString(options.profile),
                              options.worker.empty() ? "accuracy through the host model"
                              : options.stood_in     ? "accuracy stood in for on this GPU"
                                                     : "on the board itself"));
    if (options.stood_in) progress->Say("time: not timed, this machine is not that board");
  }

  std::string db_;
  std::string board_;
  std::string routes_;
  std::string profile_ = "quick";
  std::string only_;
  std::vector<std::string> probes_;
  double budget_s_ = 0;
  std::int64_t max_rows_ = kMaxRows;
  double margin_ = ChooseOptions{}.margin;
  double noise_ = ChooseOptions{}.noise;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeSweep() { return std::make_unique<SweepCommand>(); }

}  // namespace fenestra::cli
