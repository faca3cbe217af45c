#include "tuner/cli/import_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "accuracy/error.h"
#include "export/manifest.h"
#include "export/release_folder.h"

namespace fenestra::cli {
namespace {

// Each behind the one it follows; `known`: names of releases that are stored.
std::vector<ReleaseFolder> InOrder(std::vector<ReleaseFolder> folders,
                                   std::set<std::string> known) {
  std::vector<ReleaseFolder> ordered;
  while (!folders.empty()) {
    // The first that none of the others has to come before.
    auto next = std::find_if(folders.begin(), folders.end(), [&](const ReleaseFolder& one) {
      return std::none_of(folders.begin(), folders.end(), [&](const ReleaseFolder& other) {
        return &other != &one && other.release.manifest.release == one.release.manifest.previous;
      });
    });
    if (next == folders.end()) next = folders.begin();  // they follow one another in a ring
    const Manifest& manifest = next->release.manifest;
    if (!known.contains(manifest.release) && !known.contains(manifest.previous) &&
        !(manifest.previous.empty() && known.empty())) {
      throw Error(
          manifest.previous.empty()
              ? fmt::format("{}: release '{}' follows no other, and '{}' is there before it: "
                            "import it into a new database",
                            next->path.string(), manifest.release, *known.begin())
              : fmt::format("{}: release '{}' follows '{}', which is neither in the database nor "
                            "among the folders: import that one too",
                            next->path.string(), manifest.release, manifest.previous));
    }
    known.insert(next->release.manifest.release);
    ordered.push_back(std::move(*next));
    folders.erase(next);
  }
  return ordered;
}

const Release* Find(const std::vector<Release>& releases, const std::string& name,
                    const std::string& board) {
  const auto found = std::find_if(releases.begin(), releases.end(), [&](const Release& one) {
    return one.name == name && one.board == board;
  });
  return found == releases.end() ? nullptr : &*found;
}

// A release that tells no date may be told one.
void RequireDate(const Release& stored, const std::string& date, const std::string& place) {
  if (stored.date.empty() || stored.date == date) return;
  throw Error(fmt::format("{}: release '{}' of {} is recorded as of {}, and there it is of {}: {}",
                          place, stored.name, stored.board, stored.date,
                          date.empty() ? "no day" : date, kRestoreRelease));
}

// Throws where the board's latest plan was never released.
void RequireReleasedPlans(const Store& store, const std::vector<Release>& releases,
                          const std::string& board) {
  const std::vector<StoredPlan> plans = store.LoadPlans(board, "");
  if (plans.empty() || plans.back().plan.imported) return;
  const bool released = std::any_of(releases.begin(), releases.end(), [&](const Release& one) {
    return one.plan == plans.back().id;
  });
  if (released) return;
  throw Error(
      fmt::format("the database holds plan {} of {}, which no release has: history would put the "
                  "release behind it; import releases before you plan, into a new database",
                  plans.back().id, board));
}

}  // namespace

std::vector<ReleaseFolder> ReadReleases(const std::vector<std::filesystem::path>& folders,
                                        std::set<std::string> known) {
  std::vector<ReleaseFolder> read;
  read.reserve(folders.size());
  for (const std::filesystem::path& path : folders) read.push_back({path, ReadReleaseFolder(path)});
  return InOrder(std::move(read), std::move(known));
}

void StoreReleases(const std::vector<ReleaseFolder>& releases, Store* store) {
  const std::vector<Release> stored = store->ListReleases();

  struct Addition {
    Plan plan;
    Release release;
  };
  std::vector<Addition> additions;
  for (const ReleaseFolder& folder : releases) {
    const Manifest& manifest = folder.release.manifest;
    for (const ParsedHeader& header : folder.release.headers) {
      const std::string& digest = FindBoard(manifest, header.code_board)->header_digest;
      const Release* there = Find(stored, manifest.release, header.code_board);
      if (there != nullptr && there->header_digest == digest) {
        RequireDate(*there, manifest.date, folder.path.string());
        if (there->date != manifest.date) {
          Release dated = *there;
          dated.date = manifest.date;
          store->SaveRelease(dated);
        }
        continue;
      }
      if (there != nullptr) {
        throw Error(fmt::format("{}: release '{}' of {} is recorded with another header",
                                folder.path.string(), manifest.release, header.code_board));
      }
      RequireReleasedPlans(*store, stored, header.code_board);
      additions.push_back({.plan = PlanOf(header),
                           .release = {.name = manifest.release,
                                       .board = header.code_board,
                                       .plan = 0,
                                       .header_digest = digest,
                                       .commit = "",
                                       .date = manifest.date}});
    }
  }
  for (Addition& addition : additions) {
    addition.release.plan = store->SavePlan(addition.plan);
    store->SaveRelease(addition.release);
  }
}

}  // namespace fenestra::cli
