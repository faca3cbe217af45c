// Parts of a board's evidence, for those who need not hold all of it at once.
#include <algorithm>
#include <map>
#include <set>

#include "accuracy/digest.h"
#include "db/digest.h"
#include "db/store.h"
#include "db/store_impl.h"
#include "db/text_section.h"

namespace fenestra {
namespace {

// Columns that select a part; each visits them with their values.
struct OfBoard {
  std::string board;
  void operator()(auto& visit) const { visit("board", board); }
};
struct OfRoute {
  std::string board;
  Route route;
  void operator()(auto& visit) const {
    visit("board", board);
    visit("route", route);
  }
};
struct OfWidth {
  std::string board;
  int width;
  void operator()(auto& visit) const {
    visit("board", board);
    visit("width", width);
  }
};

template <typename Part>
std::string WhereSql(const Part& part) {
  ColumnNames names(" = ?", " AND ");
  part(names);
  return names.text();
}

template <typename Record, typename Part>
std::vector<Record> LoadPart(sqlite::Connection* connection, const Table<Record>& table,
                             const Part& part) {
  sqlite::Statement select =
      connection->Prepare(fmt::format("{} WHERE {}", Table<Record>::SelectSql(), WhereSql(part)));
  Binder binder(&select);
  part(binder);
  std::vector<Record> records;
  while (select.Step()) records.push_back(table.Current(select));
  std::sort(records.begin(), records.end());
  return records;
}

// The routes, or the widths, that a table has records of, in the order of their text.
template <typename Record>
auto PartsOf(sqlite::Connection* connection, const std::string& board) {
  constexpr bool kByRoute = requires(Record record) { record.key.route; }
  || requires(Record record) { record.route; };
  using Value = std::conditional_t<kByRoute, Route, int>;
  using Part = std::conditional_t<kByRoute, OfRoute, OfWidth>;
  ColumnNames names("", ", ");
  names(kByRoute ? "route" : "width", Value{});
  sqlite::Statement select =
      connection->Prepare(fmt::format("SELECT DISTINCT {} FROM {} WHERE {}", names.text(),
                                      fields::Kind<Record>::kName, WhereSql(OfBoard{board})));
  const OfBoard of_board{board};
  Binder binder(&select);
  of_board(binder);
  std::map<std::string, Part> parts;
  while (select.Step()) {
    Value value{};
    ColumnReader reader(connection, &select);
    reader(kByRoute ? "route" : "width", value);
    parts.emplace(text::FieldOf(value), Part{board, value});
  }
  return parts;
}

template <typename Record>
constexpr bool kInParts =
    std::is_same_v<Record, TimeRecord> || std::is_same_v<Record, EdgeRecord> ||
    std::is_same_v<Record, FailureRecord> || std::is_same_v<Record, AccuracyRecord> ||
    std::is_same_v<Record, DigestRecord>;

template <typename Record>
std::vector<const Record*> PointersTo(const std::vector<Record>& records) {
  std::vector<const Record*> pointers;
  pointers.reserve(records.size());
  for (const Record& record : records) pointers.push_back(&record);
  return pointers;
}

// Writes the section of a board's records, a part at a time.
template <typename Record>
void WriteParts(sqlite::Connection* connection, const Table<Record>& table,
                const std::string& board, const text::Sink& sink) {
  bool first = true;
  const auto write_part = [&](const auto& part) {
    const std::vector<Record> records = LoadPart(connection, table, part);
    text::WriteSection(PointersTo(records), first, sink);
    first = first && records.empty();
  };
  if constexpr (kInParts<Record>) {
    for (const auto& [name, part] : PartsOf<Record>(connection, board)) write_part(part);
  } else {
    write_part(OfBoard{board});
  }
}

// Lists that a lender gives (tuner/lender.h).
template <typename Record>
constexpr bool kLent = std::is_same_v<Record, TimeRecord> || std::is_same_v<Record, FailureRecord>;

template <typename Record>
constexpr bool kNamesEnvironment = requires(Record record) {
  record.environment;
}
|| requires(Record record) { record.key.environment; };

// Ids that the board's records name, or those of the kinds that are lent.
std::set<std::string> NamedBy(sqlite::Connection* connection, const auto& tables,
                              std::string_view board, bool lent) {
  std::set<std::string> named;
  const auto add = [&]<typename Record>(const Table<Record>&) {
    if constexpr (kNamesEnvironment<Record>) {
      if (lent && !kLent<Record>) return;
      sqlite::Statement select = connection->Prepare(fmt::format(
          "SELECT DISTINCT environment FROM {} WHERE board = ?", fields::Kind<Record>::kName));
      select.Bind(1, board);
      while (select.Step()) named.emplace(select.Text(0));
    }
  };
  std::apply([&](const auto&... table) { (add(table), ...); }, tables);
  return named;
}

// Those of the environments that are named, by id.
std::vector<Environment> Select(Table<Environment>* table, const std::set<std::string>& named) {
  std::vector<Environment> environments;
  table->Load("", &environments);
  std::erase_if(environments, [&](const Environment& one) { return !named.contains(one.id); });
  std::sort(environments.begin(), environments.end());
  return environments;
}

}  // namespace

std::vector<Environment> Store::LoadEnvironments(std::string_view board) const {
  const sqlite::Snapshot snapshot(&impl_->connection);
  return Select(&impl_->TableOf<Environment>(),
                NamedBy(&impl_->connection, impl_->tables, board, false));
}

std::vector<Route> Store::TimedRoutes(std::string_view board) const {
  std::vector<Route> routes;
  for (const auto& [name, part] : PartsOf<TimeRecord>(&impl_->connection, std::string(board))) {
    routes.push_back(part.route);
  }
  std::sort(routes.begin(), routes.end());
  return routes;
}

Evidence Store::LoadRoute(std::string_view board, const Route& route) const {
  const OfRoute part{std::string(board), route};
  sqlite::Connection* connection = &impl_->connection;
  Evidence evidence;
  evidence.times = LoadPart(connection, impl_->TableOf<TimeRecord>(), part);
  evidence.edges = LoadPart(connection, impl_->TableOf<EdgeRecord>(), part);
  return evidence;
}

Evidence Store::LoadWidth(std::string_view board, int width) const {
  const OfWidth part{std::string(board), width};
  sqlite::Connection* connection = &impl_->connection;
  Evidence evidence;
  evidence.accuracy = LoadPart(connection, impl_->TableOf<AccuracyRecord>(), part);
  evidence.failures = LoadPart(connection, impl_->TableOf<FailureRecord>(), part);
  evidence.kernels = LoadPart(connection, impl_->TableOf<KernelRecord>(), OfBoard{part.board});
  return evidence;
}

std::string Store::EvidenceDigest(std::string_view board, std::string_view lender) const {
  const sqlite::Snapshot snapshot(&impl_->connection);
  Fnv1aHash hash;
  const text::Sink sink = [&hash](std::string_view text) { hash.Add(text); };
  const auto write_board = [&](const std::string& name, bool lent) {
    const auto write_section = [&]<typename Record>(const Table<Record>& table) {
      if constexpr (std::is_same_v<Record, Environment>) {
        const std::vector<Environment> environments = Select(
            &impl_->TableOf<Environment>(), NamedBy(&impl_->connection, impl_->tables, name, lent));
        text::WriteSection(PointersTo(environments), true, sink);
      } else if (!lent || kLent<Record>) {
        WriteParts(&impl_->connection, table, name, sink);
      }
    };
    sink(text::HeadLine(name));
    std::apply([&](const auto&... table) { (write_section(table), ...); }, impl_->tables);
    sink(text::EndLine());
  };
  for (const std::string_view name : std::set{board, lender}) {
    write_board(std::string(name), name != board);
  }
  return DigestText(hash.value());
}

}  // namespace fenestra
