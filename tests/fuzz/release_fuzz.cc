// Folders of releases, which `import`, `release --previous` and `check --release` read. A text's
// first letter says which of a sound release's files it stands in for: m, its manifest; h, its
// header; a, the list of its headers; c, its change note.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <span>

#include "accuracy/error.h"
#include "db/digest.h"
#include "db/files.h"
#include "export/check.h"
#include "export/header_folder.h"
#include "export/release_folder.h"
#include "tests/export/plan_fixture.h"
#include "tests/fuzz/target.h"

namespace fenestra::fuzz {
namespace {

constexpr std::string_view kChanges = "# 1.0 against 0.9\n";

// A sound release on the disk, for the life of the process.
class SoundRelease {
 public:
  SoundRelease() {
    const ReleasedBoard board(test::FixturePlan(), test::FixtureEvidence());
    const std::filesystem::path windows = folder_ / kReleaseWindows;
    const std::filesystem::path header = WriteHeader(windows, board.plan.board, board.header);
    WriteFileAtomically(folder_ / kReleaseChanges, kChanges);
    WriteFileAtomically(folder_ / kReleaseManifest, ManifestText({.release = "1.0",
                                                                  .previous = "0.9",
                                                                  .date = "2026-11-30",
                                                                  .changes = HexDigest(kChanges),
                                                                  .boards = {}},
                                                                 std::span(&board, 1)));
    for (const auto& [letter, path] : {std::pair{'m', folder_ / kReleaseManifest},
                                       {'h', header},
                                       {'a', windows / kAllHeadersName},
                                       {'c', folder_ / kReleaseChanges}}) {
      files_[letter] = {path, ReadFile(path, kMaxReleaseTextBytes)};
    }
  }
  ~SoundRelease() { std::filesystem::remove_all(folder_.parent_path()); }
  SoundRelease(const SoundRelease&) = delete;
  SoundRelease& operator=(const SoundRelease&) = delete;

  struct File {
    std::filesystem::path path;
    std::string text;
  };
  const std::filesystem::path& folder() const { return folder_; }
  const std::map<char, File>& files() const { return files_; }

 private:
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("fenestra_fuzz_" + std::to_string(getpid())) / "1.0";
  std::map<char, File> files_;
};

const SoundRelease& Sound() {
  static const SoundRelease kSound;
  return kSound;
}

// Whether the folder is refused, or anything is found in it.
bool IsWrong() {
  try {
    (void)ReadReleaseFolder(Sound().folder());
  } catch (const Error& error) {
    RequireErrorLine(error.what(), Sound().folder().string(), false);
    return true;
  }
  const auto findings = CheckFolder(Sound().folder() / kReleaseWindows);
  for (const Finding& finding : findings) {
    RequireErrorLine(ToString(finding), Sound().folder().string(), false);
  }
  return !findings.empty();
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const auto& [letter, file] : Sound().files()) seeds.push_back(letter + file.text);
  return seeds;
}

void TestOne(std::string_view text) {
  const auto found = Sound().files().find(text.empty() ? ' ' : text[0]);
  if (found == Sound().files().end()) return;
  const auto& [letter, file] = *found;
  text.remove_prefix(1);
  WriteFileAtomically(file.path, text);
  const bool is_wrong = IsWrong();
  WriteFileAtomically(file.path, file.text);
  if (text == file.text) Require(!is_wrong, "a sound release is accepted");
  // Not every byte of a manifest means something: members may stand in other white space.
  if (text != file.text && letter != 'm') Require(is_wrong, "a changed file is found");
}

}  // namespace fenestra::fuzz
