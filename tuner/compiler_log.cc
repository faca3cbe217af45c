#include "tuner/compiler_log.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "accuracy/error.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

std::string_view ChainOf(Scheme scheme) {
  switch (scheme) {
    case Scheme::kKahan:
      return "KahanChain";
    case Scheme::kTwoSum:
      return "TwoSumChain";
    case Scheme::kTwoProd:
      return "TwoProdChain";
    case Scheme::kFma64:
      return "Fma64Chain";
    default:
      return "PlainChain";
  }
}

// A program's main kernel as the demangler spells it: kernels/launch/width.cuh instantiates them.
std::string KernelOf(const Program& p, Dtype weight) {
  const std::string_view element = weight == Dtype::kBf16 ? "unsigned short" : "float";
  switch (p.structure) {
    case Structure::kDirect:
      return fmt::format("fenestra::device::FwdDirectKernel<{}, {}, {}, {}, {}>", p.width,
                         p.threads, p.warps_per_row, p.residual, element);
    case Structure::kDual:
      return fmt::format(
          "fenestra::device::BwdDualKernel<{}, {}, {}, {}, {}, fenestra::arith::{}, {}>", p.width,
          p.threads, p.warps_per_row, p.slab, p.residual, ChainOf(p.scheme), element);
    case Structure::kRing:
      break;
  }
  return fmt::format(
      "fenestra::device::BwdRingKernel<{}, {}, {}, {}, {}, {}, (fenestra::Loads){}, {}, "
      "fenestra::arith::SchemeOf<(fenestra::Scheme){}, {}>, (fenestra::BlockStore){}, "
      "fenestra::arith::ReduceOf<(fenestra::ReduceSum){}>, {}>",
      p.width, p.threads, p.warps_per_row, p.rows, p.stages, p.ctas_per_sm,
      static_cast<int>(p.loads), p.residual, static_cast<int>(p.scheme), p.fold_rows,
      static_cast<int>(p.blocks), static_cast<int>(p.reduce_sum), element);
}

// "void name<arguments>(parameters)" to "name<arguments>"; other symbols to "".
std::string KernelOf(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return "";
  const std::string_view text(demangled.get());
  const std::size_t begin = text.find("fenestra::device::");
  const std::size_t end = text.rfind(">(");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  return std::string(text.substr(begin, end + 1 - begin));
}

struct Facts {
  int registers = 0;
  int stack_bytes = 0;
  int shared_bytes = 0;
};

// The number before `unit` in a line of the log, 0 when there is none.
int NumberBefore(const std::string& line, const std::string& unit) {
  std::smatch match;
  if (!std::regex_search(line, match, std::regex("([0-9]+) " + unit))) return 0;
  return std::stoi(match[1]);
}

std::map<std::string, Facts> FactsByKernel(std::string_view log, const Board& board) {
  static const std::regex kEntry("Compiling entry function '([^']+)' for '([^']+)'");
  std::map<std::string, Facts> facts;
  Facts* current = nullptr;
  std::istringstream lines{std::string(log)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, kEntry)) {
      if (match[2].str() != ToString(board.arch)) {
        throw Error(fmt::format("compiler log, line {}: a kernel for {}, but {} is {}", number,
                                match[2].str(), board.name, ToString(board.arch)));
      }
      current = &facts[KernelOf(match[1].str())];
    } else if (current != nullptr && line.find("bytes stack frame") != std::string::npos) {
      current->stack_bytes = NumberBefore(line, "bytes stack frame");
    } else if (current != nullptr && line.find(": Used ") != std::string::npos) {
      current->registers = NumberBefore(line, "registers");
      current->shared_bytes = NumberBefore(line, "bytes smem");
    }
  }
  return facts;
}

}  // namespace

std::vector<KernelRecord> ReadCompilerLog(std::string_view log, const Board& board,
                                          const std::string& environment) {
  const std::map<std::string, Facts> facts = FactsByKernel(log, board);
  std::vector<KernelRecord> records;
  for (int i = 0; i < kProgramCount; ++i) {
    for (Dtype weight : {Dtype::kBf16, Dtype::kFp32}) {
      const auto found = facts.find(KernelOf(ProgramAt(i), weight));
      if (found == facts.end()) continue;
      records.push_back({.key = {.board = std::string(board.name),
                                 .program = std::string(ProgramName(ProgramAt(i)).view()),
                                 .weight = weight,
                                 .environment = environment},
                         .registers = found->second.registers,
                         .spill_bytes = found->second.stack_bytes,
                         .shared_bytes = found->second.shared_bytes});
    }
  }
  if (records.empty()) {
    throw Error(
        fmt::format("compiler log: it names no program of this list; print it with nvcc "
                    "-Xptxas -v, as scripts/compile_facts does"));
  }
  std::sort(records.begin(), records.end());
  return records;
}

}  // namespace fenestra
