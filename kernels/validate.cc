#include "kernels/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/overlap.h"

namespace fenestra {
namespace {

constexpr std::uintptr_t kAlignment = 16;
constexpr std::uintptr_t kFloatAlignment = 4;  // of rstd and dw
constexpr int kPitchUnit = 8;                  // elements of BF16 in 16 bytes
constexpr int kHeadsMax = 1 << 16;

bool IsAligned(const void* pointer, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

Status CheckPointer(const char* name, const void* pointer, std::uintptr_t alignment) {
  if (pointer == nullptr) return {StatusCode::kNullPointer, name, "must not be null"};
  if (!IsAligned(pointer, alignment)) {
    return {StatusCode::kMisaligned, name,
            alignment == kAlignment ? "must be 16-byte aligned" : "must be 4-byte aligned"};
  }
  return Status::Ok();
}

// Of no tokens where the call's form lacks the tensor.
Extent ExtentOf(const Tensor& tensor, const Shape& shape, bool is_used = true) {
  return {tensor.data,
          is_used ? shape.tokens : 0,
          shape.heads,
          shape.width,
          tensor.token_pitch,
          tensor.head_pitch,
          2};
}

Extent ExtentOf(const void* data, std::int64_t count, int element_bytes) {
  return {data, 1, 1, count, 0, 0, element_bytes};
}

Extent ExtentOfWeight(const void* w, const Shape& shape) {
  return ExtentOf(w, shape.width, shape.weight == Dtype::kFp32 ? 4 : 2);
}

// Of two tensors of one shape.
bool IsSame(const Extent& a, const Extent& b) {
  return a.data == b.data && (a.tokens == 1 || a.token_pitch == b.token_pitch) &&
         (a.heads == 1 || a.head_pitch == b.head_pitch);
}

enum class Role { kInput, kOutput };

struct Argument {
  const char* name;
  Role role;
  std::uintptr_t alignment;
  Extent extent;
  std::array<std::string_view, 2> may_be = {};  // inputs that this output may overlay
};

// A call's arguments in the order in which they are checked.
std::array<Argument, 6> ArgumentsOf(const ForwardArguments& call) {
  using enum Role;
  const Shape& shape = call.shape;
  const Extent residual = ExtentOf(call.residual, shape, shape.residual);
  const Extent residual_out = ExtentOf(call.residual_out, shape, shape.residual);
  const std::int64_t rows = shape.tokens * shape.heads;
  return {{
      {"x", kInput, kAlignment, ExtentOf(call.x, shape)},
      {"residual", kInput, kAlignment, residual},
      {"w", kInput, kAlignment, ExtentOfWeight(call.w, shape)},
      {"y", kOutput, kAlignment, ExtentOf(call.y, shape), {"x"}},
      {"residual_out", kOutput, kAlignment, residual_out, {"residual"}},
      {"rstd", kOutput, kFloatAlignment, ExtentOf(call.rstd, rows, 4)},
  }};
}

std::array<Argument, 7> ArgumentsOf(const BackwardArguments& call) {
  using enum Role;
  const Shape& shape = call.shape;
  const Tensor& gradient = call.residual_gradient;
  const std::int64_t rows = shape.tokens * shape.heads;
  return {{
      {"dy", kInput, kAlignment, ExtentOf(call.dy, shape)},
      {"h", kInput, kAlignment, ExtentOf(call.h, shape)},
      {"residual_gradient", kInput, kAlignment, ExtentOf(gradient, shape, shape.residual)},
      {"w", kInput, kAlignment, ExtentOfWeight(call.w, shape)},
      {"rstd", kInput, kFloatAlignment, ExtentOf(call.rstd, rows, 4)},
      {"dx", kOutput, kAlignment, ExtentOf(call.dx, shape), {"dy", "residual_gradient"}},
      {"dw", kOutput, kFloatAlignment, ExtentOf(call.dw, shape.width, 4)},
  }};
}

Status CheckAlone(const Argument& argument) {
  const Extent& extent = argument.extent;
  if (extent.tokens == 0) return Status::Ok();
  const Status status = CheckPointer(argument.name, extent.data, argument.alignment);
  if (!status.ok()) return status;
  if (extent.tokens > 1 && extent.token_pitch % kPitchUnit != 0) {
    return {StatusCode::kMisaligned, argument.name, "token_pitch must be a multiple of 8 elements"};
  }
  if (extent.heads > 1 && extent.head_pitch % kPitchUnit != 0) {
    return {StatusCode::kMisaligned, argument.name, "head_pitch must be a multiple of 8 elements"};
  }
  if (argument.role == Role::kOutput && OverlapsItself(extent)) {
    return {StatusCode::kOverlap, argument.name,
            "its rows share elements; the pitches are too small"};
  }
  return Status::Ok();
}

// `arguments` may hold the output itself.
Status CheckApart(const Argument& output, std::span<const Argument> arguments) {
  for (const Argument& other : arguments) {
    if (&other == &output) continue;
    const bool may_be = std::ranges::count(output.may_be, other.name) > 0;
    if (may_be && IsSame(output.extent, other.extent)) continue;
    if (SharesElements(output.extent, other.extent)) {
      return {StatusCode::kOverlap, output.name, "shares elements with another argument"};
    }
  }
  return Status::Ok();
}

Status CheckAll(std::span<const Argument> arguments) {
  for (const Argument& argument : arguments) {
    const Status status = CheckAlone(argument);
    if (!status.ok()) return status;
  }
  for (const Argument& output : arguments) {
    if (output.role != Role::kOutput) continue;
    const Status status = CheckApart(output, arguments);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// Whether every tensor's tokens and heads are one dimension (so a contiguous key view runs like
// plain rows).
bool Folds(std::span<const Argument> arguments) {
  return std::ranges::all_of(arguments, [](const Argument& argument) {
    const Extent& extent = argument.extent;
    return extent.heads <= 1 || extent.tokens <= 1 ||
           extent.token_pitch == extent.head_pitch * extent.heads;
  });
}

// Rows of every tensor, folded or not.
struct Folder {
  const Shape& shape;
  bool fold;

  launch::Rows RowsOf(const Tensor& tensor) const {
    launch::Rows rows{static_cast<std::uint16_t*>(tensor.data), tensor.token_pitch,
                      tensor.head_pitch};
    if (fold) {
      if (shape.heads > 1) rows.token_pitch = tensor.head_pitch;
      if (shape.tokens * shape.heads == 1) rows.token_pitch = shape.width;
      rows.head_pitch = 0;
    }
    return rows;
  }
  launch::Divisor Heads() const {
    return launch::MakeDivisor(fold ? 1U : static_cast<std::uint32_t>(shape.heads));
  }
  bool IsPacked(const launch::Rows& rows) const { return fold && rows.token_pitch == shape.width; }
};

}  // namespace

Status CheckShape(const Shape& shape) {
  if (shape.tokens < 0) return {StatusCode::kBadValue, "shape.tokens", "must not be negative"};
  if (shape.heads < 1 || shape.heads > kHeadsMax) {
    return {StatusCode::kBadValue, "shape.heads", "must be 1 to 65536"};
  }
  if (shape.tokens > kMaxRows / shape.heads) {
    return {StatusCode::kBadValue, "shape.tokens", "tokens * heads must be below 2^31"};
  }
  if (shape.weight != Dtype::kBf16 && shape.weight != Dtype::kFp32) {
    return {StatusCode::kNoRoute, "shape.weight", "must be BF16 or FP32"};
  }
  if (shape.determinism != Determinism::kAny && shape.determinism != Determinism::kDeterministic &&
      shape.determinism != Determinism::kBoardInvariant) {
    return {StatusCode::kNoRoute, "shape.determinism", "is no level"};
  }
  for (int width : kWidths) {
    if (shape.width == width) return Status::Ok();
  }
  return {StatusCode::kNoRoute, "shape.width", "must be 256, 512, 1536, 2048, 4096, 5120 or 6144"};
}

Status Validate(const ForwardArguments& arguments, launch::ForwardCall* call, bool* in_place) {
  const Shape& shape = arguments.shape;
  *call = {};
  *in_place = false;
  Status status = CheckShape(shape);
  if (!status.ok()) return status;
  if (!std::isfinite(arguments.eps) || arguments.eps < 0) {
    return {StatusCode::kBadValue, "eps", "must be finite and not negative"};
  }
  call->rows = shape.tokens * shape.heads;
  if (call->rows == 0) return Status::Ok();
  const auto all = ArgumentsOf(arguments);
  status = CheckAll(all);
  if (!status.ok()) return status;

  *in_place = IsSame(ExtentOf(arguments.y, shape), ExtentOf(arguments.x, shape));
  const Folder folder{shape, Folds(all)};
  call->inputs[0] = folder.RowsOf(arguments.x);
  if (shape.residual) {
    call->inputs[1] = folder.RowsOf(arguments.residual);
    call->residual_out = folder.RowsOf(arguments.residual_out);
  }
  call->y = folder.RowsOf(arguments.y);
  call->w = arguments.w;
  call->rstd = arguments.rstd;
  call->heads = folder.Heads();
  call->eps = arguments.eps;
  return Status::Ok();
}

Status Validate(const BackwardArguments& arguments, launch::BackwardCall* call, bool* in_place) {
  const Shape& shape = arguments.shape;
  *call = {};
  *in_place = false;
  Status status = CheckShape(shape);
  if (!status.ok()) return status;
  status = CheckPointer("dw", arguments.dw, kFloatAlignment);  // of a call without rows too
  if (!status.ok()) return status;
  call->rows = shape.tokens * shape.heads;
  call->dw = arguments.dw;
  call->accumulate = arguments.accumulate_dw;
  if (call->rows == 0) return Status::Ok();
  const auto all = ArgumentsOf(arguments);
  status = CheckAll(all);
  if (!status.ok()) return status;

  *in_place = IsSame(ExtentOf(arguments.dx, shape), ExtentOf(arguments.dy, shape));
  const Folder folder{shape, Folds(all)};
  call->inputs[0] = folder.RowsOf(arguments.dy);
  call->inputs[1] = folder.RowsOf(arguments.h);
  if (shape.residual) call->inputs[2] = folder.RowsOf(arguments.residual_gradient);
  call->dx = folder.RowsOf(arguments.dx);
  call->w = arguments.w;
  call->rstd = arguments.rstd;
  call->heads = folder.Heads();
  call->packed = folder.IsPacked(call->inputs[0]) && folder.IsPacked(call->inputs[1]) &&
                 (!shape.residual || folder.IsPacked(call->inputs[2]));
  return Status::Ok();
}

Status ValidateWorkspace(const BackwardArguments& arguments, const void* workspace,
                         std::int64_t bytes) {
  const Argument output{"workspace", Role::kOutput, kAlignment, ExtentOf(workspace, bytes, 1)};
  const Status status = CheckAlone(output);
  return status.ok() ? CheckApart(output, ArgumentsOf(arguments)) : status;
}

}  // namespace fenestra
