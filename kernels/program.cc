#include "kernels/program.h"

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Structure, 3> kStructures{
    {{Structure::kRing, "ring"}, {Structure::kDual, "dual"}, {Structure::kDirect, "direct"}}};
constexpr EnumNames<Scheme, 5> kSchemes{{{Scheme::kNone, "none"},
                                         {Scheme::kPlain, "plain"},
                                         {Scheme::kFold64, "fold64"},
                                         {Scheme::kFma64, "fma64"},
                                         {Scheme::kTwoProd, "twoprod"}}};
constexpr EnumNames<Loads, 2> kLoads{{{Loads::kBulk, "bulk"}, {Loads::kAsync, "async"}}};
constexpr EnumNames<RowSplit, 2> kSplits{
    {{RowSplit::kRoundRobin, "rr"}, {RowSplit::kChunk, "chunk"}}};

}  // namespace

std::string_view ToString(Structure structure) { return NameOf(kStructures, structure); }
std::optional<Structure> ParseStructure(std::string_view text) {
  return ValueOf(kStructures, text);
}
std::string_view ToString(Scheme scheme) { return NameOf(kSchemes, scheme); }
std::optional<Scheme> ParseScheme(std::string_view text) { return ValueOf(kSchemes, text); }
std::string_view ToString(Loads loads) { return NameOf(kLoads, loads); }
std::optional<Loads> ParseLoads(std::string_view text) { return ValueOf(kLoads, text); }
std::string_view ToString(RowSplit split) { return NameOf(kSplits, split); }
std::optional<RowSplit> ParseRowSplit(std::string_view text) { return ValueOf(kSplits, text); }

}  // namespace fenestra
