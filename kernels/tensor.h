// Arguments of the library's calls.
#pragma once

#include <cstdint>

#include "kernels/route.h"

namespace fenestra {

// A BF16 tensor [tokens][heads][width] in device memory: 16-byte aligned, pitches in elements and
// multiples of 8 (so that every row is 16-byte aligned), the last dimension contiguous. The pitch
// of a dimension of extent 1 is not looked at. Inputs are not written through `data`.
struct Tensor {
  void* data = nullptr;
  std::int64_t token_pitch = 0;
  std::int64_t head_pitch = 0;
};

// What a call normalizes: rows = tokens * heads, row r being head r % heads of token r / heads.
struct Shape {
  std::int64_t tokens = 0;
  int heads = 1;
  int width = 0;
  Dtype weight = Dtype::kBf16;
  Determinism determinism = Determinism::kDeterministic;
  bool residual = false;  // the residual forms of both passes
};

// y = bf16(h * rstd * w), rstd = 1 / sqrt(mean(h^2) + eps) in FP32, of h = x, or in the residual
// form h = bf16(x + residual), which is written to residual_out. y may be x itself, and
// residual_out may be residual (same pointer and pitches); no other sharing of elements is allowed.
struct ForwardArguments {
  Shape shape;
  Tensor x;
  Tensor residual = {};      // residual form only
  Tensor residual_out = {};  // residual form only
  const void* w = nullptr;   // [width] of shape.weight, 16-byte aligned
  Tensor y;
  float* rstd = nullptr;  // [rows]
  float eps = 0;          // finite, not negative
};

// dx = rstd * (dy w - n mean(dy w n)) with n = h rstd, and dw = sum over rows of dy n in FP32. In
// the residual form the gradient of residual out is added to dx before it is rounded. dx may be dy
// or residual_gradient itself (same pointer and pitches); no other sharing of elements is allowed.
struct BackwardArguments {
  Shape shape;
  Tensor dy;
  Tensor h;                       // what the forward normalized: its x, or its residual_out
  Tensor residual_gradient = {};  // residual form only: the gradient of residual out
  const void* w = nullptr;
  const float* rstd = nullptr;  // [rows], from the forward
  Tensor dx;
  float* dw = nullptr;         // [width]
  bool accumulate_dw = false;  // add to dw instead of writing it
};

}  // namespace fenestra
