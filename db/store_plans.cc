// Plans and releases in the store.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <type_traits>
#include <unordered_map>

#include "db/store.h"
#include "db/store_impl.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

// The columns of the plan tables' rows, behind their keys.
void VisitWaiver(auto& waiver, auto& visit) {
  visit("route", waiver.route);
  visit("rows", waiver.rows);
  visit("program", waiver.program);
  visit("fraction", waiver.fraction);
  visit("reason", waiver.reason);
}

void VisitRoute(auto& route, auto& visit) {
  visit("route", route.route);
  visit("qualified_rows", route.qualified_rows);
}

void VisitWindow(auto& planned, auto& visit) {
  visit("lo", planned.window.lo);
  visit("hi", planned.window.hi);
  visit("program", planned.program);
  visit("edge", planned.window.edge);
  visit("y", planned.window.classes.y);
  visit("rstd", planned.window.classes.rstd);
  visit("residual_out", planned.window.classes.residual_out);
  visit("dx", planned.window.classes.dx);
  visit("dw", planned.window.classes.dw);
  visit("time", planned.window.time);
  visit("accuracy", planned.window.accuracy);
  visit("reason", planned.reason);
  visit("worst", planned.worst);
  visit("worst_rows", planned.worst_rows);
  visit("over_stream", planned.over_stream);
  visit("over_best", planned.over_best);
}

void VisitPlan(auto& plan, auto& visit) {
  visit("board", plan.board);
  visit("margin", plan.margin);
  visit("noise", plan.noise);
  visit("evidence", plan.evidence);
  visit("imported", plan.imported);
}

void VisitRelease(auto& release, auto& visit) {
  visit("name", release.name);
  visit("board", release.board);
  visit("plan", release.plan);
  visit("header_digest", release.header_digest);
  visit("commit", release.commit);
  visit("date", release.date);
}

// Inserts the row whose columns `visit_row` visits.
void InsertRow(sqlite::Connection* connection, std::string_view table, auto&& visit_row) {
  ColumnNames names("", ", ");
  visit_row(names);
  sqlite::Statement insert = connection->Prepare(
      fmt::format("INSERT INTO {} ({}) VALUES ({})", table, names.text(), names.Parameters()));
  Binder binder(&insert);
  visit_row(binder);
  insert.Run();
}

// Reads rows of a table into records, whose columns `visit_record` visits. Prepared once, read for
// as many parameters as there are plans.
template <typename Record, typename Visit>
class RowReader {
 public:
  RowReader(sqlite::Connection* connection, std::string_view table, std::string_view rest,
            Visit visit)
      : connection_(connection),
        visit_(visit),
        select_(
            connection->Prepare(fmt::format("SELECT {} FROM {} {}", NamesOf(visit), table, rest))) {
  }

  // `parameters` of the `rest`, in order.
  std::vector<Record> Read(std::initializer_list<std::int64_t> parameters = {}) {
    int index = 0;
    for (std::int64_t parameter : parameters) select_.Bind(++index, parameter);
    std::vector<Record> records;
    while (select_.Step()) {
      ColumnReader reader(connection_, &select_);
      visit_(records.emplace_back(), reader);
    }
    select_.Reset();
    return records;
  }

 private:
  static std::string NamesOf(Visit visit) {
    const Record none{};
    ColumnNames names("", ", ");
    visit(none, names);
    return names.text();
  }

  sqlite::Connection* connection_;
  Visit visit_;
  sqlite::Statement select_;
};

constexpr auto kVisitWaiver = [](auto& record, auto& visit) { VisitWaiver(record, visit); };
constexpr auto kVisitRoute = [](auto& record, auto& visit) { VisitRoute(record, visit); };
constexpr auto kVisitPlan = [](auto& record, auto& visit) { VisitPlan(record, visit); };
constexpr auto kVisitRelease = [](auto& record, auto& visit) { VisitRelease(record, visit); };
constexpr auto kVisitText = [](auto& record, auto& visit) { visit("environment", record); };

// Inserts a plan's list, numbered from 0.
template <typename Record>
void InsertList(sqlite::Connection* connection, std::string_view table, std::int64_t plan,
                const std::vector<Record>& list, auto&& visit_record) {
  for (std::int64_t position = 0; position < static_cast<std::int64_t>(list.size()); ++position) {
    InsertRow(connection, table, [&](auto& visit) {
      visit("plan", plan);
      visit("position", position);
      visit_record(list[static_cast<std::size_t>(position)], visit);
    });
  }
}

