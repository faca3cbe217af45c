#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "accuracy/error.h"
#include "db/files.h"
#include "db/store.h"
#include "db/text.h"
#include "tuner/cli/command.h"
#include "tuner/cli/evidence_counts.h"
#include "tuner/cli/import_release.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/compiler_log.h"
#include "tuner/sweep/environment.h"

namespace fenestra::cli {
namespace {

constexpr std::size_t kMaxLogBytes = 64 << 20;

class ImportCommand final : public Command {
 public:
  const char* name() const override { return "import"; }
  const char* summary() const override {
    return "Read text evidence, and releases as history, into the database; what is there already "
           "stays as it is";
  }
  const char* example() const override { return "fenestra import evidence/h200_132*.tsv"; }

  void AddOptions(CLI::App* app) override {
    app->add_option("FILE", files_,
                    "Text evidence, as 'fenestra dump' writes it, or folders of releases, as "
                    "'fenestra release' makes them; with --compiled, compiler logs")
        ->type_name("")
        ->required();
    AddDb(app, &db_);
    app->add_option("--compiled", compiled_,
                    "The files are compiler logs instead (nvcc -Xptxas -v) of the kernels for this "
                    "board's arch: their registers and spills are read, see scripts/compile_facts")
        ->type_name("BOARD");
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    const std::vector<std::filesystem::path> folders = TakeFolders();
    // Read whole before the database is touched: a bad file leaves none behind.
    const Evidence evidence =
        compiled_.empty() ? Import({files_.begin(), files_.end()}) : ReadLogs();
    const std::vector<ReleaseFolder> releases = ReadReleases(folders, KnownReleases());
    Add(evidence);
    Table table = CountsTable();
    AddCounts(db_, evidence, &table);
    Json json = CountsJson(db_, evidence);
    if (!releases.empty()) {
      Store store = Store::Open(db_, OpenMode::kReadWrite);
      StoreReleases(releases, &store);
      std::vector<std::string> names;
      names.reserve(releases.size());
      for (const ReleaseFolder& one : releases) names.push_back(one.release.manifest.release);
      table.AddNote(fmt::format("releases, as history: {}", fmt::join(names, ", ")));
      json["releases"] = names;
    }
    out->PrintResult(json_, json, table);
    return ExitCode::kOk;
  }

 private:
  // Moves the folders among the files out of them: they hold releases.
  std::vector<std::filesystem::path> TakeFolders() {
    std::vector<std::filesystem::path> folders;
    std::erase_if(files_, [&](const std::string& file) {
      std::error_code none;  // what is not there is no folder, and said by who reads it
      const bool is_folder = compiled_.empty() && std::filesystem::is_directory(file, none);
      if (is_folder) folders.emplace_back(file);
      return is_folder;
    });
    return folders;
  }

  std::set<std::string> KnownReleases() const {
    if (!std::filesystem::exists(db_)) return {};
    return ReleaseNames(Store::Open(db_, OpenMode::kReadOnly));
  }

  void Add(const Evidence& evidence) const {
    Store store = Store::Open(db_, OpenMode::kCreate);
    try {
      store.Append(evidence);
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kCheckFailed || !compiled_.empty()) throw;
      // The records were united, so the file with the one refused is looked for.
      const SourceFiles sources = ReadSources({files_.begin(), files_.end()});
      const std::string conflict = store.FirstConflict(sources.evidence, sources.names);
      if (conflict.empty()) throw;
      throw Error(conflict, ExitCode::kCheckFailed);
    }
  }

  Evidence ReadLogs() const {
    const Environment environment = ThisEnvironment(std::nullopt);
    const Board& board = ResolveBoard(compiled_, "--compiled");
    Evidence evidence;
    evidence.environments.push_back(environment);
    for (const std::string& file : files_) {
      const std::vector<KernelRecord> kernels =
          ReadCompilerLog(ReadFile(file, kMaxLogBytes), file, board, environment.id);
      evidence.kernels.insert(evidence.kernels.end(), kernels.begin(), kernels.end());
    }
    CheckComplete(evidence.kernels);
    return evidence;
  }

  std::vector<std::string> files_;
  std::string db_;
  std::string compiled_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeImport() { return std::make_unique<ImportCommand>(); }

}  // namespace fenestra::cli
