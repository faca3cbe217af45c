#include <fmt/format.h>

#include <algorithm>

#include "kernels/program_list.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"

namespace fenestra::cli {
namespace {

std::string OrDash(int number) { return number > 0 ? fmt::format("{}", number) : "-"; }

std::string SchemeText(const Program& program) {
  if (program.scheme == Scheme::kNone) return "-";
  std::string text{ToString(program.scheme)};
  if (program.fold_rows > 0) text += fmt::format("x{}", program.fold_rows);
  return text;
}

void Add(int index, Table* table, Json* list) {
  const Program& program = ProgramAt(index);
  const ProgramName name(program);
  table->Add({std::string(name.view()), std::string(ToString(program.pass)),
              fmt::format("{}", program.width), fmt::format("{}", program.threads),
              fmt::format("{}", program.tile_rows()), OrDash(program.stages), SchemeText(program),
              AllowsInPlace(program) ? "yes" : "no"});
  list->push_back({{"program", name.view()},
                   {"pass", ToString(program.pass)},
                   {"residual", program.residual},
                   {"structure", ToString(program.structure)},
                   {"width", program.width},
                   {"threads", program.threads},
                   {"warps_per_row", program.warps_per_row},
                   {"rows", program.rows},
                   {"tile_rows", program.tile_rows()},
                   {"stages", program.stages},
                   {"ctas_per_sm", program.ctas_per_sm},
                   {"slab", program.slab},
                   {"scheme", ToString(program.scheme)},
                   {"fold_rows", program.fold_rows},
                   {"split", ToString(program.split)},
                   {"loads", ToString(program.loads)},
                   {"blocks", ToString(program.blocks)},
                   {"reduce_form", ToString(program.reduce_form)},
                   {"reduce_sum", ToString(program.reduce_sum)},
                   {"dw_twin", DwTwinName(index).view()},
                   {"in_place", AllowsInPlace(program)}});
}

class Programs final : public Command {
 public:
  const char* name() const override { return "programs"; }
  const char* summary() const override {
    return "List the programs that serve the routes, in order of preference among equals";
  }
  const char* example() const override { return "fenestra programs --routes 'bwd_*_h4096'"; }

  void AddOptions(CLI::App* app) override {
    AddRoutes(app, &routes_);
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const std::vector<Route> routes = ResolveRoutes(routes_);
    Table table({{"program"},
                 {"pass"},
                 {"width", Align::kRight},
                 {"threads", Align::kRight},
                 {"tile rows", Align::kRight},
                 {"stages", Align::kRight},
                 {"scheme"},
                 {"in place"}});
    Json list = Json::array();
    for (int i = 0; i < kProgramCount; ++i) {
      if (std::any_of(routes.begin(), routes.end(),
                      [&](const Route& route) { return Serves(ProgramAt(i), route); })) {
        Add(i, &table, &list);
      }
    }
    out->PrintResult(json_, Json{{"programs", list}}, table);
    return ExitCode::kOk;
  }

 private:
  std::string routes_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakePrograms() { return std::make_unique<Programs>(); }

}  // namespace fenestra::cli
