// The reference: RMSNorm in FP64, on the host with Eigen. It shares no code with the programs, so
// kernels/arith is not used here; its twin on the GPU (accuracy/gpu/reference.cu) is written
// independently and gives the same bits of dw.
//
// All tensors are contiguous and row-major; BF16 tensors are given as their bits. Every function
// throws Error when a span has another size than stated.
#pragma once

#include <cstdint>
#include <span>

namespace fenestra {

// Chains that dw is summed in: row r belongs to chain r % kReferenceChains, rows ascending.
inline constexpr int kReferenceChains = 64;

// dw [width] = sum over rows of dy h rstd, for h and dy [rows, width] and the FP32 rstd [rows] that
// is asked about. Every term is exact in FP64. Each chain sums in double-double, renormalized at
// every step; then chain k takes in chain k + 32 for k < 32, then k + 16, and so on to one, which
// is rounded to FP64. No rows give zeros. A column with a non-finite term is not finite; which of
// infinity and NaN it is, is not promised.
void ReferenceDw(std::int64_t rows, int width, std::span<const std::uint16_t> h,
                 std::span<const std::uint16_t> dy, std::span<const float> rstd,
                 std::span<double> dw);

// h [n] = x + residual, added in FP32 and rounded to BF16 as the programs do.
void ReferenceResidual(std::span<const std::uint16_t> x, std::span<const std::uint16_t> residual,
                       std::span<std::uint16_t> h);

// rstd [rows] = 1 / sqrt(mean(h^2) + eps).
void ReferenceRstd(std::int64_t rows, int width, std::span<const std::uint16_t> h, double eps,
                   std::span<double> rstd);

// y [rows, width] = h rstd w, before its rounding to BF16, at the given rstd [rows]; w [width].
void ReferenceY(std::int64_t rows, int width, std::span<const std::uint16_t> h,
                std::span<const float> weight, std::span<const double> rstd, std::span<double> y);

// dx [rows, width] = rstd (g - n mean(g n)) with g = dy w and n = h rstd, plus residual_gradient
// [rows, width] where there is one (else an empty span), before its rounding to BF16.
void ReferenceDx(std::int64_t rows, int width, std::span<const std::uint16_t> h,
                 std::span<const std::uint16_t> dy, std::span<const float> weight,
                 std::span<const float> rstd, std::span<const std::uint16_t> residual_gradient,
                 std::span<double> dx);

}  // namespace fenestra
