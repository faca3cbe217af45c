#include "db/store.h"
#include "db/text.h"
#include "tuner/cli/command.h"
#include "tuner/cli/evidence_counts.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"

namespace fenestra::cli {
namespace {

class DumpCommand final : public Command {
 public:
  const char* name() const override { return "dump"; }
  const char* summary() const override {
    return "Write evidence as sorted text that diffs and merges, by board; files there whose "
           "records the "
           "database lacks are not replaced";
  }
  const char* example() const override { return "fenestra dump --out evidence"; }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    app->add_option("--board", board_, "One board by name, or auto; default: every board")
        ->type_name("NAME");
    AddOut(app, &folder_, "Folder of text evidence, made when missing");
    app->get_option("--out")->required();
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    std::vector<std::string> boards = store.Boards();
    if (!board_.empty()) boards = {std::string(ResolveStoredBoard(board_, store).name)};
    if (boards.empty())
      throw Error("'" + db_ + "' holds no evidence: 'fenestra sweep' measures it");
    Table table = CountsTable();
    Json list = Json::array();
    for (const std::string& board : boards) {
      for (const std::filesystem::path& file : FilesOfDump(board, folder_)) store.CheckHolds(file);
    }
    for (const std::string& board : boards) {
      for (const DumpedFile& file : Dump(LoadEvidence(store, ResolveBoard(board), db_), folder_)) {
        AddCounts(file.path.string(), file.evidence, &table);
        list.push_back(CountsJson(file.path.string(), file.evidence));
      }
    }
    out->PrintResult(json_, {{"files", list}}, table);
    return ExitCode::kOk;
  }

 private:
  std::string db_;
  std::string board_;
  std::string folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeDump() { return std::make_unique<DumpCommand>(); }

}  // namespace fenestra::cli
