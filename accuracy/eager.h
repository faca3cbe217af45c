// The comparator: a pinned FP32 model of the RMSNorm that PyTorch runs eagerly, on the host. Its
// twin on the GPU (accuracy/gpu/accuracy_gpu.h) has the same bits. Source: docs/protocol.md.
#pragma once

#include <cstdint>
#include <span>

namespace fenestra {

// rstd [rows] of h [rows, width], BF16 bits, contiguous: fl(1 / sqrt(fl(fl(sum h^2) fl(1 / width))
// + eps)) with kEps. `width` is a positive multiple of 4. Throws Error when a span has another
// size.
void EagerRstd(std::int64_t rows, int width, std::span<const std::uint16_t> h,
               std::span<float> rstd);

// dw [width]: column sums of fl(dy fl(h rstd)) over the rows. h and dy [rows, width], BF16 bits,
// contiguous; rstd [rows]. No rows give zeros. Throws Error when a span has another size.
void EagerDw(std::int64_t rows, int width, std::span<const std::uint16_t> h,
             std::span<const std::uint16_t> dy, std::span<const float> rstd, std::span<float> dw);

}  // namespace fenestra
