#include "export/release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "accuracy/error.h"
#include "db/date.h"
#include "db/digest.h"
#include "db/files.h"
#include "export/header_folder.h"
#include "export/release_folder.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored.h"
#include "tuner/sweep/environment.h"

namespace fenestra::cli {
namespace {

namespace fs = std::filesystem;

class ReleaseCommand final : public Command {
 public:
  const char* name() const override { return "release"; }
  const char* summary() const override {
    return "Freeze the stored plans of every board: headers, a manifest of what they rest on, and "
           "what changed against the release before";
  }
  const char* example() const override {
    return "fenestra release 0.2 --out releases --previous releases/0.1";
  }

  void AddOptions(CLI::App* app) override {
    app->add_option("NAME", name_, "Name of the release: letters, digits, '.', '_' and '-'")
        ->required();
    AddDb(app, &db_);
    AddOut(app, &folder_, "Folder of releases; the release becomes a folder of its name in it");
    app->get_option("--out")->required();
    app->add_option("--previous", previous_, "Folder of the release before")->type_name("DIR");
    app->add_option(
           "--date", date_,
           "Day of the release, as 2026-11-30; default: today, or its own of a release that "
           "the folder or the database has")
        ->type_name("DATE")
        ->check(CLI::Validator(
            [](std::string& text) {
              return IsDate(text) ? std::string() : "it must be a day, as 2026-11-30";
            },
            ""));
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    if (!IsPlainName(name_)) {
      throw Error(
          fmt::format("release name '{}': letters, digits, '.', '_' and '-', and no '.' "
                      "in front",
                      name_));
    }
    const fs::path folder = fs::path(folder_) / name_;
    if (previous_.empty()) RefuseFirstBesideOthers(folder);
    const std::optional<FrozenRelease> previous = LoadPrevious();
    const std::vector<ReleasedBoard> boards = LoadBoards();
    Manifest head{.release = name_,
                  .previous = previous ? previous->manifest.release : "",
                  .date = DateOf(folder),
                  .changes = "",
                  .boards = {}};
    if (previous && head.date < previous->manifest.date) {
      throw Error(
          fmt::format("release '{}' of {} would come before '{}' of {}, which it follows: "
                      "name a later --date",
                      name_, head.date, head.previous, previous->manifest.date));
    }
    const std::string changes = ChangesText(name_, previous ? &*previous : nullptr, boards);
    head.changes = HexDigest(changes);
    const std::string manifest = ManifestText(head, boards);
    RefuseOtherContent(folder, boards, manifest, changes);
    RefuseOtherRecord(boards, head.date);
    for (const ReleasedBoard& board : boards) {
      (void)WriteHeader(folder / kReleaseWindows, board.plan.board, board.header);
    }
    WriteFileAtomically(folder / kReleaseChanges, changes);
    WriteFileAtomically(folder / kReleaseManifest, manifest);
    Record(boards, head.date);
    Table table({{"board"}, {"routes", Align::kRight}, {"moved", Align::kRight}, {"header"}});
    Json list = Json::array();
    for (const ReleasedBoard& board : boards) {
      const ParsedHeader* header =
          previous ? FindHeader(previous->headers, board.plan.board) : nullptr;
      const std::string path =
          (folder / kReleaseWindows / fmt::format("{}.h", board.plan.board)).string();
      const std::size_t moved = header == nullptr ? 0 : ChangesOf(*header, board.plan).size();
      table.Add({board.plan.board, fmt::format("{}", board.plan.routes.size()),
                 header == nullptr ? "new" : fmt::format("{}", moved), path});
      list.push_back({{"board", board.plan.board},
                      {"routes", board.plan.routes.size()},
                      {"new", header == nullptr},
                      {"moved", moved},
                      {"header", path}});
    }
    out->PrintResult(json_, Json{{"release", folder.string()}, {"boards", list}}, table);
    return ExitCode::kOk;
  }

 private:
  std::string DateOf(const fs::path& folder) const {
    if (!date_.empty()) return date_;
    const fs::path manifest = folder / kReleaseManifest;
    std::string date;
    std::error_code none;  // what cannot be looked at is said by who writes there
    if (fs::exists(manifest, none)) {
      date = ParseManifest(ReadFile(manifest, kMaxReleaseTextBytes), manifest.string()).date;
    }
    for (const Release& release : Store::Open(db_, OpenMode::kReadOnly).ListReleases()) {
      if (date.empty() && release.name == name_) date = release.date;
    }
    return date.empty() ? Today() : date;
  }

