// Look-ups of Store; each is answered by the unique key of its table.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "db/published.h"
#include "db/store.h"
#include "db/store_impl.h"

namespace fenestra {
namespace {

// The columns of a comparison group, which start the unique key of `times` and `failures`. A
// failure belongs to no session.
void VisitGroup(const TimeGroup& group, bool with_session, auto& visit) {
  visit("board", group.board);
  visit("route", group.route);
  visit("view", group.view);
  visit("rows", group.rows);
  visit("environment", group.environment);
  if (with_session) visit("session", group.session);
}

}  // namespace

std::int64_t StoredTimeId(sqlite::Connection* connection, const TimeKey& key) {
  const TimeRecord record = fields::WithKey<TimeRecord>(key);
  ColumnNames names(" = ?", " AND ");
  fields::Kind<TimeRecord>::Key(record, names);
  sqlite::Statement find =
      connection->Prepare(fmt::format("SELECT id FROM times WHERE {}", names.text()));
  Binder binder(&find);
  fields::Kind<TimeRecord>::Key(record, binder);
  return find.Step() ? find.Int64(0) : 0;
}

bool Store::HasTimes(const TimeGroup& group, std::span<const std::string> programs,
                     int processes) const {
  ColumnNames names(" = ?", " AND ");
  VisitGroup(group, true, names);
  sqlite::Statement select = impl_->connection.Prepare(
      fmt::format("SELECT program, count(*) FROM times WHERE {} GROUP BY program", names.text()));
  Binder binder(&select);
  VisitGroup(group, true, binder);
  std::map<std::string, std::int64_t, std::less<>> counts;
  while (select.Step()) counts.emplace(select.Text(0), select.Int64(1));
  return std::all_of(programs.begin(), programs.end(), [&](const std::string& program) {
    const auto found = counts.find(program);
    return (found != counts.end() && found->second >= processes) || HasFailure(group, program);
  });
}

bool Store::HasFailure(const TimeGroup& group, std::string_view program) const {
  ColumnNames names(" = ?", " AND ");
  VisitGroup(group, false, names);
  sqlite::Statement select = impl_->connection.Prepare(
      fmt::format("SELECT 1 FROM failures WHERE program = ? AND {}", names.text()));
  const std::string program_text(program);
  Binder binder(&select);
  binder("program", program_text);
  VisitGroup(group, false, binder);
  return select.Step();
}

bool Store::HasAccuracy(const AccuracyKey& key) const {
  const auto visit_all_but_inputs = [&key](auto& visit) {
    visit("board", key.board);
    visit("width", key.width);
    visit("rows", key.rows);
    visit("program", key.program);
    visit("family", key.family);
    visit("reference", key.reference);
    visit("protocol", key.protocol);
  };
  ColumnNames names(" = ?", " AND ");
  visit_all_but_inputs(names);
  sqlite::Statement select = impl_->connection.Prepare(
      fmt::format("SELECT 1 FROM accuracy WHERE {} AND inputs >= ?", names.text()));
  Binder binder(&select);
  visit_all_but_inputs(binder);
  binder("inputs", key.inputs);
  return select.Step();
}

bool Store::HasEdge(const EdgeKey& key) const {
  return impl_->TableOf<EdgeRecord>().Find(fields::WithKey<EdgeRecord>(key)).has_value();
}
bool Store::HasWait(const WaitKey& key) const {
  return impl_->TableOf<WaitRecord>().Find(fields::WithKey<WaitRecord>(key)).has_value();
}

bool Store::HasKernel(const KernelKey& key) const {
  return impl_->TableOf<KernelRecord>().Find(fields::WithKey<KernelRecord>(key)).has_value();
}

std::vector<Sample> Store::LoadSamples(const TimeKey& key) const {
  sqlite::Statement select = impl_->connection.Prepare(
      "SELECT round, call, union_ns, span_ns, sm_clock_mhz, memory_clock_mhz FROM samples "
      "WHERE time = ? ORDER BY round, call");
  select.Bind(1, StoredTimeId(&impl_->connection, key));
  std::vector<Sample> samples;
  while (select.Step()) {
    samples.push_back({.round = static_cast<int>(select.Int64(0)),
                       .call = static_cast<int>(select.Int64(1)),
                       .union_ns = select.Int64(2),
                       .span_ns = select.Int64(3),
                       .sm_clock_mhz = static_cast<int>(select.Int64(4)),
                       .memory_clock_mhz = static_cast<int>(select.Int64(5))});
  }
  return samples;
}

std::vector<AccuracyRecord> Store::LoadAccuracyAbove(std::string_view board, int width,
                                                     std::string_view program, std::int64_t above,
                                                     std::int64_t to) const {
  if (!impl_->accuracy_above) {
    // ?1 to ?3 stand in both conditions.
    constexpr std::string_view kCurve = "board = ?1 AND width = ?2 AND program = ?3";
    impl_->accuracy_above = impl_->connection.Prepare(fmt::format(
        "{} WHERE {} AND rows = (SELECT min(rows) FROM accuracy WHERE {} AND rows > ?4 AND "
        "rows <= ?5)",
        Table<AccuracyRecord>::SelectSql(), kCurve, kCurve));
  }
  sqlite::Statement& select = *impl_->accuracy_above;
  select.Bind(1, board);
  select.Bind(2, width);
  select.Bind(3, program);
  select.Bind(4, above);
  select.Bind(5, to);
  std::vector<AccuracyRecord> records;
  while (select.Step()) records.push_back(impl_->TableOf<AccuracyRecord>().Current(select));
  select.Reset();
  std::sort(records.begin(), records.end());
  return records;
}

std::vector<PublishedRecord> Store::LoadPublished() const {
  return ReadPublished(&impl_->connection);
}

}  // namespace fenestra
