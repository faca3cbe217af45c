#include "kernels/validate.h"

#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/overlap.h"

namespace fenestra {
namespace {

constexpr std::uintptr_t kAlignment = 16;
constexpr int kPitchUnit = 8;  // elements of BF16 in 16 bytes
constexpr int kHeadsMax = 1 << 16;

struct NamedTensor {
  const char* name;
  const Tensor* tensor;
};

struct NamedExtent {
  const char* name;
  Extent extent;
};

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

Status CheckTensor(const NamedTensor& named, const Shape& shape) {
  const Status status = CheckPointer(named.name, named.tensor->data, kAlignment);
  if (!status.ok()) return status;
  if (shape.tokens > 1 && named.tensor->token_pitch % kPitchUnit != 0) {
    return {StatusCode::kMisaligned, named.name, "token_pitch must be a multiple of 8 elements"};
  }
  if (shape.heads > 1 && named.tensor->head_pitch % kPitchUnit != 0) {
    return {StatusCode::kMisaligned, named.name, "head_pitch must be a multiple of 8 elements"};
  }
  return Status::Ok();
}

Extent ExtentOf(const Tensor& tensor, const Shape& shape) {
  return {tensor.data,
          shape.tokens,
          shape.heads,
          shape.width,
          tensor.token_pitch,
          tensor.head_pitch,
          2};
}

Extent ExtentOf(const void* data, std::int64_t count, int element_bytes) {
  return {data, 1, 1, count, 0, 0, element_bytes};
}

bool IsSameTensor(const Tensor& a, const Tensor& b, const Shape& shape) {
  return a.data == b.data && (shape.tokens == 1 || a.token_pitch == b.token_pitch) &&
         (shape.heads == 1 || a.head_pitch == b.head_pitch);
}

// No output element may be one of `others`.
Status CheckDisjoint(const NamedExtent& output, std::span<const NamedExtent> others) {
  for (const NamedExtent& other : others) {
    if (SharesElements(output.extent, other.extent)) {
      return {StatusCode::kOverlap, output.name, "shares elements with another argument"};
    }
  }
  return Status::Ok();
}

Status CheckOutput(const char* name, const Tensor& tensor, const Shape& shape) {
  if (OverlapsItself(ExtentOf(tensor, shape))) {
    return {StatusCode::kOverlap, name, "its rows share elements; the pitches are too small"};
  }
  return Status::Ok();
}

// Rows of every tensor, with tokens and heads folded into one dimension where all of them allow it
// (so a contiguous key view runs like plain rows).
struct Folder {
  const Shape& shape;
  bool fold = true;

  void Look(const Tensor& tensor) {
    fold = fold && (shape.heads == 1 || shape.tokens == 1 ||
                    tensor.token_pitch == tensor.head_pitch * shape.heads);
  }
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

// The first of several checks that fails.
template <typename... Checks>
Status FirstFailure(const Checks&... checks) {
  Status status;
  (void)((status = checks(), status.ok()) && ...);
  return status;
}

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
  status = FirstFailure(
      [&] {
        return CheckTensor({"x", &arguments.x}, shape);
      },
      [&] { return CheckPointer("w", arguments.w, kAlignment); },
      [&] {
        return CheckTensor({"y", &arguments.y}, shape);
      },
      [&] { return CheckPointer("rstd", arguments.rstd, sizeof(float)); },
      [&] { return CheckOutput("y", arguments.y, shape); });
  if (!status.ok()) return status;

  *in_place = IsSameTensor(arguments.y, arguments.x, shape);
  const NamedExtent x{"x", ExtentOf(arguments.x, shape)};
  const NamedExtent w{"w",
                      ExtentOf(arguments.w, shape.width, shape.weight == Dtype::kFp32 ? 4 : 2)};
  const NamedExtent y{"y", ExtentOf(arguments.y, shape)};
  const NamedExtent rstd{"rstd", ExtentOf(arguments.rstd, call->rows, 4)};
  const NamedExtent for_y[] = {w, rstd, x};
  const NamedExtent for_rstd[] = {x, w};
  status = FirstFailure([&] { return CheckDisjoint(y, std::span(for_y).first(*in_place ? 2 : 3)); },
                        [&] { return CheckDisjoint(rstd, for_rstd); });
  if (!status.ok()) return status;

