// Names of listed programs by what they are, so that tests outlive changes of tile shapes.
#pragma once

#include <string_view>

#include "kernels/program_list.h"

namespace fenestra::test {

// Index of the first program of this kind that is listed; the `skip`-th after it.
consteval int IndexOf(Pass pass, int width, Structure structure, Scheme scheme, int skip = 0) {
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.pass == pass && program.width == width && program.structure == structure &&
        program.scheme == scheme && skip-- == 0) {
      return i;
    }
  }
  throw "no such program is listed";
}

template <int kIndex>
inline constexpr ProgramName kNameOf{kPrograms[kIndex]};

// Likewise its name.
template <Structure kStructure, Scheme kScheme, int kWidth = 4096, int kSkip = 0>
inline constexpr std::string_view kBwd =
    kNameOf<IndexOf(Pass::kBackward, kWidth, kStructure, kScheme, kSkip)>.view();

template <int kWidth, int kSkip = 0>
inline constexpr std::string_view kFwd =
    kNameOf<IndexOf(Pass::kForward, kWidth, Structure::kDirect, Scheme::kNone, kSkip)>.view();

// One backward program of each kind at width 4096, in list order.
inline constexpr std::string_view kDual = kBwd<Structure::kDual, Scheme::kFma64>;
inline constexpr std::string_view kFma = kBwd<Structure::kRing, Scheme::kFma64>;
inline constexpr std::string_view kTwo = kBwd<Structure::kRing, Scheme::kTwoProd>;
inline constexpr std::string_view kFold = kBwd<Structure::kRing, Scheme::kFold64>;
inline constexpr std::string_view kPlain = kBwd<Structure::kRing, Scheme::kPlain>;

}  // namespace fenestra::test
