#include "accuracy/protocol.h"

#include <algorithm>
#include <set>

#include "accuracy/input_draw.h"
#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Family, 3> kFamilyNames{
    {{Family::kNormal, "normal"}, {Family::kOutlier, "outlier"}, {Family::kCancel, "cancel"}}};
constexpr EnumNames<Reference, 2> kReferences{
    {{Reference::kOwnRstd, "own_rstd"}, {Reference::kEagerRstd, "eager_rstd"}}};
constexpr EnumNames<Profile, 3> kProfiles{
    {{Profile::kQuick, "quick"}, {Profile::kFull, "full"}, {Profile::kRelease, "release"}}};

constexpr std::int64_t kLargestPower = 65536;

// 4^k up to 65536, and 65537.
std::set<std::int64_t> PowersOfFour() {
  std::set<std::int64_t> counts{kLargestPower + 1};
  for (std::int64_t power = 1; power <= kLargestPower; power *= 4) counts.insert(power);
  return counts;
}

// 2^k and 3 * 2^k up to 65536, and 65537.
std::set<std::int64_t> Halvings() {
  std::set<std::int64_t> counts{kLargestPower + 1};
  for (std::int64_t power = 1; power <= kLargestPower; power *= 2) {
    counts.insert(power);
    if (3 * power <= kLargestPower) counts.insert(3 * power);
  }
  return counts;
}

// One count inside each of the sixteen gaps that 2^k and 3 * 2^k leave between 256 and 65536, so
// that no implementation sees powers of two alone: low + 1 + floor(word (high - low - 1) / 2^32).
std::set<std::int64_t> SeededCounts() {
  std::set<std::int64_t> counts;
  std::uint32_t gap = 0;
  for (std::int64_t power = 256; power < kLargestPower; power *= 2) {
    const std::int64_t bounds[3] = {power, power + power / 2, 2 * power};
    for (int side = 0; side < 2; ++side) {
      const std::uint32_t word = DrawWords(0, kNoFamily, Stream::kTokenCounts, 0, gap++).words[0];
      const auto inside = static_cast<std::uint32_t>(bounds[side + 1] - bounds[side] - 1);
      counts.insert(bounds[side] + 1 + ScaleWord(word, inside));
    }
  }
  return counts;
}

std::vector<std::int64_t> Listed(const std::set<std::int64_t>& counts) {
  return {counts.begin(), counts.end()};
}

}  // namespace

std::string_view ToString(Family family) { return NameOf(kFamilyNames, family); }
std::optional<Family> ParseFamily(std::string_view text) { return ValueOf(kFamilyNames, text); }
std::string_view ToString(Reference reference) { return NameOf(kReferences, reference); }
std::optional<Reference> ParseReference(std::string_view text) {
  return ValueOf(kReferences, text);
}
std::string_view ToString(Profile profile) { return NameOf(kProfiles, profile); }
std::optional<Profile> ParseProfile(std::string_view text) { return ValueOf(kProfiles, text); }

int InputsOf(Profile profile) { return profile == Profile::kQuick ? 4 : kInputsPerFamily; }

std::vector<std::int64_t> TokenCounts(Profile profile) {
  if (profile == Profile::kQuick) return Listed(PowersOfFour());
  std::set<std::int64_t> counts = Halvings();
  for (std::int64_t tokens = 1; tokens <= 64; ++tokens) counts.insert(tokens);
  for (std::int64_t tokens : {96, 127, 128, 129, 192, 255, 256}) counts.insert(tokens);
  counts.merge(SeededCounts());
  return Listed(counts);
}

std::vector<std::int64_t> TimedTokenCounts(Profile profile) {
  if (profile == Profile::kQuick) return Listed(PowersOfFour());
  std::set<std::int64_t> counts = Halvings();
  std::erase_if(counts, [](std::int64_t tokens) { return tokens % 3 == 0 && tokens < 1024; });
  return Listed(counts);
}

const std::vector<std::int64_t>& SearchRowCounts() {
  static const std::vector<std::int64_t> kCounts = [] {
    constexpr std::int64_t kSeed = 1;
    constexpr std::uint32_t kFirstOctave = 6;
    constexpr std::uint32_t kOctaves = 21;
    std::vector<std::int64_t> counts;
    for (std::uint32_t octave = kFirstOctave; octave < kOctaves; ++octave) {
      const std::int64_t length = (std::int64_t{1} << octave) / kSearchRuns;
      for (std::uint32_t run = 0; run < kSearchRuns; ++run) {
        const std::uint32_t word =
            DrawWords(kSeed, kNoFamily, Stream::kTokenCounts, 0, octave * kSearchRuns + run)
                .words[0];
        counts.push_back((kSearchRuns + run) * length +
                         ScaleWord(word, static_cast<std::uint32_t>(length)));
      }
    }
    return counts;
  }();
  return kCounts;
}

bool IsTimed(View view, std::int64_t rows) {
  static const std::vector<std::int64_t> kTokens = TimedTokenCounts(Profile::kFull);
  const int heads = HeadsOf(view);
  return rows % heads == 0 && std::binary_search(kTokens.begin(), kTokens.end(), rows / heads);
}

}  // namespace fenestra
