#include "hand_made.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "db/text.h"
#include "kernels/program_list.h"

namespace fenestra::hand_made {

namespace fs = std::filesystem;

Environment TheEnvironment() {
  return {.id = "aff6f23d5cbcdee0",
          .gpu = "NVIDIA H200",
          .driver = "580.159.04",
          .toolkit = "13.0",
          .compiler = "nvcc 13.0.88, g++ 12.2.0",
          .host = "x86_64",
          .commit = "0123abc",
          .sm_clock_mhz_max = 1980,
          .memory_clock_mhz_max = 3201};
}

TimeRecord Time(std::int64_t rows, int process) {
  return {.key = {.board = "h200_132",
                  .route = {.pass = Pass::kBackward,
                            .residual = false,
                            .weight = Dtype::kFp32,
                            .width = 4096,
                            .determinism = Determinism::kDeterministic},
                  .view = View::kRows,
                  .rows = rows,
                  .program = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64",
                  .environment = TheEnvironment().id,
                  .session = 1,
                  .process = process},
          .median_ns = 28512,
          .min_ns = 28416,
          .p90_ns = 28704,
          .span_median_ns = 28608,
          .calls = 80,
          .rounds_discarded = 1,
          .sm_clock_mhz = 1965,
          .memory_clock_mhz = 3201,
          .samples_digest = "00000000000000aa"};
}

Evidence OneOfEach() {
  Evidence evidence;
  const std::string id = TheEnvironment().id;
  evidence.environments = {TheEnvironment()};
  evidence.times = {Time(4096, 2)};
  evidence.accuracy = {{.key = {.board = "h200_132",
                                .width = 4096,
                                .rows = 65537,
                                .program = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64",
                                .family = Family::kCancel,
                                .reference = Reference::kEagerRstd,
                                .inputs = 60,
                                .protocol = 1},
                        .worst = 0.41234,
                        .worst_column = 17,
                        .worst_seed = 42,
                        .median = 0.1 + 0.2,  // 0.30000000000000004
                        .stood_in = false,
                        .environment = id}};
  evidence.digests = {{.key = {.board = "h200_132",
                               .width = 4096,
                               .rows = 64,
                               .program = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64",
                               .seed = 3,
                               .protocol = 1},
                       .dw = "fedcba9876543210"}};
  evidence.edges = {{.key = {.board = "h200_132",
                             .route = {.pass = Pass::kBackward,
                                       .residual = true,
                                       .weight = Dtype::kBf16,
                                       .width = 256,
                                       .determinism = Determinism::kAny},
                             .rows = 512,
                             .below = "bwd_dual_h256_t256_w1_slab64_fma64",
                             .above = "bwd_ring_h256_t512_w1_r1_s8_c1_rr_fma64"},
                     .classes = {.y = EdgeClass::kUnmeasured,
                                 .rstd = EdgeClass::kSame,
                                 .residual_out = EdgeClass::kUnmeasured,
                                 .dx = EdgeClass::kSame,
                                 .dw = EdgeClass::kDiffers},
                     .environment = id}};
  evidence.waits = {{.key = {.board = "h200_132",
                             .program = "bwd_dual_h256_t256_w1_slab64_fma64",
                             .beside_kib = 132,
                             .environment = id},
                     .waits = true}};
  evidence.kernels = {{.key = {.board = "h200_132",
                               .program = "bwd_dual_h256_t256_w1_slab64_fma64",
                               .weight = Dtype::kFp32,
                               .environment = id},
                       .registers = 64,
                       .spill_bytes = 0,
                       .shared_bytes = 4160}};
  evidence.failures = {{.board = "h200_132",
                        .route = {.pass = Pass::kForward,
                                  .residual = false,
                                  .weight = Dtype::kBf16,
                                  .width = 256,
                                  .determinism = Determinism::kDeterministic},
                        .view = View::kQuery,
                        .rows = 24,
                        .program = "fwd_direct_h256_t128_w1",
                        .reason = "hung:\tno answer in 30 s \\ 100 \xc2\xb5s",
                        .environment = id}};
  return evidence;
}

Plan TwoWindows(std::int64_t edge) {
  constexpr std::string_view kBelow = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_plain";
  constexpr std::string_view kAbove = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_fma64";
  PlannedWindow below{.window = {.lo = 0,
                                 .hi = edge,
                                 .program = FindProgram(kBelow),
                                 .edge = EdgeKind::kStart,
                                 .classes = {},
                                 .time = Basis::kMeasured,
                                 .accuracy = Basis::kMeasured},
                      .program = std::string(kBelow),
                      .reason = "fastest",
                      .worst = 0.2,
                      .worst_rows = 4096,
                      .over_stream = 1.02,
                      .over_best = 0.0};
  PlannedWindow above = below;
  above.window = {.lo = edge,
                  .hi = kMaxRows,
                  .program = FindProgram(kAbove),
                  .edge = EdgeKind::kAccuracy,
                  .classes = {.dx = EdgeClass::kSame, .dw = EdgeClass::kDiffers},
                  .time = Basis::kStoodIn,
                  .accuracy = Basis::kBorrowed};
  above.program = kAbove;
  above.reason = "the plain chain reaches 0.31";
  above.worst = 0.0006;
  const Route route = Time(1, 0).key.route;
  return {.board = "h200_132",
          .margin = 0.25,
          .noise = 0.014,
          .evidence = "0123456789abcdef",
          .environments = {TheEnvironment().id},
          .waivers = {{.route = route,
                       .rows = 100,
                       .program = std::string(kBelow),
                       .fraction = 0.5,
                       .reason = "seen in training"}},
          .routes = {{.route = route,
                      .windows = {below, above},
                      .in_place = {above},
                      .qualified_rows = 65537}}};
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "fenestra_db_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::List() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::string line;
  for (const std::string& name : names) line += (line.empty() ? "" : " ") + name;
  return line;
}

void WriteBytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string ReadBytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool Same(const Evidence& a, const Evidence& b) {
  return a.environments == b.environments && a.times == b.times && a.accuracy == b.accuracy &&
         a.digests == b.digests && a.edges == b.edges && a.waits == b.waits &&
         a.kernels == b.kernels && a.failures == b.failures && a.published == b.published;
}

}  // namespace fenestra::hand_made
