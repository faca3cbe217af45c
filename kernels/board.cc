#include "kernels/board.h"

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Arch, 4> kArchs{{{Arch::kSm90a, "sm_90a"},
                                     {Arch::kSm100a, "sm_100a"},
                                     {Arch::kSm103a, "sm_103a"},
                                     {Arch::kSm107a, "sm_107a"}}};

}  // namespace

std::string_view ToString(Arch arch) { return NameOf(kArchs, arch); }
std::optional<Arch> ParseArch(std::string_view text) { return ValueOf(kArchs, text); }

std::optional<Arch> ArchOf(int cc_major, int cc_minor) {
  switch (cc_major * 10 + cc_minor) {
    case 90:
      return Arch::kSm90a;
    case 100:
      return Arch::kSm100a;
    case 103:
      return Arch::kSm103a;
    case 107:
      return Arch::kSm107a;
    default:
      return std::nullopt;
  }
}

}  // namespace fenestra
