// Archs and boards. Accuracy depends on a board's SM count alone (how rows are split over CTAs);
// time depends on the product too. Adding a board is one line in kBoards and a sweep.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace fenestra {

// On-disk values: append only.
enum class Arch : int { kSm90a = 0, kSm100a = 1, kSm103a = 2, kSm107a = 3 };

struct Board {
  std::string_view name;  // "h200_132": product and SM count
  Arch arch;
  int sm_count;
  std::string_view product;  // the start of cudaDeviceProp::name

  auto operator<=>(const Board&) const = default;
};

inline constexpr std::array kBoards{
    Board{"h200_132", Arch::kSm90a, 132, "NVIDIA H200"},
    Board{"b200_148", Arch::kSm100a, 148, "NVIDIA B200"},
    Board{"gb300_152", Arch::kSm103a, 152, "NVIDIA GB300"},
    Board{"r200_212", Arch::kSm107a, 212, "NVIDIA R200"},
    Board{"r200_216", Arch::kSm107a, 216, "NVIDIA R200"},
};

constexpr const Board* FindBoard(std::string_view name) {
  for (const Board& board : kBoards) {
    if (board.name == name) return &board;
  }
  return nullptr;
}

std::string_view ToString(Arch arch);                    // "sm_90a"
std::optional<Arch> ParseArch(std::string_view text);    // inverse of ToString
std::optional<Arch> ArchOf(int cc_major, int cc_minor);  // from a compute capability

// FP64 results a nanosecond of one SM, on an arch that is slow at FP64; none on the others.
// NVIDIA's data sheet of the GB300 NVL72 states 100 TFLOPS of FP64 for its 72 GPUs of 152 SMs.
constexpr std::optional<double> SlowFp64ResultsPerNs(Arch arch) {
  if (arch != Arch::kSm103a) return std::nullopt;
  return 100e12 / 2 / (72 * 152) / 1e9;
}

}  // namespace fenestra
