#include "tuner/cli/doctor_checks.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <Eigen/Core>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "tuner/gpu_info.h"

namespace fenestra::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMib = std::uintmax_t{1} << 20;
// A full sweep keeps about 200 MB of samples; twice that leaves room for its journal.
constexpr std::uintmax_t kDiskBytes = 512 * kMib;

MachineCheck Ok(std::string what, std::string found, bool required = false) {
  return {std::move(what), true, required, std::move(found), ""};
}

MachineCheck Missing(std::string what, std::string why, std::string remedy, bool required = false) {
  return {std::move(what), false, required, std::move(why), std::move(remedy)};
}

bool IsProgram(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) &&
         (fs::status(path, error).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

// "13.0.88" out of the last lines of nvcc --version; "" when it does not run.
std::string NvccVersion(const std::string& nvcc) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(fmt::format("'{}' --version 2>/dev/null", nvcc).c_str(), "r"), pclose);
  std::string text;
  char chunk[256];
  while (pipe && std::fgets(chunk, sizeof chunk, pipe.get()) != nullptr) text += chunk;
  const std::size_t start = text.find(", V");
  if (start == std::string::npos) return "";
  return text.substr(start + 3, text.find_first_of(" \n", start + 3) - start - 3);
}

void AddGpu(std::vector<MachineCheck>* checks) {
  std::string why_not;
  const std::optional<GpuInfo> gpu = QueryGpu(&why_not);
  if (!gpu) {
    checks->push_back(Missing("GPU", why_not,
                              "accuracy can be measured without one: 'fenestra sweep --only "
                              "accuracy --board NAME' runs the host model"));
    return;
  }
  checks->push_back(Ok("GPU", fmt::format("{}, {} SMs, {} MiB", gpu->name, gpu->sm_count,
                                          gpu->memory_bytes / static_cast<std::int64_t>(kMib))));
  checks->push_back(Ok("driver", fmt::format("{}, CUDA runtime {}", gpu->driver, gpu->runtime)));
  const std::optional<Arch> arch = ArchOf(gpu->cc_major, gpu->cc_minor);
  if (arch) {
    checks->push_back(Ok("arch", std::string(ToString(*arch))));
  } else {
    checks->push_back(
        Missing("arch", fmt::format("compute capability {}.{}", gpu->cc_major, gpu->cc_minor),
                "no programs for it: use a GPU of sm_90a, sm_100a, sm_103a or sm_107a"));
  }
  if (const Board* board = BoardOf(*gpu)) {
    checks->push_back(Ok("board", std::string(board->name)));
  } else {
    checks->push_back(
        Missing("board", fmt::format("none has product '{}' and {} SMs", gpu->name, gpu->sm_count),
                "add a line to kBoards in kernels/board.h, or name another board with --board"));
  }
}

MachineCheck Nvcc(const std::string& nvcc) {
  if (nvcc.empty()) {
    return Missing("nvcc", "not in $CUDACXX, PATH or /usr/local/cuda/bin",
                   "needed to build GPU programs: install the CUDA toolkit 12.9 or newer; "
                   "scripts/quickstart brings it where there is a GPU");
  }
  const std::string version = NvccVersion(nvcc);
  if (version.empty()) {
    return Missing("nvcc", fmt::format("{} does not run", nvcc), "install the CUDA toolkit again");
  }
  return Ok("nvcc", fmt::format("{} ({})", version, nvcc));
}

// The library lies beside the toolkit: under extras/CUPTI in NVIDIA's own layout.
MachineCheck Cupti(const std::string& nvcc) {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path root = fs::canonical(nvcc, error).parent_path().parent_path();
  for (const char* below : {"extras/CUPTI/lib64", "lib64", "lib"}) {
    if (!nvcc.empty()) folders.push_back(root / below);
  }
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, ':');) folders.emplace_back(part);
  }
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().filename().string().starts_with("libcupti.so")) {
        return Ok("CUPTI", entry.path().string());
      }
    }
  }
  return Missing("CUPTI", "no libcupti.so beside nvcc or in LD_LIBRARY_PATH",
                 "needed to take times: install the CUDA toolkit with its CUPTI part");
}

MachineCheck Fma() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) {
    return Missing("CPU FMA", "no fused multiply-add instructions",
                   "the host model needs them: use an x86-64-v3 (2013) or Arm CPU", true);
  }
#endif
  return Ok("CPU FMA", "fused multiply-add instructions", true);
}

MachineCheck Disk(const std::string& db) {
  const fs::path file(db);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) {
    return Missing("disk", fmt::format("'{}': {}", folder.string(), error.message()),
                   "name a database in a folder that exists with --db", true);
  }
  const std::string found =
      fmt::format("{} MiB free in '{}'", space.available / kMib, folder.string());
  if (space.available < kDiskBytes) {
    return Missing("disk", found, fmt::format("a full sweep needs {} MiB", kDiskBytes / kMib),
                   true);
  }
  return Ok("disk", found, true);
}

}  // namespace

std::string FindNvcc() {
  std::vector<fs::path> candidates;
  if (const char* compiler = std::getenv("CUDACXX")) candidates.emplace_back(compiler);
  if (const char* path = std::getenv("PATH")) {
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, ':');) {
      candidates.push_back(fs::path(part) / "nvcc");
    }
  }
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const fs::path& candidate : candidates) {
    if (IsProgram(candidate)) return candidate.string();
  }
  return "";
}

std::vector<MachineCheck> Examine(const std::string& db) {
  std::vector<MachineCheck> checks;
  checks.push_back(Ok("build", FENESTRA_BUILD, true));
  AddGpu(&checks);
  const std::string nvcc = FindNvcc();
  checks.push_back(Nvcc(nvcc));
  checks.push_back(Cupti(nvcc));
  checks.push_back(Ok("SQLite", sqlite3_libversion(), true));
  checks.push_back(
      Ok("Eigen",
         fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
         true));
  checks.push_back(Fma());
  checks.push_back(Disk(db));
  return checks;
}

}  // namespace fenestra::cli
