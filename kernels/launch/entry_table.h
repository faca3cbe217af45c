// The entries of one width, defined by launch/width.cu for each width.
#pragma once

#include <array>

#include "kernels/launch/entry.h"
#include "kernels/program_list.h"

namespace fenestra::launch {

// By index into kPrograms; an entry is empty where the width differs or nothing was compiled.
using EntryTable = std::array<Entry, kProgramCount>;

template <int kWidth>
const EntryTable& EntriesOf(Dtype weight);

}  // namespace fenestra::launch
