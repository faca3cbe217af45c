// The arithmetic of one row, in the order every program uses: a lane's own columns, the lanes of a
// warp, the warps that share the row. Kernels hold a warp's 32 values in one register each; the
// host model holds them in an array (HostLanes). Everything else is the same code.
#pragma once

#include "kernels/arith/scalar.h"

namespace fenestra::arith {

// Columns are dealt in vectors of 8 (16 bytes of BF16): vector v of lane t, of `lanes` that share
// the row, starts at column 8 * (v * lanes + t).
inline constexpr int kVector = 8;

FENESTRA_HD constexpr int VectorColumn(int vector, int lane, int lanes) {
  return kVector * (vector * lanes + lane);
}

// A warp's values on the CPU.
struct HostLanes {
  float value[32];
};

#ifdef __CUDACC__
__device__ __forceinline__ float AddXor(float value, int mask) {
  return Add(value, __shfl_xor_sync(0xffffffffU, value, mask));
}
#endif

inline HostLanes AddXor(const HostLanes& lanes, int mask) {
  HostLanes sum;
  for (int i = 0; i < 32; ++i) sum.value[i] = Add(lanes.value[i], lanes.value[i ^ mask]);
  return sum;
}

// The sum of a warp's values, the same bits in every lane (FP addition commutes).
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <typename Lanes>
FENESTRA_HD Lanes ButterflySum(Lanes lanes) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int mask = 16; mask > 0; mask /= 2) lanes = AddXor(lanes, mask);
  return lanes;
}

// Pairwise tree over the first kCount values: halves are combined until one is left; an odd one out
// waits a level. Overwrites them. Recursive, so that the values stay in registers.
template <int kCount, typename Value, typename Combine>
FENESTRA_HD Value TreeOf(Value* values, const Combine& combine) {
  if constexpr (kCount == 1) {
    return values[0];
  } else {
    constexpr int kHalf = (kCount + 1) / 2;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < kCount / 2; ++i) values[i] = combine(values[i], values[i + kHalf]);
    return TreeOf<kHalf>(values, combine);
  }
}

struct AddValues {
  template <typename Real>
  FENESTRA_HD Real operator()(Real a, Real b) const {
    return Add(a, b);
  }
};
template <int kCount, typename Real>
FENESTRA_HD Real TreeSum(Real* values) {
  return TreeOf<kCount>(values, AddValues{});
}

// One lane's share of sum(h * h), over one vector: `sum` carries from vector to vector.
FENESTRA_HD float SquareSum(const float* h, float sum) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int i = 0; i < kVector; ++i) sum = Fma(h[i], h[i], sum);
  return sum;
}

// One lane's share of sum(dy * h * w); dy * h is exact.
FENESTRA_HD float DotSum(const float* dy, const float* h, const float* w, float sum) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int i = 0; i < kVector; ++i) sum = Fma(Mul(dy[i], h[i]), w[i], sum);
  return sum;
}

// rstd = 1 / sqrt(square_sum / width + eps).
FENESTRA_HD float Rstd(float square_sum, float inverse_width, float eps) {
  return Rsqrt(Add(Mul(square_sum, inverse_width), eps));
}

FENESTRA_HD float Y(float h, float rstd, float w) { return Mul(Mul(h, rstd), w); }

// The row's mean(dy * w * x_hat), x_hat = h * rstd.
FENESTRA_HD float RowMean(float dot, float inverse_width, float rstd) {
  return Mul(Mul(dot, inverse_width), rstd);
}

// dx = rstd * (dy * w - x_hat * row_mean). x_hat is formed first, so that neither rstd^2 nor rstd^3
// can overflow where dx itself does not.
FENESTRA_HD float Dx(float dy, float h, float w, float rstd, float row_mean) {
  return Mul(rstd, Fma(-Mul(h, rstd), row_mean, Mul(dy, w)));
}

// The same, added to the gradient of residual out before the one rounding to BF16.
FENESTRA_HD float DxWithResidual(float dy, float h, float w, float rstd, float row_mean,
                                 float residual_gradient) {
  return Fma(rstd, Fma(-Mul(h, rstd), row_mean, Mul(dy, w)), residual_gradient);
}

}  // namespace fenestra::arith
