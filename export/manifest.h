// manifest.json of a release: what its headers rest on, and which bits of dw they stand for.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"
#include "export/header_parse.h"

namespace fenestra {

// What to do where the files of a release are not what they were.
inline constexpr std::string_view kRestoreRelease =
    "take the release's own files from version control";

// One board of a release.
struct ReleasedBoard {
  // `evidence`: that `plan` was chosen from. Throws Error as HeaderText does.
  ReleasedBoard(Plan plan, Evidence evidence);

  Plan plan;
  Evidence evidence;
  std::string header;  // HeaderText of the plan
};

// dw digests, 16 hex digits, of the input of seed 0: by program (the name under which its dw is
// measured) and rows.
using DwDigests = std::map<std::string, std::map<std::int64_t, std::string>>;

// Those that a board's evidence holds, of the inputs of this build's protocol.
DwDigests MeasuredDwDigests(const Evidence& evidence, std::string_view board);
// Of those the ones whose dw the plan routes (RoutedDw).
DwDigests RoutedDwDigests(const Evidence& evidence, const Plan& plan);

struct ManifestBoard {
  std::string board;
  std::map<std::string, std::string> members;  // all but the dw digests, as JSON text
  std::string header_digest;
  int protocol = 0;      // that made the inputs of `dw`
  DwDigests dw_digests;  // empty in manifests of version 1
};

struct Manifest {
  std::string release;
  std::string previous;  // the release before; "" of the first
  std::string date;      // as db/date.h has it; "" in manifests of versions 1 and 2
  std::string changes;   // digest of the change note; "" in manifests of versions 1 and 2
  std::vector<ManifestBoard> boards;
};

// The board's part; null when there is none.
const ManifestBoard* FindBoard(const Manifest& manifest, std::string_view board);

// Per board its header's and evidence's digests, the environments, the programs and their dw
// digests, and on what basis time and accuracy of its windows rest. Repeated, the same bytes.
// `head`: what it says of the release itself; its boards are not looked at.
std::string ManifestText(const Manifest& head, std::span<const ReleasedBoard> boards);

// Reads back what a later release asks for. Throws Error, "NAME: what: remedy", where `text` is no
// manifest, names a board twice, follows itself, or is not that of its own digest.
Manifest ParseManifest(std::string_view text, std::string_view name);

// Throws Error, "NAME: what: remedy", where what the manifest says of a header is not what the
// header says: its digest, counts, bases, margin, noise, programs, environments, or dw digests of
// what it does not route or of more rows than it is qualified for. `text`: the header's.
void RequireHeader(const ManifestBoard& board, const ParsedHeader& header, std::string_view text,
                   std::string_view name);

// A manifest with the digest of its other members as its last: its text.
std::string SealedManifest(nlohmann::ordered_json manifest);

// Letters, digits, '.', '_' and '-', and no '.' in front: fit for the name of a folder.
bool IsPlainName(std::string_view name);

}  // namespace fenestra
