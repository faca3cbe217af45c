// The frozen accuracy protocol. Evidence of different protocols is never compared, so every record
// carries kProtocolVersion, and any change of inputs, references, comparator or error is a new
// version.
//
// Source: docs/protocol.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/route.h"

namespace fenestra {

inline constexpr int kProtocolVersion = 1;

// Budget per dw element: kAtol + kRtol * |reference|. An error is quoted as a fraction of it.
inline constexpr double kAtol = 1e-4;
inline constexpr double kRtol = 1e-4;

inline constexpr float kEps = 1e-6F;  // of every RMSNorm in the protocol

inline constexpr int kInputsPerFamily = 60;
inline constexpr int kInputsNearEdge = 200;

// On-disk values: append only.
enum class Family : int { kNormal = 0, kOutlier = 1, kCancel = 2 };
inline constexpr std::array kFamilies{Family::kNormal, Family::kOutlier, Family::kCancel};

// Which rstd the FP64 reference multiplies with. Append only.
enum class Reference : int {
  kOwnRstd = 0,    // the program's own FP32 rstd: dw's summation error alone
  kEagerRstd = 1,  // the eager formula's FP32 rstd: rounding of rstd comes on top
};

std::string_view ToString(Family family);  // "normal", "outlier", "cancel"
std::optional<Family> ParseFamily(std::string_view text);
std::string_view ToString(Reference reference);  // "own_rstd", "eager_rstd"
std::optional<Reference> ParseReference(std::string_view text);

// How much of the protocol a sweep runs.
enum class Profile : int { kQuick = 0, kFull = 1, kRelease = 2 };
std::string_view ToString(Profile profile);  // "quick", "full", "release"
std::optional<Profile> ParseProfile(std::string_view text);

// Inputs per family of a profile: 4, 60, 60.
int InputsOf(Profile profile);

// Sampled token counts of a view, ascending. kFull and kRelease: 1 to 64, 96, 127 to 129, 192, 255,
// 256, every 2^k and 3 * 2^k up to 65536, sixteen seeded ones between, 65537. kQuick: 4^k up to
// 65536, and 65537. Rows are tokens * HeadsOf(view).
std::vector<std::int64_t> TokenCounts(Profile profile);

// The token counts at which times are taken, ascending, all among TokenCounts of the same profile:
// 2^k up to 65536, 3 * 2^k from 1024 on, and 65537. kQuick: those of TokenCounts.
std::vector<std::int64_t> TimedTokenCounts(Profile profile);

// Row counts of the search for accuracy edges, ascending: from 64 up to 2^21, one drawn in each of
// kSearchRuns equal runs of every octave [2^k, 2^(k+1)). Below 64 the survey has all.
inline constexpr int kSearchRuns = 16;
const std::vector<std::int64_t>& SearchRowCounts();

// Whether a full sweep takes times at this row count of the view.
bool IsTimed(View view, std::int64_t rows);

}  // namespace fenestra
