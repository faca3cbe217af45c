#include "kernels/window.h"

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<EdgeKind, 4> kKinds{{{EdgeKind::kStart, "start"},
                                         {EdgeKind::kSpeed, "speed"},
                                         {EdgeKind::kAccuracy, "accuracy"},
                                         {EdgeKind::kTop, "top"}}};
constexpr EnumNames<EdgeClass, 3> kClasses{{{EdgeClass::kUnmeasured, "unmeasured"},
                                            {EdgeClass::kSame, "same"},
                                            {EdgeClass::kDiffers, "differs"}}};
constexpr EnumNames<Basis, 4> kBases{{{Basis::kNone, "none"},
                                      {Basis::kMeasured, "measured"},
                                      {Basis::kStoodIn, "stood_in"},
                                      {Basis::kBorrowed, "borrowed"}}};

}  // namespace

std::string_view ToString(EdgeKind kind) { return NameOf(kKinds, kind); }
std::optional<EdgeKind> ParseEdgeKind(std::string_view text) { return ValueOf(kKinds, text); }
std::string_view ToString(EdgeClass edge_class) { return NameOf(kClasses, edge_class); }
std::optional<EdgeClass> ParseEdgeClass(std::string_view text) { return ValueOf(kClasses, text); }
std::string_view ToString(Basis basis) { return NameOf(kBases, basis); }
std::optional<Basis> ParseBasis(std::string_view text) { return ValueOf(kBases, text); }

}  // namespace fenestra
