#include "export/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "accuracy/error.h"
#include "accuracy/protocol.h"
#include "db/date.h"
#include "db/digest.h"
#include "db/parse_number.h"
#include "export/header.h"
#include "export/json.h"
#include "kernels/board.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

using Json = OrderedJson;

// 2 added "previous", "protocol" and "dw_digests", 3 "date", "changes_digest" and "digest".
constexpr int kManifestVersion = 3;

std::string DigestOfMembers(const Json& manifest) {
  return HexDigest(manifest.dump(2, ' ', false, Json::error_handler_t::replace));
}

// Windows by what their time, or accuracy, rests on.
template <typename BasisOf>
Json CountBases(const Plan& plan, const BasisOf& basis_of) {
  std::map<Basis, int> counts;
  for (const RoutePlan& route : plan.routes) {
    for (const PlannedWindow& planned : route.windows) ++counts[basis_of(planned.window)];
  }
  Json json = Json::object();
  for (const auto& [basis, count] : counts) json[std::string(ToString(basis))] = count;
  return json;
}

Json EnvironmentsOf(const ReleasedBoard& board) {
  Json list = Json::array();
  for (const Environment& environment : board.evidence.environments) {
    if (std::find(board.plan.environments.begin(), board.plan.environments.end(), environment.id) ==
        board.plan.environments.end()) {
      continue;
    }
    list.push_back(JsonOf(environment));
  }
  return list;
}

std::set<std::string> RoutedPrograms(const Plan& plan) {
  std::set<std::string> programs;
  ForEachWindow(
      plan, [&](const Route&, const PlannedWindow& planned) { programs.insert(planned.program); });
  return programs;
}

// What a manifest says of a board that the header alone tells.
Json FactsOf(const Plan& plan, std::string_view header) {
  const Board* known = FindBoard(plan.board);
  std::size_t windows = 0;
  for (const RoutePlan& route : plan.routes) windows += route.windows.size();
  return {{"board", plan.board},
          {"arch", ToString(known->arch)},
          {"sm_count", known->sm_count},
          {"header", fmt::format("windows/{}.h", plan.board)},
          {"header_digest", HexDigest(header)},
          {"evidence_digest", plan.evidence},
          {"protocol", kProtocolVersion},
          {"margin", plan.margin},
          {"noise", plan.noise},
          {"waivers", plan.waivers.size()},
          {"routes", plan.routes.size()},
          {"windows", windows},
          {"time", CountBases(plan, [](const Window& window) { return window.time; })},
          {"accuracy", CountBases(plan, [](const Window& window) { return window.accuracy; })},
          {"programs", RoutedPrograms(plan)}};
}

Json DigestsJson(const DwDigests& digests) {
  Json json = Json::object();
  for (const auto& [program, of_rows] : digests) {
    for (const auto& [rows, dw] : of_rows) json[program][std::to_string(rows)] = dw;
  }
  return json;
}

// Reads the members of one manifest; `name` leads what it throws.
class ManifestReader {
 public:
  explicit ManifestReader(std::string_view name) : name_(name) {}

