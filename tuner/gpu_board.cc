#include "tuner/gpu_info.h"

namespace fenestra {

const Board* BoardOf(const GpuInfo& gpu) {
  for (const Board& board : kBoards) {
    if (ArchOf(gpu.cc_major, gpu.cc_minor) == board.arch && gpu.sm_count == board.sm_count &&
        gpu.name.starts_with(board.product)) {
      return &board;
    }
  }
  return nullptr;
}

}  // namespace fenestra
