// How much evidence was read or written, for import and dump.
#pragma once

#include <string>

#include "db/evidence.h"
#include "tuner/cli/output.h"

namespace fenestra::cli {

// A table of records by kind, a line for each place they went to.
Table CountsTable();
void AddCounts(const std::string& place, const Evidence& evidence, Table* table);

// The same line as an object.
Json CountsJson(const std::string& place, const Evidence& evidence);

}  // namespace fenestra::cli
