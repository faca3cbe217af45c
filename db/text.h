// Text evidence: sorted, tab-separated files of one board each, which diff and merge as text and
// are what a repository keeps. Routes with residual have a file of their own, so that each stays
// small enough to review. Samples stay in the database; published figures come with the program.
//
//   fenestra-evidence <TAB> 1 <TAB> h200_132
//   [environments] <TAB> id <TAB> gpu ...        section: kind of record and its columns
//   7d0c0a4e5b0e7d7c <TAB> NVIDIA H200 ...       one record a line
//   [times] <TAB> @route <TAB> @view ... <TAB> rows <TAB> median_ns ...
//   @ <TAB> bwd_w32_h4096 <TAB> rows ...         columns marked @, for the lines that follow
//   4096 <TAB> 28512 ...
//   [end]                                        the last line: a file without it was cut short
//
// Lines end in \n alone. Groups are sorted by their text, lines in a group by key. How a field is
// written: db/text_line.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "db/evidence.h"
#include "db/merge.h"

namespace fenestra {

inline constexpr int kTextVersion = 1;

// Significant decimal digits that error fractions are best rounded to before they are recorded:
// far finer than any reading, and a third of the text of a full double.
inline constexpr int kFractionDigits = 5;
double RoundFraction(double fraction);

// Text of one board's records, with the environments that they name.
std::string TextOf(const Evidence& evidence, std::string_view board);

// A file of text evidence and the records in it.
struct DumpedFile {
  std::filesystem::path path;
  Evidence evidence;
};

// Writes, for each board of the evidence, <dir>/<board>.tsv with what is kept by program (accuracy,
// digests, waits, kernels) and <dir>/<board>_<pass>.tsv and <dir>/<board>_<pass>_res.tsv with what
// is kept by route, without and with residual. A file that would be empty is not written, and an
// older one of its name removed. Creates `dir`. An environment that no record names is left out.
// Throws Error when a record would not read back (see Fault in db/record_check.h) or a file cannot
// be written.
std::vector<DumpedFile> Dump(Evidence evidence, const std::filesystem::path& dir);

// The files there that Dump would replace or remove for a board.
std::vector<std::filesystem::path> FilesOfDump(std::string_view board,
                                               const std::filesystem::path& dir);

// Text evidence files, as they were read.
struct SourceFiles {
  std::vector<std::string> names;
  SourcedEvidence evidence;
};

// Reads text evidence files, or throws an Error that names file and line and says what is wrong.
SourceFiles ReadSources(const std::vector<std::filesystem::path>& files);

// Reads text evidence files into one sorted set, or throws an Error that names file and line and
// says what is wrong. Records that several files hold must agree.
Evidence Import(const std::vector<std::filesystem::path>& files);

// Reads one file's text; `source` is its index, for Where. Throws Error that names `name`.
void ParseText(std::string_view text, const std::string& name, int source,
               SourcedEvidence* evidence);

}  // namespace fenestra
