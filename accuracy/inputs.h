// Seeded inputs on the host. Source of the families: docs/protocol.md.
#pragma once

#include <cstdint>
#include <span>

#include "accuracy/input_draw.h"
#include "accuracy/protocol.h"

namespace fenestra {

struct InputSpec {
  Family family = Family::kNormal;
  std::int64_t seed = 0;
  std::int64_t rows = 0;  // 0 .. kMaxRows
  int width = 0;          // a positive multiple of 8; kOutlier beyond 256: of 128
};

// Throws Error when the specification is outside the ranges above.
InputDraw MakeDraw(const InputSpec& spec);

// Fills h and dy, each [rows, width] contiguous, as BF16 bits. In the normal and outlier families a
// row does not depend on spec.rows, so one fill of the largest row count serves all smaller ones;
// in the cancelling family it does. Throws Error when a span has another size.
void FillInputs(const InputSpec& spec, std::span<std::uint16_t> h, std::span<std::uint16_t> dy);

// The same for rows first .. first+count-1 of the input alone: h and dy are [count, width]. Lets
// threads share a fill, or a caller hold a part of it.
void FillInputRows(const InputSpec& spec, std::int64_t first, std::int64_t count,
                   std::span<std::uint16_t> h, std::span<std::uint16_t> dy);

// Weights [width]: 1 + 0.1 x normal in FP32, and the same rounded to BF16 bits. Throws Error when
// either span is not `width` long.
void FillWeight(std::int64_t seed, int width, std::span<float> w32, std::span<std::uint16_t> w16);

}  // namespace fenestra
