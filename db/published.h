// Published figures: the tables of the source documents, as printed. They come with the program
// (db/published/*.csv) and are the oldest entries of the history.
#pragma once

#include <string_view>
#include <vector>

#include "db/records.h"
#include "db/sqlite.h"

namespace fenestra {

// Reads one table; `table` is its name, "edges". Cells become strings of `json`, under the names of
// the title row; an empty cell ("not stated") stays "". Throws Error with name and line.
std::vector<PublishedRecord> ParsePublished(std::string_view csv, std::string_view table);

// All five tables.
std::vector<PublishedRecord> BuiltInPublished();

// Stores figures; a row that is there is replaced. REQUIRES: a transaction is open.
void WritePublished(sqlite::Connection* connection, const std::vector<PublishedRecord>& records);
// Stored figures, by table and line.
std::vector<PublishedRecord> ReadPublished(sqlite::Connection* connection);

}  // namespace fenestra
