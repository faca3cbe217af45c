#include <utility>

#include "kernels/launch/entry_table.h"

namespace fenestra::launch {
namespace {

template <std::size_t... kIndex>
const EntryTable* TableOf(int width, Dtype weight, std::index_sequence<kIndex...>) {
  const EntryTable* table = nullptr;
  (void)((kWidths[kIndex] == width && (table = &EntriesOf<kWidths[kIndex]>(weight)) != nullptr) ||
         ...);
  return table;
}

}  // namespace

const Entry* FindEntry(int program, Dtype weight) {
  if (program < 0 || program >= kProgramCount) return nullptr;
  const auto index = static_cast<std::size_t>(program);
  const EntryTable* table =
      TableOf(kPrograms[index].width, weight, std::make_index_sequence<kWidths.size()>());
  if (table == nullptr) return nullptr;
  const Entry& entry = (*table)[index];
  return entry.prepare == nullptr ? nullptr : &entry;
}

}  // namespace fenestra::launch
