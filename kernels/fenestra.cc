#include "kernels/fenestra.h"

#include <algorithm>
#include <cstdio>

#include "kernels/arith/split.h"
#include "kernels/launch/entry.h"
#include "kernels/program_list.h"
#include "kernels/validate.h"

namespace fenestra {
namespace {

constexpr Status kNotOpen{StatusCode::kNoWindows, "device", "is not open"};
constexpr Status kNoOwnWindows{
    StatusCode::kNoWindows, "device",
    "no windows for this board; set may_borrow to take the nearest board's of its arch"};

Status CudaStatus(cudaError_t error, const char* argument, const char* reason) {
  if (error == cudaSuccess) return Status::Ok();
  return {StatusCode::kCudaError, argument, reason, static_cast<int>(error)};
}

constexpr Status kNoInvariantWindows{StatusCode::kNoWindows, "shape.determinism",
                                     "built without the windows of the board-invariant level"};

// Makes a device current for a scope. Setting the current device touches thread-local state only.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal) : before_(ordinal), ordinal_(ordinal) {
    cudaError_t error = cudaGetDevice(&before_);
    if (error == cudaSuccess && before_ != ordinal) error = cudaSetDevice(ordinal);
    status_ = CudaStatus(error, "device", "not usable");
  }
  ~CurrentDevice() {
    if (before_ != ordinal_) (void)cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

  const Status& status() const { return status_; }

 private:
  int before_;
  int ordinal_;
  Status status_;
};

Status Prepare(std::span<const Window> windows, Dtype weight) {
  for (const Window& window : windows) {
    const launch::Entry* entry = launch::FindEntry(window.program, weight);
    if (entry == nullptr) {
      return {StatusCode::kNoRoute, "windows", "name a program that was not compiled in"};
    }
    const Status status = entry->prepare();
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status PrepareAll(const BoardWindows& windows) {
  for (const RouteWindows& route : windows.routes) {
    Status status = Prepare(route.windows, route.route.weight);
    if (status.ok()) status = Prepare(route.in_place, route.route.weight);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

#ifdef FENESTRA_CHECKED
Status CheckLivesOn(int ordinal, const char* name, const void* pointer) {
  cudaPointerAttributes attributes{};
  const Status status =
      CudaStatus(cudaPointerGetAttributes(&attributes, pointer), name, "is not a CUDA pointer");
  if (!status.ok()) return status;
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
    return {StatusCode::kWrongDevice, name, "is not in device memory"};
  }
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != ordinal) {
    return {StatusCode::kWrongDevice, name, "lives on another device"};
  }
  return Status::Ok();
}
#else
Status CheckLivesOn(int, const char*, const void*) { return Status::Ok(); }
#endif

struct NamedPointer {
  const char* name;
  const void* pointer;
};

Status CheckAllLiveOn(int ordinal, std::initializer_list<NamedPointer> pointers) {
  for (const NamedPointer& named : pointers) {
    if (named.pointer == nullptr) continue;  // not in this form of the call
    const Status status = CheckLivesOn(ordinal, named.name, named.pointer);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

Status Device::Open(int ordinal, const DeviceOptions& options, Device* device) {
  if (options.split_sm_count < 0) {
    return {StatusCode::kBadValue, "split_sm_count", "must not be negative"};
  }
  cudaDeviceProp properties{};
  Status status =
      CudaStatus(cudaGetDeviceProperties(&properties, ordinal), "ordinal", "no such device");
  if (!status.ok()) return status;
  const auto arch = ArchOf(properties.major, properties.minor);
  if (!arch) return {StatusCode::kNoWindows, "ordinal", "the device's arch has no windows"};

  Device opened;
  opened.ordinal_ = ordinal;
  opened.sm_count_ = properties.multiProcessorCount;
  opened.split_ = options.split_sm_count > 0 ? options.split_sm_count : opened.sm_count_;
  opened.windows_ = FindBoardWindows(*arch, opened.sm_count_, properties.name);
  std::snprintf(opened.product_.data(), opened.product_.size(), "%s", properties.name);
  if (opened.windows_ == nullptr && options.may_borrow) {
    opened.windows_ = NearestBoardWindows(*arch, opened.sm_count_);
    if (opened.windows_ != nullptr) {
      std::fprintf(stderr,
                   "fenestra: device %d (%s, %d SMs) has no windows; borrowing those of %.*s\n",
                   ordinal, properties.name, opened.sm_count_,
                   static_cast<int>(opened.windows_->board->name.size()),
                   opened.windows_->board->name.data());
    }
  }
  opened.invariant_ = InvariantWindows();
  if (opened.windows_ == nullptr && opened.invariant_ == nullptr) return kNoOwnWindows;
  const CurrentDevice current(ordinal);
  status = current.status();
  for (const BoardWindows* windows : {opened.windows_, opened.invariant_}) {
    if (status.ok() && windows != nullptr) status = PrepareAll(*windows);
  }
  if (status.ok()) *device = opened;
  return status;
}

Status Device::FindRouteOf(Pass pass, const Shape& shape, Found* found) const {
  if (ordinal_ < 0) return kNotOpen;
  const Status status = CheckShape(shape);
  if (!status.ok()) return status;
  Route route{.pass = pass,
              .residual = shape.residual,
              .weight = shape.weight,
              .width = shape.width,
              .determinism = shape.determinism};
  if (shape.determinism == Determinism::kBoardInvariant) {
    // One table and one split for all boards: those of one of them.
    if (invariant_ == nullptr) return kNoInvariantWindows;
    *found = {.windows = invariant_, .split = invariant_->board->sm_count};
    route.determinism = Determinism::kDeterministic;
  } else {
    if (windows_ == nullptr) return kNoOwnWindows;
    *found = {.windows = windows_, .split = split_};
  }
  found->route = FindRoute(*found->windows, route);
  if (found->route == nullptr) {
    return {StatusCode::kNoRoute, "shape", "the board has no windows for this route"};
  }
  return Status::Ok();
}

Status Device::Find(Pass pass, const Shape& shape, bool in_place, Found* found) const {
  const Status status = FindRouteOf(pass, shape, found);
  if (!status.ok()) return status;
  found->window = FindWindowFor(*found->route, shape.tokens * shape.heads, in_place);
  if (found->window == nullptr) {
    return {StatusCode::kOverlap, pass == Pass::kForward ? "y" : "dx",
            "no program of this route runs in place"};
  }
  return Status::Ok();
}

Status Device::Choose(Pass pass, const Shape& shape, bool in_place, Choice* choice) const {
  Found found;
  const Status status = Find(pass, shape, in_place, &found);
  if (!status.ok()) return status;
  choice->program = found.window->program;
  choice->bases = BasesOn(*found.windows, *found.window, sm_count_, found.split, product_.data());
  return Status::Ok();
}

Status Device::Forward(const ForwardArguments& arguments, cudaStream_t stream) const {
  if (ordinal_ < 0) return kNotOpen;
  launch::ForwardCall call;
  bool in_place = false;
  Status status = Validate(arguments, &call, &in_place);
  if (!status.ok() || call.rows == 0) return status;
  Found found;
  status = Find(Pass::kForward, arguments.shape, in_place, &found);
  if (!status.ok()) return status;
  const bool residual = arguments.shape.residual;
  status =
      CheckAllLiveOn(ordinal_, {{"x", arguments.x.data},
                                {"residual", residual ? arguments.residual.data : nullptr},
                                {"residual_out", residual ? arguments.residual_out.data : nullptr},
                                {"w", arguments.w},
                                {"y", arguments.y.data},
                                {"rstd", arguments.rstd}});
  if (!status.ok()) return status;
  const CurrentDevice current(ordinal_);
  if (!current.status().ok()) return current.status();
  return launch::FindEntry(found.window->program, arguments.shape.weight)
      ->forward(call, found.split, stream);
}

Status Device::Backward(const BackwardArguments& arguments, void* workspace,
                        std::int64_t workspace_bytes, cudaStream_t stream) const {
  if (ordinal_ < 0) return kNotOpen;
  launch::BackwardCall call;
  bool in_place = false;
  Status status = Validate(arguments, &call, &in_place);
  if (!status.ok()) return status;
  const CurrentDevice current(ordinal_);
  if (!current.status().ok()) return current.status();
  if (call.rows == 0) {
    if (call.accumulate) return Status::Ok();
    status = CheckLivesOn(ordinal_, "dw", arguments.dw);
    if (!status.ok()) return status;
    const auto bytes = static_cast<std::size_t>(arguments.shape.width) * sizeof(float);
    return CudaStatus(cudaMemsetAsync(call.dw, 0, bytes, stream), "stream", "clearing dw failed");
  }
  Found found;
  status = Find(Pass::kBackward, arguments.shape, in_place, &found);
  if (!status.ok()) return status;
  const Program& program = ProgramAt(found.window->program);
  const std::int64_t need = arith::WorkspaceBytes(program, call.rows, found.split);
  if (workspace_bytes < need) {
    return {StatusCode::kWorkspaceTooSmall, "workspace_bytes",
            "less than BackwardWorkspaceBytes of this shape"};
  }
  if (need > 0) status = ValidateWorkspace(arguments, workspace, need);
  if (!status.ok()) return status;
  status = CheckAllLiveOn(
      ordinal_,
      {{"dy", arguments.dy.data},
       {"h", arguments.h.data},
       {"residual_gradient", arguments.shape.residual ? arguments.residual_gradient.data : nullptr},
       {"w", arguments.w},
       {"rstd", arguments.rstd},
       {"dx", arguments.dx.data},
       {"dw", arguments.dw}});
  if (status.ok() && need > 0) status = CheckLivesOn(ordinal_, "workspace", workspace);
  if (!status.ok()) return status;
  call.workspace = workspace;
  return launch::FindEntry(found.window->program, arguments.shape.weight)
      ->backward(call, found.split, stream);
}

Status Device::BackwardWorkspaceBytes(const Shape& shape, std::int64_t* bytes) const {
  *bytes = 0;
  Found found;
  const Status status = FindRouteOf(Pass::kBackward, shape, &found);
  if (!status.ok()) return status;  // only a checked shape's product of tokens and heads fits
  const std::int64_t rows = shape.tokens * shape.heads;
  if (rows == 0) return Status::Ok();
  for (const bool in_place : {false, true}) {
    const int program = FindProgramFor(*found.route, rows, in_place);
    if (program < 0) continue;
    *bytes = std::max(*bytes, arith::WorkspaceBytes(ProgramAt(program), rows, found.split));
  }
  return Status::Ok();
}

Status Device::BackwardWorkspaceBytesUpTo(const Shape& shape, std::int64_t* bytes) const {
  *bytes = 0;
  Found found;
  const Status status = FindRouteOf(Pass::kBackward, shape, &found);
  if (!status.ok()) return status;
  const std::int64_t rows = shape.tokens * shape.heads;
  // A program's need grows with the rows, so each window's is largest at its upper end.
  for (std::span<const Window> windows : {found.route->windows, found.route->in_place}) {
    for (const Window& window : windows) {
      if (window.lo >= rows) break;
      const Program& program = ProgramAt(window.program);
      *bytes =
          std::max(*bytes, arith::WorkspaceBytes(program, std::min(rows, window.hi), found.split));
    }
  }
  return Status::Ok();
}

}  // namespace fenestra
