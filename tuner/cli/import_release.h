// Releases into a database, as history.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "db/store.h"

namespace fenestra::cli {

// Stores what each board of the releases in `folders` ran, as its header tells it, and that it was
// released: in the order in which releases follow one another, whatever the order of `folders`.
// What is recorded already stays. Returns the names in that order. Throws Error, with nothing
// stored, where ReadReleaseFolder does, where the release before one is unknown, where another
// header was recorded under its name, and where the database holds a plan that no release has:
// history goes by the order of plans, and the release would come behind it.
std::vector<std::string> ImportReleases(const std::vector<std::filesystem::path>& folders,
                                        Store* store);

// Throws Error as ImportReleases does for a new database.
void RequireImportable(const std::vector<std::filesystem::path>& folders);

}  // namespace fenestra::cli