void InsertWindows(sqlite::Connection* connection, std::int64_t plan, std::int64_t route,
                   bool in_place, const std::vector<PlannedWindow>& windows) {
  InsertList(connection, "plan_windows", plan, windows, [&](const auto& window, auto& visit) {
    visit("route", route);
    visit("in_place", in_place);
    VisitWindow(window, visit);
  });
}

// A row of plan_windows.
struct WindowRow {
  bool in_place = false;
  PlannedWindow planned;
};
constexpr auto kVisitWindow = [](auto& row, auto& visit) {
  visit("in_place", row.in_place);
  VisitWindow(row.planned, visit);
};

// Reads stored plans whole, or those of their routes that a glob matches.
class PlanReader {
 public:
  explicit PlanReader(sqlite::Connection* connection)
      : plans_(connection, "plans", "WHERE id = ?", kVisitPlan),
        environments_(connection, "plan_environments", kOfPlan, kVisitText),
        waivers_(connection, "plan_waivers", kOfPlan, kVisitWaiver),
        routes_(connection, "plan_routes", kOfPlan, kVisitRoute),
        windows_(connection, "plan_windows",
                 "WHERE plan = ? AND route = ? ORDER BY in_place, position", kVisitWindow) {}

  // REQUIRES: the plan is stored.
  Plan Read(std::int64_t id, std::string_view glob = "*") {
    Plan plan = std::move(plans_.Read({id}).at(0));
    plan.environments = environments_.Read({id});
    plan.waivers = waivers_.Read({id});
    std::int64_t position = 0;
    for (RoutePlan& route : routes_.Read({id})) {
      const std::int64_t number = position++;
      if (glob != "*" && !MatchesGlob(ToString(route.route), glob)) continue;
      for (WindowRow& row : windows_.Read({id, number})) {
        row.planned.window.program = IndexOf(row.planned.program);
        (row.in_place ? route.in_place : route.windows).push_back(std::move(row.planned));
      }
      plan.routes.push_back(std::move(route));
    }
    return plan;
  }

 private:
  // FindProgram walks the list; plans name the same few programs again and again.
  int IndexOf(const std::string& program) {
    const auto [found, is_new] = indices_.try_emplace(program, -1);
    if (is_new) found->second = FindProgram(program);
    return found->second;
  }

  static constexpr std::string_view kOfPlan = "WHERE plan = ? ORDER BY position";

  template <typename Record, typename Visit>
  using Rows = RowReader<Record, std::remove_const_t<Visit>>;
  Rows<Plan, decltype(kVisitPlan)> plans_;
  Rows<std::string, decltype(kVisitText)> environments_;
  Rows<Waiver, decltype(kVisitWaiver)> waivers_;
  Rows<RoutePlan, decltype(kVisitRoute)> routes_;
  Rows<WindowRow, decltype(kVisitWindow)> windows_;
  std::unordered_map<std::string, int> indices_;  // of programs by name
};

bool SameRoute(const RoutePlan& a, const RoutePlan& b) {
  return a.route == b.route && a.windows == b.windows && a.in_place == b.in_place &&
         a.qualified_rows == b.qualified_rows;
}

bool SamePlan(const Plan& a, const Plan& b) {
  return a.board == b.board && a.margin == b.margin && a.noise == b.noise &&
         a.evidence == b.evidence && a.imported == b.imported && a.environments == b.environments &&
         a.waivers == b.waivers &&
         std::equal(a.routes.begin(), a.routes.end(), b.routes.begin(), b.routes.end(), SameRoute);
}

// Numbers of a board's plans, oldest first; of all plans when the board is empty.
std::vector<std::int64_t> PlanIds(sqlite::Connection* connection, std::string_view board) {
  sqlite::Statement select =
      connection->Prepare(board.empty() ? "SELECT id FROM plans ORDER BY id"
                                        : "SELECT id FROM plans WHERE board = ? ORDER BY id");
  if (!board.empty()) select.Bind(1, board);
  std::vector<std::int64_t> ids;
  while (select.Step()) ids.push_back(select.Int64(0));
  return ids;
}

}  // namespace