  Manifest Read(std::string_view text) const {
    const nlohmann::json json = Parse(text);
    const auto version = Member<std::int64_t>(json, "manifest_version");
    if (version < 1 || version > kManifestVersion) {
      Fail(
          fmt::format("it is of version {}, this build reads up to {}", version, kManifestVersion));
    }
    Manifest manifest{
        .release = Member<std::string>(json, "release"),
        .previous = version < 2 ? std::string() : Member<std::string>(json, "previous"),
        .date = version < 3 ? std::string() : Member<std::string>(json, "date"),
        .changes =
            version < 3 ? std::string() : DigestOf(Member<std::string>(json, "changes_digest")),
        .boards = {}};
    if (!IsPlainName(manifest.release)) Fail("\"release\" is no name of a release");
    if (!manifest.previous.empty() && !IsPlainName(manifest.previous)) {
      Fail("\"previous\" is no name of a release");
    }
    if (manifest.release == manifest.previous) Fail("it follows itself");
    if (version >= 3 && !IsDate(manifest.date)) Fail("\"date\" is no date, as 2026-11-30");
    for (const nlohmann::json& one : Member<nlohmann::json::array_t>(json, "boards")) {
      const auto board = Member<std::string>(one, "board");
      if (!IsPlainName(board)) Fail("\"board\" is no name of a board");
      if (FindBoard(manifest, board) != nullptr) Fail("a board is there twice");
      manifest.boards.push_back(
          {.board = board,
           .members = TextsOf(one),
           .header_digest = DigestOf(Member<std::string>(one, "header_digest")),
           .protocol = version < 2 ? 0 : static_cast<int>(Member<std::int32_t>(one, "protocol")),
           .dw_digests = version < 2 ? DwDigests() : Digests(one)});
    }
    if (version >= 3) CheckDigest(text, Member<std::string>(json, "digest"));
    return manifest;
  }

 private:
  [[noreturn]] void Fail(std::string_view what) const {
    throw Error(fmt::format("{}: {}: {}", name_, what, kRestoreRelease));
  }

  nlohmann::json Parse(std::string_view text) const {
    try {
      return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
      Fail(fmt::format("no JSON at byte {}", error.byte));
    } catch (const nlohmann::json::exception&) {
      Fail("a number is out of range");
    }
  }

  template <typename Value>
  Value Member(const nlohmann::json& json, const char* key) const {
    if (!json.is_object() || !json.contains(key)) Fail(fmt::format("\"{}\" is missing", key));
    try {
      return json.at(key).get<Value>();
    } catch (const nlohmann::json::exception&) {
      Fail(fmt::format("\"{}\" has another type", key));
    }
  }

  // `digest`: what the text gives. Of members in their own order, which the text alone has.
  void CheckDigest(std::string_view text, const std::string& digest) const {
    Json members = Json::parse(text);
    members.erase("digest");
    if (DigestOfMembers(members) != digest) Fail("it was edited: its digest is of other members");
  }

  static std::map<std::string, std::string> TextsOf(const nlohmann::json& board) {
    constexpr auto kNoUtf8 = nlohmann::json::error_handler_t::replace;
    std::map<std::string, std::string> texts;
    for (const auto& [key, value] : board.items()) {
      if (key != "dw_digests") texts[key] = value.dump(-1, ' ', false, kNoUtf8);
    }
    return texts;
  }

  std::string DigestOf(std::string text) const {
    if (!IsHexDigest(text)) Fail("a digest is not 16 hex digits");
    return text;
  }

  DwDigests Digests(const nlohmann::json& board) const {
    DwDigests digests;
    for (const auto& [program, of_rows] : Member<nlohmann::json::object_t>(board, "dw_digests")) {
      if (!IsPlainName(program)) Fail("dw digests are not by program");
      if (!of_rows.is_object()) Fail("a program's dw digests are no object");
      for (const auto& [rows, dw] : of_rows.items()) {
        const std::optional<std::int64_t> count = ParseNumber<std::int64_t>(rows);
        if (!count || *count < 1) Fail("dw digests are not by row count");
        if (!dw.is_string()) Fail("a dw digest is no text");
        digests[program][*count] = DigestOf(dw.template get<std::string>());
      }
    }
    return digests;
  }

  std::string_view name_;
};

}  // namespace

ReleasedBoard::ReleasedBoard(Plan chosen, Evidence chosen_from)
    : plan(std::move(chosen)),
      evidence(std::move(chosen_from)),
      header(HeaderText(plan, evidence.environments)) {}

