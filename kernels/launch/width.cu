// Compiled once per width: FENESTRA_WIDTH is given by the build.
#include "kernels/launch/width.cuh"

namespace fenestra::launch {

template <>
const EntryTable& EntriesOf<FENESTRA_WIDTH>(Dtype weight) {
  constexpr auto kIndices = std::make_integer_sequence<int, kProgramCount>{};
  static constexpr EntryTable kBf16 = MakeEntries<FENESTRA_WIDTH, std::uint16_t>(kIndices);
  static constexpr EntryTable kFp32 = MakeEntries<FENESTRA_WIDTH, float>(kIndices);
  return weight == Dtype::kBf16 ? kBf16 : kFp32;
}

}  // namespace fenestra::launch
