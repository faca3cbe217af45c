#include <fmt/format.h>

#include <algorithm>

#include "kernels/program_list.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"

namespace fenestra::cli {
namespace {

class Routes final : public Command {
 public:
  const char* name() const override { return "routes"; }
  const char* summary() const override { return "List the routes and how many programs each has"; }
  const char* example() const override { return "fenestra routes --routes 'bwd_w32_*'"; }

  void AddOptions(CLI::App* app) override {
    AddRoutes(app, &routes_);
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    Table table({{"route"}, {"programs", Align::kRight}});
    Json list = Json::array();
    for (const Route& route : ResolveRoutes(routes_)) {
      const auto programs =
          std::count_if(kPrograms.begin(), kPrograms.end(),
                        [&](const Program& program) { return Serves(program, route); });
      table.Add({ToString(route), fmt::format("{}", programs)});
      list.push_back({{"route", ToString(route)}, {"programs", programs}});
    }
    out->PrintResult(json_, Json{{"routes", list}}, table);
    return ExitCode::kOk;
  }

 private:
  std::string routes_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeRoutes() { return std::make_unique<Routes>(); }

}  // namespace fenestra::cli
