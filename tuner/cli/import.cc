#include "db/store.h"
#include "db/text.h"
#include "tuner/cli/command.h"
#include "tuner/cli/evidence_counts.h"
#include "tuner/cli/options.h"

namespace fenestra::cli {
namespace {

class ImportCommand final : public Command {
 public:
  const char* name() const override { return "import"; }
  const char* summary() const override {
    return "Read text evidence into the database; what is there already stays as it is";
  }
  const char* example() const override { return "fenestra import evidence/h200_132*.tsv"; }

  void AddOptions(CLI::App* app) override {
    app->add_option("FILE", files_, "Text evidence, as 'fenestra dump' writes it")
        ->type_name("")
        ->required();
    AddDb(app, &db_);
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    // Read whole before the database is touched: a bad file leaves none behind.
    const Evidence evidence = Import({files_.begin(), files_.end()});
    Store::Open(db_, OpenMode::kCreate).Append(evidence);
    Table table = CountsTable();
    AddCounts(db_, evidence, &table);
    out->PrintResult(json_, CountsJson(db_, evidence), table);
    return ExitCode::kOk;
  }

 private:
  std::vector<std::string> files_;
  std::string db_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeImport() { return std::make_unique<ImportCommand>(); }

}  // namespace fenestra::cli
