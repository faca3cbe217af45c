#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "kernels/c/fenestra.h"
#include "kernels/fenestra.h"
#include "kernels/program_list.h"

// The opaque handle of the C interface.
struct fenestra_device {
  fenestra::Device device;
};

namespace {

using fenestra::Status;
using fenestra::StatusCode;

fenestra_status Of(const Status& status) {
  return {static_cast<int>(status.code), status.argument, status.reason, status.cuda_error};
}

constexpr Status kNullDevice{StatusCode::kNullPointer, "device", "is null"};
constexpr Status kNullArguments{StatusCode::kNullPointer, "arguments", "is null"};

// A member that is appended must not fall into what an older caller knows as padding.
template <typename Struct>
constexpr bool EndsWith(std::size_t offset, std::size_t bytes) {
  return offset + bytes == sizeof(Struct);
}
static_assert(EndsWith<fenestra_shape>(offsetof(fenestra_shape, reserved), 4));
static_assert(EndsWith<fenestra_forward_arguments>(offsetof(fenestra_forward_arguments, reserved),
                                                   4));
static_assert(EndsWith<fenestra_backward_arguments>(offsetof(fenestra_backward_arguments, reserved),
                                                    4));
static_assert(EndsWith<fenestra_device_options>(offsetof(fenestra_device_options, split_sm_count),
                                                4));

// What the caller's version of a struct holds, over the initial values of this one. False when its
// size is none that any version has had: each struct has had one so far.
template <typename Struct>
bool Read(const Struct* given, Struct* known) {
  if (given->size != sizeof(Struct)) return false;
  std::memcpy(known, given, given->size);
  return true;
}

static_assert(std::ranges::all_of(fenestra::kPrograms, [](const fenestra::Program& program) {
  return fenestra::ProgramName(program).view().size() < sizeof(fenestra_choice::program);
}));

Status CheckReserved(std::int32_t reserved, const char* name) {
  return reserved == 0 ? Status::Ok() : Status{StatusCode::kBadValue, name, "must be 0"};
}

fenestra::Tensor Of(const fenestra_tensor& tensor) {
  return {tensor.data, tensor.token_pitch, tensor.head_pitch};
}

Status ReadShape(const fenestra_shape* given, fenestra::Shape* shape) {
  if (given == nullptr) return {StatusCode::kNullPointer, "shape", "is null"};
  fenestra_shape known = FENESTRA_SHAPE_INIT;
  if (!Read(given, &known)) {
    return {StatusCode::kBadValue, "shape.size", "is of no version: set it by FENESTRA_SHAPE_INIT"};
  }
  if (known.weight != FENESTRA_BF16 && known.weight != FENESTRA_FP32) {
    return {StatusCode::kBadValue, "shape.weight", "must be FENESTRA_BF16 or FENESTRA_FP32"};
  }
  if (known.determinism < FENESTRA_ANY || known.determinism > FENESTRA_BOARD_INVARIANT) {
    return {StatusCode::kBadValue, "shape.determinism", "is none of the levels"};
  }
  const Status status = CheckReserved(known.reserved, "shape.reserved");
  if (!status.ok()) return status;
  *shape = {.tokens = known.tokens,
            .heads = known.heads,
            .width = known.width,
            .weight = static_cast<fenestra::Dtype>(known.weight),
            .determinism = static_cast<fenestra::Determinism>(known.determinism),
            .residual = known.residual != 0};
  return Status::Ok();
}

constexpr Status kBadSize{StatusCode::kBadValue, "arguments.size",
                          "is of no version: set it to the size of the struct"};

// Both questions about workspace; `ask` is the one.
fenestra_status WorkspaceBytes(const fenestra_device* device, const fenestra_shape* shape,
                               int64_t* bytes,
                               Status (fenestra::Device::*ask)(const fenestra::Shape&,
                                                               std::int64_t*) const) {
  if (device == nullptr) return Of(kNullDevice);
  if (bytes == nullptr) return Of({StatusCode::kNullPointer, "bytes", "is null"});
  *bytes = 0;
  fenestra::Shape known;
  const Status status = ReadShape(shape, &known);
  return Of(status.ok() ? (device->device.*ask)(known, bytes) : status);
}

}  // namespace

