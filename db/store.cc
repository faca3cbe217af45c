#include "db/store.h"

#include <fmt/format.h>

#include "db/digest.h"
#include "db/published.h"
#include "db/store_impl.h"
#include "db/text.h"
#include "kernels/board.h"

namespace fenestra {
namespace {

// Fails on a record that must not enter the store. `environments` are the ids it may name.
template <typename Record>
void CheckRecord(const std::string& file, const Record& record,
                 const std::set<std::string_view>& environments) {
  std::string fault = Fault(record);
  const std::string_view id = fields::EnvironmentOf(record);
  if (fault.empty() && !id.empty() && !environments.contains(id)) {
    fault = fmt::format("environment '{}' is neither stored nor added along with it", id);
  }
  if (!fault.empty()) {
    throw Error(
        fmt::format("{}: not added: {}: {}; measure it again", file, Describe(record), fault));
  }
}

// Boards and sessions follow from the records; each is noted once.
class Bookkeeper {
 public:
  explicit Bookkeeper(sqlite::Connection* connection)
      : board_(
            connection->Prepare("INSERT INTO boards VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")),
        session_(
            connection->Prepare("INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT DO NOTHING")) {}

  template <typename Record>
  void Note(const Record& record) {
    const std::string_view name = fields::BoardOf(record);
    if (name != last_board_) NoteBoard(name);
    if constexpr (std::is_same_v<Record, TimeRecord>) NoteSession(record.key);
  }

 private:
  void NoteBoard(std::string_view name) {
    last_board_ = name;
    const Board& board = *FindBoard(name);  // checked before
    board_.Bind(1, board.name);
    board_.Bind(2, ToString(board.arch));
    board_.Bind(3, board.sm_count);
    board_.Bind(4, board.product);
    board_.Run();
  }

  void NoteSession(const TimeKey& key) {
    if (!sessions_.emplace(key.board, key.environment, key.session).second) return;
    session_.Bind(1, key.board.str());
    session_.Bind(2, key.environment.str());
    session_.Bind(3, key.session);
    session_.Run();
  }

  sqlite::Statement board_;
  sqlite::Statement session_;
  std::string_view last_board_;
  std::set<std::tuple<std::string_view, std::string_view, int>> sessions_;
};

void PutSamples(sqlite::Connection* connection, const TimeSamples& entry,
                sqlite::Statement* insert) {
  const std::int64_t time = StoredTimeId(connection, entry.key);
  if (time == 0) {
    throw Error(fmt::format("{}: not added: samples of no record: {}", connection->name(),
                            Describe(fields::WithKey<TimeRecord>(entry.key))));
  }
  for (const Sample& sample : entry.samples) {
    insert->Bind(1, time);
    insert->Bind(2, sample.round);
    insert->Bind(3, sample.call);
    insert->Bind(4, sample.union_ns);
    insert->Bind(5, sample.span_ns);
    insert->Bind(6, sample.sm_clock_mhz);
    insert->Bind(7, sample.memory_clock_mhz);
    insert->Run();
  }
}

// The first column of what the query gives.
std::vector<std::string> Texts(sqlite::Connection* connection, std::string_view query) {
  sqlite::Statement select = connection->Prepare(query);
  std::vector<std::string> texts;
  while (select.Step()) texts.emplace_back(select.Text(0));
  return texts;
}

}  // namespace

std::string DigestOfSamples(std::span<const Sample> samples) {
  std::string text;
  for (const Sample& s : samples) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", s.round, s.call, s.union_ns, s.span_ns,
                        s.sm_clock_mhz, s.memory_clock_mhz);
  }
  return HexDigest(text);
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::Open(const std::filesystem::path& path, OpenMode mode) {
  return Store(std::make_unique<Impl>(OpenStoreFile(path, mode)));
}

void Store::Impl::Put(const Group& group) {
  std::vector<Environment> stored;
  TableOf<Environment>().Load("", &stored);
  std::set<std::string_view> environments;
  for (const Environment& environment : stored) environments.insert(environment.id);
  for (const Environment& added : group.evidence.environments) environments.insert(added.id);
  Bookkeeper bookkeeper(&connection);
  fields::ForEachList(group.evidence, [&]<typename Record>(const std::vector<Record>& list) {
    for (const Record& record : list) {
      CheckRecord(connection.name(), record, environments);
      TableOf<Record>().Put(record);
      if constexpr (!std::is_same_v<Record, Environment>) bookkeeper.Note(record);
    }
  });
  if (!group.samples.empty()) {
    sqlite::Statement insert = connection.Prepare(
        "INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    for (const TimeSamples& entry : group.samples) PutSamples(&connection, entry, &insert);
  }
}

void Store::Append(const Group& group) {
  sqlite::Transaction transaction(&impl_->connection);
  impl_->Put(group);
  transaction.Commit();
}

void Store::Append(const Evidence& evidence) {
  sqlite::Transaction transaction(&impl_->connection);
  impl_->Put({.evidence = evidence, .samples = {}});
  if (!evidence.published.empty()) WritePublished(&impl_->connection, evidence.published);
  transaction.Commit();
}

std::string Store::FirstConflict(const SourcedEvidence& evidence,
                                 const std::vector<std::string>& names) const {
  std::string first;
  fields::ForEachList(evidence, [&]<typename Record>(const Sourced<Record>& list) {
    for (std::size_t i = 0; i < list.records.size() && first.empty(); ++i) {
      const std::string conflict = impl_->TableOf<Record>().ConflictOf(list.records[i]);
      if (!conflict.empty())
        first = fmt::format("{}: {}", PlaceName(list.where[i], names), conflict);
    }
  });
  return first;
}

void Store::CheckHolds(const std::filesystem::path& file) const {
  const sqlite::Snapshot snapshot(&impl_->connection);
  std::int64_t lost = 0;
  std::string first;
  const SourceFiles there = ReadSources({file});
  fields::ForEachList(there.evidence, [&]<typename Record>(const Sourced<Record>& list) {
    if constexpr (std::is_same_v<Record, Environment>) return;
    for (const Record& record : list.records) {
      Table<Record>& table = impl_->TableOf<Record>();
      if (table.Find(record) && table.ConflictOf(record).empty()) continue;
      if (lost++ == 0) first = fmt::format("{} {}", Describe(record), DescribeValue(record));
    }
  });
  if (lost == 0) return;
  throw Error(
      fmt::format("{}: {} of its records are not in {}, the first {}: import the file "
                  "first, or remove it, or name another folder",
                  file.string(), lost, impl_->connection.name(), first));
}

Evidence Store::Load(std::string_view board) const {
  const sqlite::Snapshot snapshot(&impl_->connection);
  Evidence evidence;
  std::vector<Environment> environments;
  impl_->TableOf<Environment>().Load("", &environments);
  std::set<std::string_view> named;
  fields::ForEachList(evidence, [&]<typename Record>(std::vector<Record>& list) {
    if constexpr (std::is_same_v<Record, Environment>) return;
    impl_->TableOf<Record>().Load(board, &list);
    for (const Record& record : list) named.insert(fields::EnvironmentOf(record));
  });
  for (Environment& environment : environments) {
    if (named.contains(environment.id)) evidence.environments.push_back(std::move(environment));
  }
  evidence.published = LoadPublished();
  Sort(&evidence);
  return evidence;
}

std::vector<std::string> Store::Boards() const {
  return Texts(&impl_->connection, "SELECT name FROM boards ORDER BY name");
}

std::vector<std::string> Store::PlannedBoards() const {
  return Texts(&impl_->connection, "SELECT DISTINCT board FROM plans ORDER BY board");
}

}  // namespace fenestra
