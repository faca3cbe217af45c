#include "tuner/compiler_log.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "accuracy/error.h"
#include "db/parse_number.h"
#include "kernels/program_list.h"

namespace fenestra {
namespace {

constexpr std::array kWeights{Dtype::kBf16, Dtype::kFp32};

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

std::string SchemeOf(const Program& p) {
  if (WidensProducts(p)) return "fenestra::arith::WidenedFma64";
  return fmt::format("fenestra::arith::SchemeOf<(fenestra::Scheme){}, {}>",
                     static_cast<int>(p.scheme), p.fold_rows);
}

// A program's main kernel as the demangler spells it: kernels/launch/width.cuh instantiates them.
std::string KernelOf(const Program& p, Dtype weight) {
  const std::string_view element = weight == Dtype::kBf16 ? "unsigned short" : "float";
  switch (p.structure) {
    case Structure::kDirect:
      return fmt::format("fenestra::device::FwdDirectKernel<{}, {}, {}, {}, {}, {}>", p.width,
                         p.threads, p.warps_per_row, p.rows, p.residual, element);
    case Structure::kDual:
      return fmt::format(
          "fenestra::device::BwdDualKernel<{}, {}, {}, {}, {}, fenestra::arith::{}, {}>", p.width,
          p.threads, p.warps_per_row, p.slab, p.residual, ChainOf(p.scheme), element);
    case Structure::kRing:
      break;
  }
  return fmt::format(
      "fenestra::device::BwdRingKernel<{}, {}, {}, {}, {}, {}, (fenestra::Loads){}, {}, "
      "{}, (fenestra::BlockStore){}, "
      "fenestra::arith::ReduceOf<(fenestra::ReduceSum){}>, {}>",
      p.width, p.threads, p.warps_per_row, p.rows, p.stages, p.ctas_per_sm,
      static_cast<int>(p.loads), p.residual, SchemeOf(p), static_cast<int>(p.blocks),
      static_cast<int>(p.reduce_sum), element);
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
  int line = 0;  // where the log begins to tell of it
  std::optional<int> registers;
  std::optional<int> stack_bytes;
  int shared_bytes = 0;
};

// The number before `unit` in a line of the log, 0 when there is none.
int NumberBefore(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos || end == 0) return 0;
  const std::size_t blank = line.rfind(' ', end - 1);
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  return ParseNumber<int>(line.substr(begin, end - begin)).value_or(0);
}

// The text between two others, "" when they are not there.
std::string_view Between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + before.size();
  const std::size_t end = line.find(after, begin);
  return end == std::string_view::npos ? std::string_view{} : line.substr(begin, end - begin);
}

constexpr std::string_view kProperties = "Function properties for ";

std::map<std::string, Facts> FactsByKernel(std::string_view log, std::string_view name,
                                           const Board& board) {
  std::map<std::string, Facts> facts;
  Facts* current = nullptr;
  std::string entry;     // the symbol of `current`
  std::string function;  // whose properties the next line states: one that was not inlined as well
  std::istringstream lines{std::string(log)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string symbol(Between(line, "Compiling entry function '", "'"));
    if (!symbol.empty()) {
      const std::string_view arch = Between(line, "' for '", "'");
      if (arch != ToString(board.arch)) {
        throw Error(fmt::format("{}:{}: a kernel for '{}', but {} is {}: give the log of that arch",
                                name, number, arch, board.name, ToString(board.arch)));
      }
      current = &facts[KernelOf(symbol)];
      *current = {.line = number, .registers = {}, .stack_bytes = {}};
      entry = symbol;
    } else if (const std::size_t at = line.find(kProperties); at != std::string::npos) {
      function = line.substr(at + kProperties.size());
    } else if (line.find(" bytes stack frame") != std::string::npos) {
      if (current != nullptr && function == entry) {
        current->stack_bytes = NumberBefore(line, " bytes stack frame");
      }
    } else if (current != nullptr && line.find(": Used ") != std::string::npos) {
      current->registers = NumberBefore(line, " registers");
      current->shared_bytes = NumberBefore(line, " bytes smem");
      current = nullptr;
    }
  }
  return facts;
}

}  // namespace

std::vector<KernelRecord> ReadCompilerLog(std::string_view log, std::string_view name,
                                          const Board& board, const std::string& environment) {
  const std::map<std::string, Facts> by_kernel = FactsByKernel(log, name, board);
  std::vector<KernelRecord> records;
  for (int i = 0; i < kProgramCount; ++i) {
    for (Dtype weight : kWeights) {
      const auto found = by_kernel.find(KernelOf(ProgramAt(i), weight));
      if (found == by_kernel.end()) continue;
      const Facts& facts = found->second;
      const std::string program(ProgramName(ProgramAt(i)).view());
      if (!facts.registers || !facts.stack_bytes) {
        throw Error(fmt::format("{}:{}: what follows of {} is cut off: print the log again", name,
                                facts.line, program));
      }
      records.push_back({.key = {.board = std::string(board.name),
                                 .program = program,
                                 .weight = weight,
                                 .environment = environment},
                         .registers = *facts.registers,
                         .spill_bytes = *facts.stack_bytes,
                         .shared_bytes = facts.shared_bytes});
    }
  }
  std::sort(records.begin(), records.end());
  return records;
}

void CheckComplete(const std::vector<KernelRecord>& kernels) {
  std::set<int> widths;
  std::set<std::pair<std::string, Dtype>> named;
  for (const KernelRecord& record : kernels) {
    named.emplace(record.key.program, record.key.weight);
    const int program = FindProgram(record.key.program);
    if (program >= 0) widths.insert(ProgramAt(program).width);
  }
  if (widths.empty()) {
    throw Error(
        "compiler log: it names no program of this list: print it with nvcc -Xptxas -v, as "
        "scripts/compile_facts does");
  }
  for (int i = 0; i < kProgramCount; ++i) {
    if (!widths.contains(ProgramAt(i).width)) continue;
    const std::string program(ProgramName(ProgramAt(i)).view());
    for (Dtype weight : kWeights) {
      if (named.contains({program, weight})) continue;
      throw Error(
          fmt::format("compiler log: other programs of width {} are there, {} ({}) is not: "
                      "give the whole log",
                      ProgramAt(i).width, program, ToString(weight)));
    }
  }
}

}  // namespace fenestra
