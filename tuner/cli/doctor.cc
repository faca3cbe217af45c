#include <algorithm>

#include "tuner/cli/command.h"
#include "tuner/cli/doctor_checks.h"
#include "tuner/cli/options.h"

namespace fenestra::cli {
namespace {

class Doctor final : public Command {
 public:
  const char* name() const override { return "doctor"; }
  const char* summary() const override {
    return "Say what this machine can do, and the remedy for what it cannot";
  }
  const char* example() const override { return "fenestra doctor"; }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const std::vector<MachineCheck> checks = Examine(db_);
    Table table({{"check"}, {""}, {"found"}});
    Json list = Json::array();
    for (const MachineCheck& check : checks) {
      table.Add({check.what, check.ok ? "ok" : "missing",
                 check.ok ? check.found : check.found + "; " + check.remedy});
      list.push_back({{"what", check.what},
                      {"ok", check.ok},
                      {"required", check.required},
                      {"found", check.found},
                      {"remedy", check.remedy}});
    }
    out->PrintResult(json_, Json{{"checks", list}}, table);
    const bool usable = std::all_of(checks.begin(), checks.end(),
                                    [](const MachineCheck& f) { return f.ok || !f.required; });
    return usable ? ExitCode::kOk : ExitCode::kMachine;
  }

 private:
  std::string db_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeDoctor() { return std::make_unique<Doctor>(); }

}  // namespace fenestra::cli
