// The folder of generated headers: one per board, and all.h, which names them all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/header_parse.h"

namespace fenestra {

// No header is larger: files beyond this are refused.
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{4} << 20;
inline constexpr std::string_view kAllHeadersName = "all.h";

// Boards whose headers are in `folder`, in order of name. Throws Error when it is no folder, or
// holds a header that is named for no known board.
std::vector<std::string> BoardsIn(const std::filesystem::path& folder);

// The headers in `folder`, in order of board. Throws Error as BoardsIn and ParseHeader do, when one
// differs from its own content digest, or when there is none.
std::vector<ParsedHeader> ReadHeaders(const std::filesystem::path& folder);

// Text of all.h for these boards: includes their headers and lists them in kBoardWindows. With none
// it is an empty table, which compiles.
std::string AllHeadersText(std::span<const std::string> boards);

// Writes `text`, the HeaderText of the board, to <folder>/<board>.h, and <folder>/all.h for the
// boards then in the folder, creating it when missing, each file whole or not at all. Returns the
// board header's path. Throws Error when a file cannot be written.
std::filesystem::path WriteHeader(const std::filesystem::path& folder, std::string_view board,
                                  std::string_view text);

}  // namespace fenestra
