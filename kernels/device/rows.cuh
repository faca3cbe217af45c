// Addressing of rows and 16-byte vectors of BF16.
#pragma once

#include <cstdint>

#include "kernels/arith/row.h"
#include "kernels/launch/call.h"

namespace fenestra::device {

using arith::kVector;
using launch::Divisor;
using launch::Rows;

__device__ __forceinline__ std::uint16_t* RowOf(const Rows& rows, const Divisor& heads,
                                                std::int64_t row) {
  if (heads.value == 1) return rows.data + row * rows.token_pitch;
  const auto n = static_cast<std::uint32_t>(row);
  const std::uint32_t token = (__umulhi(heads.multiplier, n) + n) >> heads.shift;
  const std::uint32_t head = n - token * heads.value;
  return rows.data + token * rows.token_pitch + head * rows.head_pitch;
}

__device__ __forceinline__ void Unpack(const uint4& vector, float (&values)[kVector]) {
  const std::uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    values[2 * i] = __uint_as_float(words[i] << 16);
    values[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000U);
  }
}

__device__ __forceinline__ std::uint32_t PackPair(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

__device__ __forceinline__ uint4 Pack(const float (&values)[kVector]) {
  return make_uint4(PackPair(values[0], values[1]), PackPair(values[2], values[3]),
                    PackPair(values[4], values[5]), PackPair(values[6], values[7]));
}

__device__ __forceinline__ uint4 LoadVector(const std::uint16_t* pointer) {
  return *reinterpret_cast<const uint4*>(pointer);
}

__device__ __forceinline__ void StoreVector(std::uint16_t* pointer, const uint4& vector) {
  *reinterpret_cast<uint4*>(pointer) = vector;
}

// Eight weights, BF16 or FP32, as FP32.
__device__ __forceinline__ void LoadWeights(const std::uint16_t* w, float (&values)[kVector]) {
  Unpack(__ldg(reinterpret_cast<const uint4*>(w)), values);
}

__device__ __forceinline__ void LoadWeights(const float* w, float (&values)[kVector]) {
  const float4 low = __ldg(reinterpret_cast<const float4*>(w));
  const float4 high = __ldg(reinterpret_cast<const float4*>(w) + 1);
  values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
  values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
}

// dx of one vector, in place of dy.
__device__ __forceinline__ void Dx(const float (&h)[kVector], const float (&w)[kVector], float rstd,
                                   float mean, float (&dy)[kVector]) {
#pragma unroll
  for (int i = 0; i < kVector; ++i) dy[i] = arith::Dx(dy[i], h[i], w[i], rstd, mean);
}

__device__ __forceinline__ void DxWithResidual(const float (&h)[kVector], const float (&w)[kVector],
                                               float rstd, float mean, const uint4& gradient,
                                               float (&dy)[kVector]) {
  float g[kVector];
  Unpack(gradient, g);
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    dy[i] = arith::DxWithResidual(dy[i], h[i], w[i], rstd, mean, g[i]);
  }
}

}  // namespace fenestra::device
