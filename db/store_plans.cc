// Plans and releases in the store.
#include <fmt/format.h>

#include <algorithm>

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
}

void VisitRelease(auto& release, auto& visit) {
  visit("name", release.name);
  visit("board", release.board);
  visit("plan", release.plan);
  visit("header_digest", release.header_digest);
  visit("commit", release.commit);
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

// Reads rows of a table into records, whose columns `visit_record` visits; `where` holds numbers
// only.
template <typename Record>
std::vector<Record> SelectRows(sqlite::Connection* connection, std::string_view table,
                               const std::string& where, auto&& visit_record) {
  const Record none{};
  ColumnNames names("", ", ");
  visit_record(none, names);
  sqlite::Statement select =
      connection->Prepare(fmt::format("SELECT {} FROM {} {}", names.text(), table, where));
  std::vector<Record> records;
  while (select.Step()) {
    ColumnReader reader(connection, &select);
    visit_record(records.emplace_back(), reader);
  }
  return records;
}

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

// A row of plan_windows with its place.
struct WindowRow {
  std::int64_t route = 0;  // index into the plan's routes
  bool in_place = false;
  PlannedWindow planned;
};

// Fills in the windows of a plan's routes.
void SelectWindows(sqlite::Connection* connection, std::int64_t id, Plan* plan) {
  auto rows =
      SelectRows<WindowRow>(connection, "plan_windows",
                            fmt::format("WHERE plan = {} ORDER BY route, in_place, position", id),
                            [](auto& row, auto& visit) {
                              visit("route", row.route);
                              visit("in_place", row.in_place);
                              VisitWindow(row.planned, visit);
                            });
  for (WindowRow& row : rows) {
    row.planned.window.program = FindProgram(row.planned.program);
    RoutePlan& route = plan->routes.at(static_cast<std::size_t>(row.route));
    (row.in_place ? route.in_place : route.windows).push_back(std::move(row.planned));
  }
}

// REQUIRES: the plan is stored.
Plan SelectPlan(sqlite::Connection* connection, std::int64_t id) {
  Plan plan =
      SelectRows<Plan>(connection, "plans", fmt::format("WHERE id = {}", id), kVisitPlan).at(0);
  const std::string where = fmt::format("WHERE plan = {} ORDER BY position", id);
  plan.environments = SelectRows<std::string>(connection, "plan_environments", where, kVisitText);
  plan.waivers = SelectRows<Waiver>(connection, "plan_waivers", where, kVisitWaiver);
  plan.routes = SelectRows<RoutePlan>(connection, "plan_routes", where, kVisitRoute);
  SelectWindows(connection, id, &plan);
  return plan;
}

bool SameRoute(const RoutePlan& a, const RoutePlan& b) {
  return a.route == b.route && a.windows == b.windows && a.in_place == b.in_place &&
         a.qualified_rows == b.qualified_rows;
}

bool SamePlan(const Plan& a, const Plan& b) {
  return a.board == b.board && a.margin == b.margin && a.noise == b.noise &&
         a.evidence == b.evidence && a.environments == b.environments && a.waivers == b.waivers &&
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
  if (!ids.empty() && SamePlan(SelectPlan(connection, ids.back()), plan)) return ids.back();
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
  const std::vector<std::int64_t> ids = PlanIds(&impl_->connection, board);
  if (ids.empty()) return std::nullopt;
  return SelectPlan(&impl_->connection, ids.back());
}

std::vector<StoredPlan> Store::LoadPlans(std::string_view board) const {
  std::vector<StoredPlan> plans;
  for (std::int64_t id : PlanIds(&impl_->connection, board)) {
    plans.push_back({.id = id, .plan = SelectPlan(&impl_->connection, id)});
  }
  return plans;
}

void Store::SaveRelease(const Release& release) {
  sqlite::Connection* connection = &impl_->connection;
  sqlite::Transaction transaction(connection);
  for (const Release& stored : ListReleases()) {
    if (stored == release) return;
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
  return SelectRows<Release>(&impl_->connection, "releases", "ORDER BY plan, name", kVisitRelease);
}

}  // namespace fenestra