DwDigests MeasuredDwDigests(const Evidence& evidence, std::string_view board) {
  DwDigests digests;
  for (const DigestRecord& record : evidence.digests) {
    const DigestKey& key = record.key;
    if (key.board == board && key.seed == 0 && key.protocol == kProtocolVersion) {
      digests[key.program][key.rows] = record.dw;
    }
  }
  return digests;
}

DwDigests RoutedDwDigests(const Evidence& evidence, const Plan& plan) {
  const std::set<std::string> routed = RoutedDw(plan);
  DwDigests digests = MeasuredDwDigests(evidence, plan.board);
  std::erase_if(digests,
                [&](const auto& of_program) { return !routed.contains(of_program.first); });
  return digests;
}

const ManifestBoard* FindBoard(const Manifest& manifest, std::string_view board) {
  const auto found = std::find_if(manifest.boards.begin(), manifest.boards.end(),
                                  [&](const ManifestBoard& one) { return one.board == board; });
  return found == manifest.boards.end() ? nullptr : &*found;
}

std::string ManifestText(const Manifest& head, std::span<const ReleasedBoard> boards) {
  Json manifest{{"release", head.release},
                {"previous", head.previous},
                {"date", head.date},
                {"changes_digest", head.changes},
                {"manifest_version", kManifestVersion},
                {"fenestra", FENESTRA_VERSION},
                {"exact_arithmetic_flags", FENESTRA_EXACT_FLAGS},
                {"boards", Json::array()}};
  std::set<std::string> released;
  for (const ReleasedBoard& board : boards) {
    released.insert(board.plan.board);
    Json entry = FactsOf(board.plan, board.header);
    entry["dw_digests"] = DigestsJson(RoutedDwDigests(board.evidence, board.plan));
    entry["environments"] = EnvironmentsOf(board);
    manifest["boards"].push_back(std::move(entry));
  }
  Json without = Json::array();
  for (const Board& board : kBoards) {
    if (!released.contains(std::string(board.name))) without.push_back(board.name);
  }
  manifest["boards_without_windows"] = without;
  return SealedManifest(std::move(manifest));
}

std::string SealedManifest(Json manifest) {
  manifest.erase("digest");
  manifest["digest"] = DigestOfMembers(manifest);
  return manifest.dump(2) + "\n";
}

Manifest ParseManifest(std::string_view text, std::string_view name) {
  return ManifestReader(name).Read(text);
}

void RequireHeader(const ManifestBoard& board, const ParsedHeader& header, std::string_view text,
                   std::string_view name) {
  const auto require = [&](bool holds, std::string_view member) {
    if (holds) return;
    throw Error(fmt::format("{}: \"{}\" of {} is not what its header says: {}", name, member,
                            board.board, kRestoreRelease));
  };
  const Plan plan = PlanOf(header);
  const auto stated = [&](const std::string& member) {
    const auto found = board.members.find(member);
    return found == board.members.end() ? "null" : found->second;
  };
  const Json facts = FactsOf(plan, text);
  for (const auto& [member, value] : facts.items()) {
    if (member == "protocol" && board.protocol == 0) continue;  // version 1 does not tell it
    require(stated(member) == nlohmann::json(value).dump(), member);
  }
  std::set<std::string> environments;
  for (const nlohmann::json& one : nlohmann::json::parse(stated("environments"))) {
    environments.insert(one.is_object() ? one.value("id", nlohmann::json()).dump() : "");
  }
  std::set<std::string> wanted;
  for (const std::string& id : plan.environments) wanted.insert(nlohmann::json(id).dump());
  require(environments == wanted, "environments");
  const std::set<std::string> routed = RoutedDw(plan);
  std::int64_t qualified = 0;
  for (const RoutePlan& route : plan.routes) qualified = std::max(qualified, route.qualified_rows);
  for (const auto& [program, of_rows] : board.dw_digests) {
    require(routed.contains(program) && (of_rows.empty() || of_rows.rbegin()->first <= qualified),
            "dw_digests");
  }
}

bool IsPlainName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace fenestra
