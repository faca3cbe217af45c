#include "kernels/validate.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/overlap.h"

namespace fenestra {
namespace {

constexpr std::uintptr_t kAlignment = 16;
constexpr int kPitchUnit = 8;  // elements of BF16 in 16 bytes
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

// An input; `is_used`: the call's form has it.
Status CheckInput(const char* name, const Tensor& tensor, const Shape& shape, bool is_used = true) {
  if (!is_used) return Status::Ok();
  const Status status = CheckPointer(name, tensor.data, kAlignment);
  if (!status.ok()) return status;
  if (shape.tokens > 1 && tensor.token_pitch % kPitchUnit != 0) {
    return {StatusCode::kMisaligned, name, "token_pitch must be a multiple of 8 elements"};
  }
  if (shape.heads > 1 && tensor.head_pitch % kPitchUnit != 0) {
    return {StatusCode::kMisaligned, name, "head_pitch must be a multiple of 8 elements"};
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

Extent ExtentOfWeight(const void* w, const Shape& shape) {
  return ExtentOf(w, shape.width, shape.weight == Dtype::kFp32 ? 4 : 2);
}

bool IsSameTensor(const Tensor& a, const Tensor& b, const Shape& shape) {
  return a.data == b.data && (shape.tokens == 1 || a.token_pitch == b.token_pitch) &&
         (shape.heads == 1 || a.head_pitch == b.head_pitch);
}

// What an output must not share elements with.
class Others {
 public:
  void Add(const Extent& extent, bool unless = false) {
    if (!unless) extents_[count_++] = extent;
  }
  Status CheckApartFrom(const char* output, const Extent& extent) const {
    for (const Extent& other : std::span(extents_).first(count_)) {
      if (SharesElements(extent, other)) {
        return {StatusCode::kOverlap, output, "shares elements with another argument"};
      }
    }
    return Status::Ok();
  }

 private:
  std::array<Extent, 8> extents_;
  std::size_t count_ = 0;
};

Status CheckOutput(const char* name, const Tensor& tensor, const Shape& shape,
                   bool is_used = true) {
  const Status status = CheckInput(name, tensor, shape, is_used);
  if (!status.ok()) return status;
  if (is_used && OverlapsItself(ExtentOf(tensor, shape))) {
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
  const bool residual = shape.residual;
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
      [&] { return CheckInput("x", arguments.x, shape); },
      [&] { return CheckInput("residual", arguments.residual, shape, residual); },
      [&] { return CheckPointer("w", arguments.w, kAlignment); },
      [&] { return CheckOutput("y", arguments.y, shape); },
      [&] { return CheckOutput("residual_out", arguments.residual_out, shape, residual); },
      [&] { return CheckPointer("rstd", arguments.rstd, sizeof(float)); });
  if (!status.ok()) return status;

  *in_place = IsSameTensor(arguments.y, arguments.x, shape);
  const Extent x = ExtentOf(arguments.x, shape);
  const Extent residual_in = ExtentOf(arguments.residual, shape);
  const Extent residual_out = ExtentOf(arguments.residual_out, shape);
  const Extent w = ExtentOfWeight(arguments.w, shape);
  const Extent y = ExtentOf(arguments.y, shape);
  const Extent rstd = ExtentOf(arguments.rstd, call->rows, 4);
  Others than_y;
  than_y.Add(w);
  than_y.Add(rstd);
  than_y.Add(residual_in, !residual);
  than_y.Add(residual_out, !residual);
  than_y.Add(x, *in_place);
  Others than_residual_out;
  than_residual_out.Add(x);
  than_residual_out.Add(w);
  than_residual_out.Add(rstd);
  than_residual_out.Add(residual_in,
                        IsSameTensor(arguments.residual_out, arguments.residual, shape));
  Others than_rstd;
  than_rstd.Add(x);
  than_rstd.Add(residual_in, !residual);
  than_rstd.Add(w);
  status = FirstFailure([&] { return than_y.CheckApartFrom("y", y); },
                        [&] {
                          return residual ? than_residual_out.CheckApartFrom("residual_out",
                                                                             residual_out)
                                          : Status::Ok();
                        },
                        [&] { return than_rstd.CheckApartFrom("rstd", rstd); });
  if (!status.ok()) return status;

  Folder folder{shape};
  folder.Look(arguments.x);
  folder.Look(arguments.y);
  if (residual) {
    folder.Look(arguments.residual);
    folder.Look(arguments.residual_out);
    call->inputs[1] = folder.RowsOf(arguments.residual);
    call->residual_out = folder.RowsOf(arguments.residual_out);
  }
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
  const bool residual = shape.residual;
  *call = {};
  *in_place = false;
  Status status = FirstFailure([&] { return CheckShape(shape); },
                               [&] { return CheckPointer("dw", arguments.dw, sizeof(float)); });
  if (!status.ok()) return status;
  call->rows = shape.tokens * shape.heads;
  call->dw = arguments.dw;
  call->accumulate = arguments.accumulate_dw;
  if (call->rows == 0) return Status::Ok();
  const Tensor& gradient = arguments.residual_gradient;
  status = FirstFailure([&] { return CheckInput("dy", arguments.dy, shape); },
                        [&] { return CheckInput("h", arguments.h, shape); },
                        [&] { return CheckInput("residual_gradient", gradient, shape, residual); },
                        [&] { return CheckPointer("w", arguments.w, kAlignment); },
                        [&] { return CheckPointer("rstd", arguments.rstd, sizeof(float)); },
                        [&] { return CheckOutput("dx", arguments.dx, shape); });
  if (!status.ok()) return status;

  *in_place = IsSameTensor(arguments.dx, arguments.dy, shape);
  const Extent dy = ExtentOf(arguments.dy, shape);
  const Extent h = ExtentOf(arguments.h, shape);
  const Extent w = ExtentOfWeight(arguments.w, shape);
  const Extent rstd = ExtentOf(arguments.rstd, call->rows, 4);
  const Extent dw = ExtentOf(arguments.dw, shape.width, 4);
  Others than_dx;
  than_dx.Add(h);
  than_dx.Add(w);
  than_dx.Add(rstd);
  than_dx.Add(dw);
  than_dx.Add(dy, *in_place);
  than_dx.Add(ExtentOf(gradient, shape), !residual || IsSameTensor(arguments.dx, gradient, shape));
  Others than_dw;
  than_dw.Add(dy);
  than_dw.Add(h);
  than_dw.Add(ExtentOf(gradient, shape), !residual);
  than_dw.Add(w);
  than_dw.Add(rstd);
  status = FirstFailure([&] { return than_dx.CheckApartFrom("dx", ExtentOf(arguments.dx, shape)); },
                        [&] { return than_dw.CheckApartFrom("dw", dw); });
  if (!status.ok()) return status;

  Folder folder{shape};
  folder.Look(arguments.dy);
  folder.Look(arguments.h);
  folder.Look(arguments.dx);
  if (residual) {
    folder.Look(gradient);
    call->inputs[2] = folder.RowsOf(gradient);
  }
  call->inputs[0] = folder.RowsOf(arguments.dy);
  call->inputs[1] = folder.RowsOf(arguments.h);
  call->dx = folder.RowsOf(arguments.dx);
  call->w = arguments.w;
  call->rstd = arguments.rstd;
  call->heads = folder.Heads();
  call->packed = folder.IsPacked(call->inputs[0]) && folder.IsPacked(call->inputs[1]) &&
                 (!residual || folder.IsPacked(call->inputs[2]));
  return Status::Ok();
}

Status ValidateWorkspace(const BackwardArguments& arguments, const void* workspace,
                         std::int64_t bytes) {
  const Status status = CheckPointer("workspace", workspace, kAlignment);
  if (!status.ok()) return status;
  const Shape& shape = arguments.shape;
  Others others;
  others.Add(ExtentOf(arguments.dy, shape));
  others.Add(ExtentOf(arguments.h, shape));
  others.Add(ExtentOf(arguments.residual_gradient, shape), !shape.residual);
  others.Add(ExtentOfWeight(arguments.w, shape));
  others.Add(ExtentOf(arguments.rstd, shape.tokens * shape.heads, 4));
  others.Add(ExtentOf(arguments.dx, shape));
  others.Add(ExtentOf(arguments.dw, shape.width, 4));
  return others.CheckApartFrom("workspace", ExtentOf(workspace, bytes, 1));
}

}  // namespace fenestra