extern "C" {

const char* fenestra_version(void) { return FENESTRA_VERSION; }

fenestra_status fenestra_open(int ordinal, const fenestra_device_options* options,
                              fenestra_device** device) {
  if (device == nullptr) return Of(kNullDevice);
  *device = nullptr;
  fenestra_device_options known = FENESTRA_DEVICE_OPTIONS_INIT;
  if (options != nullptr && !Read(options, &known)) {
    return Of({StatusCode::kBadValue, "options.size",
               "is of no version: set it by FENESTRA_DEVICE_OPTIONS_INIT"});
  }
  auto* opened = new (std::nothrow) fenestra_device;
  if (opened == nullptr) return Of({StatusCode::kBadValue, "device", "no memory for the handle"});
  const Status status = fenestra::Device::Open(
      ordinal, {.may_borrow = known.may_borrow != 0, .split_sm_count = known.split_sm_count},
      &opened->device);
  if (status.ok()) {
    *device = opened;
  } else {
    delete opened;
  }
  return Of(status);
}

void fenestra_close(fenestra_device* device) { delete device; }

fenestra_status fenestra_forward(const fenestra_device* device,
                                 const fenestra_forward_arguments* arguments,
                                 struct CUstream_st* stream) {
  if (device == nullptr) return Of(kNullDevice);
  if (arguments == nullptr) return Of(kNullArguments);
  fenestra_forward_arguments known{};
  if (!Read(arguments, &known)) return Of(kBadSize);
  fenestra::ForwardArguments call{};
  Status status = ReadShape(known.shape, &call.shape);
  if (status.ok()) status = CheckReserved(known.reserved, "arguments.reserved");
  if (!status.ok()) return Of(status);
  call.x = Of(known.x);
  call.residual = Of(known.residual);
  call.residual_out = Of(known.residual_out);
  call.w = known.w;
  call.y = Of(known.y);
  call.rstd = known.rstd;
  call.eps = known.eps;
  return Of(device->device.Forward(call, stream));
}

fenestra_status fenestra_backward(const fenestra_device* device,
                                  const fenestra_backward_arguments* arguments, void* workspace,
                                  int64_t workspace_bytes, struct CUstream_st* stream) {
  if (device == nullptr) return Of(kNullDevice);
  if (arguments == nullptr) return Of(kNullArguments);
  fenestra_backward_arguments known{};
  if (!Read(arguments, &known)) return Of(kBadSize);
  fenestra::BackwardArguments call{};
  Status status = ReadShape(known.shape, &call.shape);
  if (status.ok()) status = CheckReserved(known.reserved, "arguments.reserved");
  if (!status.ok()) return Of(status);
  call.dy = Of(known.dy);
  call.h = Of(known.h);
  call.residual_gradient = Of(known.residual_gradient);
  call.w = known.w;
  call.rstd = known.rstd;
  call.dx = Of(known.dx);
  call.dw = known.dw;
  call.accumulate_dw = known.accumulate_dw != 0;
  return Of(device->device.Backward(call, workspace, workspace_bytes, stream));
}

fenestra_status fenestra_backward_workspace_bytes(const fenestra_device* device,
                                                  const fenestra_shape* shape, int64_t* bytes) {
  return WorkspaceBytes(device, shape, bytes, &fenestra::Device::BackwardWorkspaceBytes);
}

fenestra_status fenestra_backward_workspace_bytes_up_to(const fenestra_device* device,
                                                        const fenestra_shape* shape,
                                                        int64_t* bytes) {
  return WorkspaceBytes(device, shape, bytes, &fenestra::Device::BackwardWorkspaceBytesUpTo);
}

fenestra_status fenestra_choose(const fenestra_device* device, int pass,
                                const fenestra_shape* shape, int in_place,
                                fenestra_choice* choice) {
  if (device == nullptr) return Of(kNullDevice);
  if (choice == nullptr) return Of({StatusCode::kNullPointer, "choice", "is null"});
  *choice = {};
  if (pass != FENESTRA_FORWARD && pass != FENESTRA_BACKWARD) {
    return Of({StatusCode::kBadValue, "pass", "must be FENESTRA_FORWARD or FENESTRA_BACKWARD"});
  }
  fenestra::Shape known;
  Status status = ReadShape(shape, &known);
  if (!status.ok()) return Of(status);
  fenestra::Choice chosen;
  status = device->device.Choose(static_cast<fenestra::Pass>(pass), known, in_place != 0, &chosen);
  if (!status.ok()) return Of(status);
  const fenestra::ProgramName program(fenestra::ProgramAt(chosen.program));
  (void)std::snprintf(choice->program, sizeof choice->program, "%.*s",
                      static_cast<int>(program.view().size()), program.view().data());
  choice->time_basis = static_cast<int>(chosen.bases.time);
  choice->accuracy_basis = static_cast<int>(chosen.bases.accuracy);
  return Of(status);
}

fenestra_status fenestra_windows(const fenestra_device* device, fenestra_windows_info* info) {
  if (device == nullptr) return Of(kNullDevice);
  if (info == nullptr) return Of({StatusCode::kNullPointer, "info", "is null"});
  *info = {};
  const fenestra::BoardWindows* windows = device->device.windows();
  if (windows == nullptr) {
    return Of({StatusCode::kNoWindows, "device", "has the board-invariant level alone"});
  }
  // Both are literals, in the table of boards and in the header of windows.
  *info = {windows->board->name.data(), windows->evidence_digest, windows->margin};
  return Of(Status::Ok());
}

int fenestra_status_text(fenestra_status status, char* text, size_t text_size) {
  const char* code = fenestra::ToString(static_cast<StatusCode>(status.code));
  if (status.code == FENESTRA_OK) return std::snprintf(text, text_size, "%s", code);
  if (status.code == FENESTRA_CUDA_ERROR) {
    return std::snprintf(text, text_size, "%s: %s: %s (cudaError_t %d)", code, status.argument,
                         status.reason, status.cuda_error);
  }
  return std::snprintf(text, text_size, "%s: %s: %s", code, status.argument, status.reason);
}

}  // extern "C"
