// Releases into a database, as history.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "db/store.h"
#include "export/release.h"

namespace fenestra::cli {

struct ReleaseFolder {
  std::filesystem::path path;
  FrozenRelease release;
};

// The releases in `folders`, in the order in which they follow one another, whatever that of
// `folders`. `known`: names of those that the database has. Throws Error where ReadReleaseFolder
// does, and where the release before one is unknown.
std::vector<ReleaseFolder> ReadReleases(const std::vector<std::filesystem::path>& folders,
                                        std::set<std::string> known);

// Stores what each board of the releases ran, as its header tells it, and that it was released.
// What is recorded already stays. Throws Error, with nothing stored, where another header was
// recorded under a name, and where the database holds a plan that no release has: history goes by
// the order of plans, and the release would come behind it.
void StoreReleases(const std::vector<ReleaseFolder>& releases, Store* store);

}  // namespace fenestra::cli