std::int64_t Store::SavePlan(const Plan& plan) {
  sqlite::Connection* connection = &impl_->connection;
  sqlite::Transaction transaction(connection);
  const std::vector<std::int64_t> ids = PlanIds(connection, plan.board);
  if (!ids.empty() && SamePlan(PlanReader(connection).Read(ids.back()), plan)) return ids.back();
  InsertRow(connection, "plans", [&](auto& visit) { VisitPlan(plan, visit); });
  const std::int64_t id = connection->LastRowId();
  InsertList(connection, "plan_environments", id, plan.environments, kVisitText);
  InsertList(connection, "plan_waivers", id, plan.waivers, kVisitWaiver);
  InsertList(connection, "plan_routes", id, plan.routes, kVisitRoute);
  for (std::size_t i = 0; i < plan.routes.size(); ++i) {
    const auto route = static_cast<std::int64_t>(i);
    InsertWindows(connection, id, route, false, plan.routes[i].windows);
    InsertWindows(connection, id, route, true, plan.routes[i].in_place);
  }
  transaction.Commit();
  return id;
}

std::optional<Plan> Store::LoadPlan(std::string_view board) const {
  const sqlite::Snapshot snapshot(&impl_->connection);
  PlanReader reader(&impl_->connection);
  const std::vector<std::int64_t> ids = PlanIds(&impl_->connection, board);
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    Plan plan = reader.Read(*id);
    if (!plan.imported) return plan;
  }
  return std::nullopt;
}

std::vector<StoredPlan> Store::LoadPlans(std::string_view board, std::string_view routes) const {
  const sqlite::Snapshot snapshot(&impl_->connection);
  PlanReader reader(&impl_->connection);
  std::vector<StoredPlan> plans;
  for (std::int64_t id : PlanIds(&impl_->connection, board)) {
    plans.push_back({.id = id, .plan = reader.Read(id, routes)});
  }
  return plans;
}

std::int64_t Store::LastPlan() const {
  return impl_->connection.ReadInt64("SELECT coalesce(max(id), 0) FROM plans");
}

void Store::SaveRelease(const Release& release) {
  sqlite::Connection* connection = &impl_->connection;
  sqlite::Transaction transaction(connection);
  for (const Release& stored : ListReleases()) {
    if (stored == release) return;
    Release dated = stored;
    dated.date = release.date;
    if (stored.date.empty() && dated == release) {
      sqlite::Statement update =
          connection->Prepare("UPDATE releases SET date = ? WHERE name = ? AND board = ?");
      update.Bind(1, release.date);
      update.Bind(2, release.name);
      update.Bind(3, release.board);
      update.Run();
      transaction.Commit();
      return;
    }
    if (stored.name == release.name && stored.board == release.board) {
      throw Error(fmt::format("{}: release '{}' of {} exists already; choose another name",
                              connection->name(), release.name, release.board));
    }
  }
  const std::vector<std::int64_t> ids = PlanIds(connection, release.board);
  if (std::find(ids.begin(), ids.end(), release.plan) == ids.end()) {
    throw Error(fmt::format("{}: plan {} of {} is not stored; save the plan first",
                            connection->name(), release.plan, release.board));
  }
  InsertRow(connection, "releases", [&](auto& visit) { VisitRelease(release, visit); });
  transaction.Commit();
}

std::vector<Release> Store::ListReleases() const {
  std::vector<Release> releases =
      RowReader<Release, std::remove_const_t<decltype(kVisitRelease)>>(
          &impl_->connection, "releases", "ORDER BY board", kVisitRelease)
          .Read();
  std::map<std::string, std::int64_t> last_plans;
  for (const Release& release : releases) {
    std::int64_t& last = last_plans[release.name];
    last = std::max(last, release.plan);
  }
  // A release that moved nothing has the plans of the one before: then names decide, 0.9 before
  // 0.10.
  std::ranges::stable_sort(releases, [&](const Release& a, const Release& b) {
    const std::int64_t last_a = last_plans[a.name];
    const std::int64_t last_b = last_plans[b.name];
    return last_a != last_b ? last_a < last_b : strverscmp(a.name.c_str(), b.name.c_str()) < 0;
  });
  return releases;
}

}  // namespace fenestra