  Folder folder{shape};
  folder.Look(arguments.x);
  folder.Look(arguments.y);
  call->inputs[0] = folder.RowsOf(arguments.x);
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
  Status status = FirstFailure([&] { return CheckShape(shape); },
                               [&] { return CheckPointer("dw", arguments.dw, sizeof(float)); });
  if (!status.ok()) return status;
  call->rows = shape.tokens * shape.heads;
  call->dw = arguments.dw;
  call->accumulate = arguments.accumulate_dw;
  if (call->rows == 0) return Status::Ok();
  status = FirstFailure(
      [&] {
        return CheckTensor({"dy", &arguments.dy}, shape);
      },
      [&] {
        return CheckTensor({"h", &arguments.h}, shape);
      },
      [&] { return CheckPointer("w", arguments.w, kAlignment); },
      [&] { return CheckPointer("rstd", arguments.rstd, sizeof(float)); },
      [&] {
        return CheckTensor({"dx", &arguments.dx}, shape);
      },
      [&] { return CheckOutput("dx", arguments.dx, shape); });
  if (!status.ok()) return status;

  *in_place = IsSameTensor(arguments.dx, arguments.dy, shape);
  const NamedExtent dy{"dy", ExtentOf(arguments.dy, shape)};
  const NamedExtent h{"h", ExtentOf(arguments.h, shape)};
  const NamedExtent w{"w",
                      ExtentOf(arguments.w, shape.width, shape.weight == Dtype::kFp32 ? 4 : 2)};
  const NamedExtent rstd{"rstd", ExtentOf(arguments.rstd, call->rows, 4)};
  const NamedExtent dx{"dx", ExtentOf(arguments.dx, shape)};
  const NamedExtent dw{"dw", ExtentOf(arguments.dw, shape.width, 4)};
  const NamedExtent for_dx[] = {h, w, rstd, dw, dy};
  const NamedExtent for_dw[] = {dy, h, w, rstd};
  status =
      FirstFailure([&] { return CheckDisjoint(dx, std::span(for_dx).first(*in_place ? 4 : 5)); },
                   [&] { return CheckDisjoint(dw, for_dw); });
  if (!status.ok()) return status;

  Folder folder{shape};
  folder.Look(arguments.dy);
  folder.Look(arguments.h);
  folder.Look(arguments.dx);
  call->inputs[0] = folder.RowsOf(arguments.dy);
  call->inputs[1] = folder.RowsOf(arguments.h);
  call->dx = folder.RowsOf(arguments.dx);
  call->w = arguments.w;
  call->rstd = arguments.rstd;
  call->heads = folder.Heads();
  call->packed = folder.IsPacked(call->inputs[0]) && folder.IsPacked(call->inputs[1]);
  return Status::Ok();
}

Status ValidateWorkspace(const BackwardArguments& arguments, const void* workspace,
                         std::int64_t bytes) {
  const Status status = CheckPointer("workspace", workspace, kAlignment);
  if (!status.ok()) return status;
  const Shape& shape = arguments.shape;
  const NamedExtent others[] = {
      {"dy", ExtentOf(arguments.dy, shape)},
      {"h", ExtentOf(arguments.h, shape)},
      {"w", ExtentOf(arguments.w, shape.width, shape.weight == Dtype::kFp32 ? 4 : 2)},
      {"rstd", ExtentOf(arguments.rstd, shape.tokens * shape.heads, 4)},
      {"dx", ExtentOf(arguments.dx, shape)},
      {"dw", ExtentOf(arguments.dw, shape.width, 4)},
  };
  return CheckDisjoint({"workspace", ExtentOf(workspace, bytes, 1)}, others);
}

}  // namespace fenestra
