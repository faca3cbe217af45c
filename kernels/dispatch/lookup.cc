#include "kernels/dispatch/lookup.h"

#include "kernels/dispatch/windows/all.h"

namespace fenestra {

std::span<const BoardWindows* const> CompiledBoards() { return windows::kBoardWindows; }

const BoardWindows* FindBoardWindows(Arch arch, int sm_count, std::string_view product) {
  return FindBoardWindows(CompiledBoards(), arch, sm_count, product);
}

const BoardWindows* NearestBoardWindows(Arch arch, int sm_count) {
  return NearestBoardWindows(CompiledBoards(), arch, sm_count);
}

const BoardWindows* InvariantWindows() { return InvariantWindows(CompiledBoards()); }

}  // namespace fenestra
