#include "kernels/program.h"

#include "kernels/enum_names.h"

namespace fenestra {
namespace {

constexpr EnumNames<Structure, 3> kStructures{
    {{Structure::kRing, "ring"}, {Structure::kDual, "dual"}, {Structure::kDirect, "direct"}}};
constexpr EnumNames<Scheme, 9> kSchemes{{{Scheme::kNone, "none"},
                                         {Scheme::kPlain, "plain"},
                                         {Scheme::kFold64, "fold64"},
                                         {Scheme::kFma64, "fma64"},
                                         {Scheme::kTwoProd, "twoprod"},
                                         {Scheme::kKahan, "kahan"},
                                         {Scheme::kTwoSum, "twosum"},
                                         {Scheme::kFoldPair, "foldpair"},
                                         {Scheme::kChunkKahan, "chunkkahan"}}};
constexpr EnumNames<Loads, 3> kLoads{
    {{Loads::kBulk, "bulk"}, {Loads::kAsync, "async"}, {Loads::kPlain, "plain"}}};
constexpr EnumNames<BlockStore, 2> kBlockStores{
    {{BlockStore::kRegisters, "registers"}, {BlockStore::kShared, "shared"}}};
constexpr EnumNames<ReduceForm, 2> kReduceForms{
    {{ReduceForm::kSplit, "split"}, {ReduceForm::kSlab, "slab"}}};
constexpr EnumNames<ReduceSum, 4> kReduceSums{{{ReduceSum::kFp64, "fp64"},
                                               {ReduceSum::kPlain, "plain"},
                                               {ReduceSum::kKahan, "kahan"},
                                               {ReduceSum::kTwoSum, "twosum"}}};
constexpr EnumNames<RowSplit, 2> kSplits{
    {{RowSplit::kRoundRobin, "rr"}, {RowSplit::kChunk, "chunk"}}};

}  // namespace

std::string_view ToString(Structure structure) { return NameOf(kStructures, structure); }
std::string_view ToString(Scheme scheme) { return NameOf(kSchemes, scheme); }
std::string_view ToString(Loads loads) { return NameOf(kLoads, loads); }
std::string_view ToString(RowSplit split) { return NameOf(kSplits, split); }
std::string_view ToString(BlockStore store) { return NameOf(kBlockStores, store); }
std::string_view ToString(ReduceForm form) { return NameOf(kReduceForms, form); }
std::string_view ToString(ReduceSum sum) { return NameOf(kReduceSums, sum); }

}  // namespace fenestra
