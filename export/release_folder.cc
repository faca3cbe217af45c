#include "export/release_folder.h"

#include <fmt/format.h>

#include "accuracy/error.h"
#include "db/digest.h"
#include "db/files.h"
#include "export/header_folder.h"

namespace fenestra {

FrozenRelease ReadReleaseFolder(const std::filesystem::path& folder) {
  const std::filesystem::path windows = folder / kReleaseWindows;
  const std::filesystem::path manifest = folder / kReleaseManifest;
  if (!std::filesystem::exists(manifest)) {
    throw Error(
        fmt::format("{}: no release is there: it has no {}", folder.string(), kReleaseManifest));
  }
  FrozenRelease release{
      .headers = ReadHeaders(windows),
      .manifest = ParseManifest(ReadFile(manifest, kMaxReleaseTextBytes), manifest.string())};
  for (const ParsedHeader& header : release.headers) {
    const std::filesystem::path path = windows / fmt::format("{}.h", header.code_board);
    const std::string text = ReadFile(path, kMaxHeaderBytes);
    const ManifestBoard* board = FindBoard(release.manifest, header.code_board);
    if (board == nullptr || board->header_digest != HexDigest(text)) {
      throw Error(fmt::format("{}: not the header that {} tells of: {}", path.string(),
                              manifest.string(), kRestoreRelease));
    }
    RequireHeader(*board, header, text, manifest.string());
  }
  const std::filesystem::path changes = folder / kReleaseChanges;
  if (!release.manifest.changes.empty() &&
      (!std::filesystem::is_regular_file(changes) ||
       HexDigest(ReadFile(changes, kMaxReleaseTextBytes)) != release.manifest.changes)) {
    throw Error(fmt::format("{}: not the change note that {} tells of: {}", changes.string(),
                            manifest.string(), kRestoreRelease));
  }
  for (const ManifestBoard& board : release.manifest.boards) {
    if (FindHeader(release.headers, board.board) == nullptr) {
      throw Error(
          fmt::format("{}: no header of {}, which {} tells of: take the release from version "
                      "control",
                      windows.string(), board.board, manifest.string()));
    }
  }
  return release;
}

}  // namespace fenestra