  std::vector<ReleasedBoard> LoadBoards() const {
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    std::vector<ReleasedBoard> boards;
    for (const std::string& name : store.Boards()) {
      const Board& board = ResolveBoard(name);
      Evidence evidence = LoadForChoice(store, board, db_);
      Plan plan = LoadCurrentPlan(store, board, evidence, "*");
      boards.emplace_back(std::move(plan), std::move(evidence));
    }
    if (boards.empty()) {
      throw Error(fmt::format("'{}' holds no evidence: 'fenestra import' reads it from text", db_));
    }
    return boards;
  }

  std::optional<FrozenRelease> LoadPrevious() const {
    if (previous_.empty()) return std::nullopt;
    FrozenRelease previous = ReadReleaseFolder(previous_);
    if (previous.manifest.release == name_) {
      throw Error(fmt::format("--previous: {} is release '{}' itself: name the one before it",
                              previous_, name_));
    }
    return previous;
  }

  // Without a release before, the change note calls this one the first. One that is there whole is
  // repeated, which the comparison with what it holds decides.
  void RefuseFirstBesideOthers(const fs::path& folder) const {
    if (fs::exists(folder / kReleaseManifest)) return;
    std::vector<std::string> others;
    std::error_code none;  // no folder, no releases
    for (const auto& entry : fs::directory_iterator(folder.parent_path(), none)) {
      if (fs::exists(entry.path() / kReleaseManifest)) others.push_back(entry.path().string());
    }
    if (others.empty()) others = RecordedWithoutThis();
    if (others.empty()) return;
    std::sort(others.begin(), others.end());
    throw Error(
        fmt::format("release '{}' is not the first: name the one before with --previous "
                    "(there are {})",
                    folder.filename().string(), fmt::join(others, ", ")));
  }

  // Names of the releases that the database has; none where this one is among them.
  std::vector<std::string> RecordedWithoutThis() const {
    const std::set<std::string> names = ReleaseNames(Store::Open(db_, OpenMode::kReadOnly));
    if (names.contains(name_)) return {};
    return {names.begin(), names.end()};
  }

  // A release is frozen: repeated it gives the same bytes, or it is another one.
  void RefuseOtherContent(const fs::path& folder, const std::vector<ReleasedBoard>& boards,
                          const std::string& manifest, const std::string& changes) const {
    const auto refuse = [&](const fs::path& path, const std::string& text) {
      if (!fs::exists(path) || ReadFile(path, kMaxReleaseTextBytes) == text) return;
      throw Error(
          fmt::format("{}: the release is there with other content, and a release is "
                      "frozen: take another name",
                      path.string()));
    };
    refuse(folder / kReleaseManifest, manifest);
    refuse(folder / kReleaseChanges, changes);
    std::vector<std::string> names;
    for (const ReleasedBoard& board : boards) {
      names.push_back(board.plan.board);
      refuse(folder / kReleaseWindows / fmt::format("{}.h", board.plan.board), board.header);
    }
    // Until the manifest, written last, is there, it may list only some of the boards.
    if (fs::exists(folder / kReleaseManifest)) {
      refuse(folder / kReleaseWindows / kAllHeadersName, AllHeadersText(names));
    }
  }

  // Whether the database holds this release of the board. Throws Error when it holds another of the
  // name, with another header.
  bool IsRecorded(const Store& store, const ReleasedBoard& board, const std::string& date) const {
    for (const Release& release : store.ListReleases()) {
      if (release.name != name_ || release.board != board.plan.board) continue;
      if (release.header_digest == HexDigest(board.header)) {
        if (release.date.empty() || release.date == date) return true;
        throw Error(
            fmt::format("{}: release '{}' is recorded as of {}, not {}, and a release is "
                        "frozen: leave --date out",
                        db_, name_, release.date, date));
      }
      throw Error(
          fmt::format("{}: release '{}' of {} is recorded with another header, and a "
                      "release is frozen: take another name",
                      db_, name_, release.board));
    }
    return false;
  }

  void RefuseOtherRecord(const std::vector<ReleasedBoard>& boards, const std::string& date) const {
    const Store store = Store::Open(db_, OpenMode::kReadOnly);
    for (const ReleasedBoard& board : boards) IsRecorded(store, board, date);
  }

  // So that the history can say which release shipped a plan.
  void Record(const std::vector<ReleasedBoard>& boards, const std::string& date) const {
    Store store = Store::Open(db_, OpenMode::kReadWrite);
    for (const ReleasedBoard& board : boards) {
      if (IsRecorded(store, board, date)) continue;
      store.SaveRelease({.name = name_,
                         .board = board.plan.board,
                         .plan = store.SavePlan(board.plan),  // the stored one's number
                         .header_digest = HexDigest(board.header),
                         .commit = ThisEnvironment(std::nullopt).commit,
                         .date = date});
    }
  }

  std::string name_;
  std::string db_;
  std::string folder_;
  std::string previous_;
  std::string date_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeRelease() { return std::make_unique<ReleaseCommand>(); }

}  // namespace fenestra::cli
