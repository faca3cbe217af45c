// What the files of Store share.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "db/store.h"
#include "db/table.h"

namespace fenestra {

struct Store::Impl {
  explicit Impl(sqlite::Connection opened)
      : connection(std::move(opened)),
        tables(&connection, &connection, &connection, &connection, &connection, &connection,
               &connection, &connection) {}

  template <typename Record>
  Table<Record>& TableOf() {
    return std::get<Table<Record>>(tables);
  }

  // Store::Append, within a transaction.
  void Put(const Group& group);

  sqlite::Connection connection;
  std::tuple<Table<Environment>, Table<TimeRecord>, Table<AccuracyRecord>, Table<DigestRecord>,
             Table<EdgeRecord>, Table<WaitRecord>, Table<KernelRecord>, Table<FailureRecord>>
      tables;
  std::optional<sqlite::Statement> accuracy_above;  // of LoadAccuracyAbove, from its first call on
};

// The row of a time's key in `times`; 0 when there is none.
std::int64_t StoredTimeId(sqlite::Connection* connection, const TimeKey& key);

}  // namespace fenestra
