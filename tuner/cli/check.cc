#include "export/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "accuracy/error.h"
#include "accuracy/parallel.h"
#include "db/files.h"
#include "export/header_folder.h"
#include "export/header_parse.h"
#include "export/release_folder.h"
#include "tuner/check_digests.h"
#include "tuner/choose.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/gpu_info.h"
#include "tuner/sweep/environment.h"

namespace fenestra::cli {
namespace {

class CheckCommand final : public Command {
 public:
  const char* name() const override { return "check"; }
  const char* summary() const override {
    return "Prove that a header belongs to the evidence, by choosing the windows again, and the "
           "evidence to the arithmetic, by the dw digests of their programs; or that a release is "
           "whole, and its dw digests are still those of this build";
  }
  const char* example() const override {
    return "fenestra check --board h200_132 --out kernels/dispatch/windows";
  }

  void AddOptions(CLI::App* app) override {
    AddDb(app, &db_);
    AddBoard(app, &board_);
    AddRoutes(app, &routes_);
    folder_ = "kernels/dispatch/windows";
    AddOut(app, &folder_, "Folder of headers that was exported to");
    app->get_option("--out")->capture_default_str();
    app->add_option("--release", release_,
                    "Folder of a release to check in place of a board: no database is asked")
        ->type_name("DIR")
        ->excludes("--db")
        ->excludes("--board")
        ->excludes("--routes")
        ->excludes("--out");
    app->add_flag("--all-digests", all_digests_,
                  fmt::format("Repeat the dw digests of inputs of more than {} elements too: "
                              "many times as long",
                              kFewElements));
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    return release_.empty() ? CheckBoard(out) : CheckRelease(out);
  }

 private:
  ExitCode CheckBoard(Output* out) {
    ResolveRoutes(routes_);
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    const Board& board = ResolveStoredBoard(board_, store);
    const Evidence evidence = LoadForChoice(store, board, db_);
    const Plan plan = ChooseAgain(store, board, evidence);
    const std::optional<Environment> here = EnvironmentOn(board);
    std::vector<Finding> findings =
        CheckFolder(evidence, plan, folder_, here ? &*here : nullptr, routes_);
    DigestCheck digests =
        CheckDigests(evidence, plan, HeaderPath(board).string(), HostThreads(), MaxElements());
    std::ranges::move(digests.findings, std::back_inserter(findings));
    return Print(findings, digests, Json{{"board", board.name}},
                 fmt::format("{}: header and evidence", board.name), out);
  }

  ExitCode CheckRelease(Output* out) {
    const std::filesystem::path folder(release_);
    const std::filesystem::path named = std::filesystem::weakly_canonical(folder);
    // No release at all is a wrong call, and reading it says so; a damaged one is what this finds.
    if (!std::filesystem::exists(folder / kReleaseManifest)) (void)ReadReleaseFolder(folder);
    std::vector<Finding> findings;
    const auto add = [&](const std::filesystem::path& file, std::string message,
                         std::string_view remedy) {
      findings.push_back(
          {Severity::kError, file.string(), 0, std::move(message), std::string(remedy)});
    };
    DigestCheck digests;
    try {
      findings = CheckFolder(folder / kReleaseWindows, kRestoreRelease);
      const FrozenRelease release = ReadReleaseFolder(folder);
      if (named.filename() != release.manifest.release) {
        add(folder, fmt::format("it is release '{}'", release.manifest.release),
            "name the folder after the release");
      }
      if (!std::filesystem::is_regular_file(folder / kReleaseChanges)) {
        add(folder / kReleaseChanges, "the change note is missing", kRestoreRelease);
      }
      for (const ManifestBoard& board : release.manifest.boards) {
        DigestCheck one =
            CheckDigests(board, PlanOf(*FindHeader(release.headers, board.board)),
                         (folder / kReleaseManifest).string(), HostThreads(), MaxElements());
        std::ranges::move(one.findings, std::back_inserter(findings));
        digests.repeated += one.repeated;
        digests.left += one.left;
      }
    } catch (const Error& error) {
      // "FILE: what: what to do"; the release is read no further.
      const std::string text = error.what();
      const std::size_t at = text.find(": ");
      add(text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 2), "");
    }
    const std::string name = named.filename().string();
    return Print(findings, digests, Json{{"release", name}},
                 fmt::format("release {}: its files and this build's arithmetic", name), out);
  }

  std::int64_t MaxElements() const { return all_digests_ ? kAnyElements : kFewElements; }

  // `subject`: "h200_132: header and evidence".
  ExitCode Print(const std::vector<Finding>& findings, const DigestCheck& digests, Json json,
                 const std::string& subject, Output* out) const {
    const bool failed = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.severity == Severity::kError;
    });
    Json list = Json::array();
    std::string text;
    for (const Finding& finding : findings) {
      text += ToString(finding) + "\n";
      list.push_back({{"severity", ToString(finding.severity)},
                      {"file", finding.file},
                      {"line", finding.line},
                      {"message", finding.message},
                      {"remedy", finding.remedy}});
    }
    const char* verdict = failed                  ? "do not belong together"
                          : digests.repeated == 0 ? "belong together as far as they were compared"
                                                  : "belong together";
    text +=
        fmt::format("{} {}; dw digests repeated: {}{}\n", subject, verdict, digests.repeated,
                    digests.left == 0
                        ? ""
                        : fmt::format(", not: {}, of larger inputs (--all-digests)", digests.left));
    json["ok"] = !failed;
    json["digests"] = {{"repeated", digests.repeated}, {"left", digests.left}};
    json["findings"] = list;
    out->Print(json_ ? TextOf(json) + "\n" : text);
    return failed ? ExitCode::kCheckFailed : ExitCode::kOk;
  }

  std::filesystem::path HeaderPath(const Board& board) const {
    return std::filesystem::path(folder_) / fmt::format("{}.h", board.name);
  }

  // That of times measured now, where the GPU at hand is such a board: elsewhere no time is.
  static std::optional<Environment> EnvironmentOn(const Board& board) {
    std::string why_not;
    const std::optional<GpuInfo> gpu = QueryGpu(&why_not);
    if (!gpu || BoardOf(*gpu) != &board) return std::nullopt;
    return ThisEnvironment(gpu);
  }

  // With the margin, noise and waivers of the stored plan where there is one. Text evidence, such
  // as a repository keeps, brings none: then with those that the header states.
  Plan ChooseAgain(const Store& store, const Board& board, const Evidence& evidence) const {
    ChooseOptions options;
    options.board = board.name;
    options.routes = routes_;
    if (const std::optional<Plan> stored = store.LoadPlan(board.name)) {
      options.margin = stored->margin;
      options.noise = stored->noise;
      options.waivers = stored->waivers;
    } else {
      TakeStated(HeaderPath(board), &options);
    }
    return Choose(evidence, options);
  }

  // A header that cannot be read states nothing here; the check itself says what is wrong with it,
  // and compares it with no plan.
  static void TakeStated(const std::filesystem::path& path, ChooseOptions* options) {
    try {
      const ParsedHeader header = ParseHeader(ReadFile(path, kMaxHeaderBytes), path.string());
      options->margin = header.banner_margin;
      options->noise = header.banner_noise;
      options->waivers = header.banner_waivers;
    } catch (const Error&) {
      return;
    }
  }

  std::string db_;
  std::string board_;
  std::string routes_;
  std::string folder_;
  std::string release_;
  bool all_digests_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCheck() { return std::make_unique<CheckCommand>(); }

}  // namespace fenestra::cli
