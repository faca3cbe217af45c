#include "kernels/launch/entry_table.h"

namespace fenestra::launch {
namespace {

const EntryTable* TableOf(int width, Dtype weight) {
  switch (width) {
    case 256:
      return &EntriesOf<256>(weight);
    case 512:
      return &EntriesOf<512>(weight);
    case 1536:
      return &EntriesOf<1536>(weight);
    case 2048:
      return &EntriesOf<2048>(weight);
    case 4096:
      return &EntriesOf<4096>(weight);
    case 5120:
      return &EntriesOf<5120>(weight);
    case 6144:
      return &EntriesOf<6144>(weight);
    default:
      return nullptr;
  }
}

}  // namespace

const Entry* FindEntry(int program, Dtype weight) {
  if (program < 0 || program >= kProgramCount) return nullptr;
  const auto index = static_cast<std::size_t>(program);
  const EntryTable* table = TableOf(kPrograms[index].width, weight);
  if (table == nullptr) return nullptr;
  const Entry& entry = (*table)[index];
  return entry.prepare == nullptr ? nullptr : &entry;
}

}  // namespace fenestra::launch
