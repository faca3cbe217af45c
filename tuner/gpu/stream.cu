#include <string>

#include "accuracy/error.h"
#include "accuracy/gpu/cuda_check.h"
#include "tuner/gpu/stream.h"

namespace fenestra {
namespace {

constexpr int kThreads = 512;
constexpr int kUnroll = 2;  // 16-byte vectors per thread and tensor

template <int kReads, int kWrites>
__global__ void __launch_bounds__(kThreads) StreamKernel(const __grid_constant__ StreamCall call) {
  const std::int64_t vectors = call.bytes / 16;
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads * kUnroll + threadIdx.x;
  uint4 values[kUnroll][kReads];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t i = first + u * kThreads;
    if (i >= vectors) break;
#pragma unroll
    for (int r = 0; r < kReads; ++r) values[u][r] = static_cast<const uint4*>(call.in[r])[i];
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t i = first + u * kThreads;
    if (i >= vectors) break;
    uint4 sum = values[u][0];
#pragma unroll
    for (int r = 1; r < kReads; ++r) {
      sum.x ^= values[u][r].x, sum.y ^= values[u][r].y;
      sum.z ^= values[u][r].z, sum.w ^= values[u][r].w;
    }
#pragma unroll
    for (int w = 0; w < kWrites; ++w) static_cast<uint4*>(call.out[w])[i] = sum;
  }
}

__global__ void __launch_bounds__(kThreads) WriteKernel(uint4* buffer, std::int64_t vectors) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < vectors) buffer[i] = make_uint4(1, 2, 3, static_cast<unsigned>(i));
}

__global__ void __launch_bounds__(kThreads) ReadKernel(uint4* buffer, std::int64_t vectors) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= vectors) return;
  const uint4 value = __ldcv(buffer + i);
  // Never true: keeps the load.
  if (value.x == 0xffffffffU) buffer[i] = make_uint4(0, 0, 0, 0);
}

}  // namespace

void LaunchStream(const StreamCall& call, cudaStream_t stream) {
  const std::int64_t per_cta = std::int64_t{kThreads} * kUnroll * 16;
  const auto ctas = static_cast<unsigned>((call.bytes + per_cta - 1) / per_cta);
  switch (call.reads * 10 + call.writes) {
    case 11:
      StreamKernel<1, 1><<<ctas, kThreads, 0, stream>>>(call);
      break;
    case 21:
      StreamKernel<2, 1><<<ctas, kThreads, 0, stream>>>(call);
      break;
    case 22:
      StreamKernel<2, 2><<<ctas, kThreads, 0, stream>>>(call);
      break;
    case 31:
      StreamKernel<3, 1><<<ctas, kThreads, 0, stream>>>(call);
      break;
    default:
      throw Error("no streaming kernel of " + std::to_string(call.reads) + " reads and " +
                  std::to_string(call.writes) + " writes");
  }
  CheckLaunch("launching the streaming kernel");
}

ColdL2::ColdL2() {
  int device = 0;
  int l2_bytes = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device),
            "reading the L2 size");
  bytes_ = std::int64_t{2} * l2_bytes / 16 * 16;
  CheckCuda(cudaMalloc(&buffer_, static_cast<std::size_t>(bytes_)),
            "allocating the cold L2 buffer");
}

ColdL2::~ColdL2() { (void)cudaFree(buffer_); }

void ColdL2::Flush(cudaStream_t stream) {
  const std::int64_t vectors = bytes_ / 16;
  const auto ctas = static_cast<unsigned>((vectors + kThreads - 1) / kThreads);
  WriteKernel<<<ctas, kThreads, 0, stream>>>(static_cast<uint4*>(buffer_), vectors);
  CheckLaunch("writing past the L2");
  ReadKernel<<<ctas, kThreads, 0, stream>>>(static_cast<uint4*>(buffer_), vectors);
  CheckLaunch("reading past the L2");
}

}  // namespace fenestra
