// Scalar steps with stated rounding, the same bits on GPU and CPU. Everything the programs compute
// is built from these, so that a loop on the CPU can follow a kernel bit for bit: no contraction,
// no fast-math, no rsqrtf. Host code that includes this is compiled with -ffp-contract=off and, on
// x86-64, -mfma.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define FENESTRA_HD __host__ __device__ __forceinline__
#else
#define FENESTRA_HD inline __attribute__((always_inline))
#endif

namespace fenestra::arith {

#ifdef __CUDA_ARCH__
FENESTRA_HD float Add(float a, float b) { return __fadd_rn(a, b); }
FENESTRA_HD float Sub(float a, float b) { return __fsub_rn(a, b); }
FENESTRA_HD float Mul(float a, float b) { return __fmul_rn(a, b); }
FENESTRA_HD float Fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
FENESTRA_HD double Add(double a, double b) { return __dadd_rn(a, b); }
FENESTRA_HD double Sub(double a, double b) { return __dsub_rn(a, b); }
FENESTRA_HD double Mul(double a, double b) { return __dmul_rn(a, b); }
FENESTRA_HD double Fma(double a, double b, double c) { return __fma_rn(a, b, c); }
FENESTRA_HD float Div(float a, float b) { return __fdiv_rn(a, b); }
FENESTRA_HD double Div(double a, double b) { return __ddiv_rn(a, b); }
FENESTRA_HD float ToFloat(double a) { return __double2float_rn(a); }
FENESTRA_HD float Rsqrt(float a) { return __frsqrt_rn(a); }
FENESTRA_HD float FloatOf(std::uint32_t bits) { return __uint_as_float(bits); }
FENESTRA_HD std::uint32_t BitsOf(float a) { return __float_as_uint(a); }
// FP64 of which the lower 32 bits are 0.
FENESTRA_HD double DoubleOf(std::uint32_t high) {
  return __hiloint2double(static_cast<int>(high), 0);
}
#else
FENESTRA_HD float Add(float a, float b) { return a + b; }
FENESTRA_HD float Sub(float a, float b) { return a - b; }
FENESTRA_HD float Mul(float a, float b) { return a * b; }
FENESTRA_HD float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FENESTRA_HD double Add(double a, double b) { return a + b; }
FENESTRA_HD double Sub(double a, double b) { return a - b; }
FENESTRA_HD double Mul(double a, double b) { return a * b; }
FENESTRA_HD double Fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
FENESTRA_HD float Div(float a, float b) { return a / b; }
FENESTRA_HD double Div(double a, double b) { return a / b; }
FENESTRA_HD float ToFloat(double a) { return static_cast<float>(a); }
// 1 / sqrt(x) in double, rounded to float, equals the correctly rounded reciprocal square root for
// every float significand and exponent parity (checked exhaustively; see docs/numerics.md).
FENESTRA_HD float Rsqrt(float a) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)));
}
FENESTRA_HD float FloatOf(std::uint32_t bits) {
  float a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}
FENESTRA_HD std::uint32_t BitsOf(float a) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}
FENESTRA_HD double DoubleOf(std::uint32_t high) {
  const std::uint64_t bits = static_cast<std::uint64_t>(high) << 32;
  double a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}
#endif

FENESTRA_HD bool IsFinite(float a) { return (BitsOf(a) & 0x7f800000U) != 0x7f800000U; }

// a / kWidenScale in FP64, of a finite FP32 number: its sign, and the rest moved from FP32's place
// to FP64's, where the exponent is then too small by the difference of the biases. Exact up to 21
// significant bits, so for every product of two BF16 values that is not subnormal; the three lowest
// bits of others are dropped.
inline constexpr double kWidenScale = 0x1p896;
FENESTRA_HD double WidenScaled(float a) {
  return DoubleOf(static_cast<std::uint32_t>(static_cast<std::int32_t>(BitsOf(a)) >> 3) &
                  0x8fffffffU);
}

// BF16 as its 16 bits.
FENESTRA_HD float FromBf16(std::uint16_t bits) {
  return FloatOf(static_cast<std::uint32_t>(bits) << 16);
}

// Round to nearest even; every NaN becomes 0x7fff, as cvt.rn.bf16 has it.
FENESTRA_HD std::uint16_t ToBf16(float a) {
#ifdef __CUDA_ARCH__
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(a));
  return bits;
#else
  const std::uint32_t bits = BitsOf(a);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fffU;
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
#endif
}

}  // namespace fenestra::arith
