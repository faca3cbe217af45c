// Entries of one width, made from the list of programs.
#pragma once

#include <utility>

#include "kernels/device/bwd_dual.cuh"
#include "kernels/device/bwd_ring.cuh"
#include "kernels/device/fwd.cuh"
#include "kernels/launch/entry_table.h"
#ifdef FENESTRA_ROUTED_ONLY
#include "kernels/dispatch/routed.h"
#endif

namespace fenestra::launch {

inline Status CudaStatus(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return Status::Ok();
  return {StatusCode::kCudaError, "stream", what, static_cast<int>(error)};
}

template <typename Kernel>
Status RaiseSharedLimit(Kernel* kernel, int bytes) {
  return CudaStatus(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
      "raising a kernel's shared memory limit failed");
}

// Has the SMs that run the kernel set all the shared memory apart that they can.
template <typename Kernel>
Status AskForAllShared(Kernel* kernel) {
  return CudaStatus(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                         cudaSharedmemCarveoutMaxShared),
                    "asking for shared memory beside a kernel failed");
}

template <typename Kernel>
Status FactsOf(Kernel* kernel, int dynamic_bytes, KernelFacts* facts) {
  cudaFuncAttributes attributes{};
  const Status status = CudaStatus(cudaFuncGetAttributes(&attributes, kernel), "no such kernel");
  facts->registers = attributes.numRegs;
  facts->spill_bytes = static_cast<int>(attributes.localSizeBytes);
  facts->shared_bytes = static_cast<int>(attributes.sharedSizeBytes) + dynamic_bytes;
  return status;
}

// How a kernel follows the one before it in the stream; kEarly may start while that one ends, and
// waits by itself for what it needs of it.
enum class Follow : int { kAfter, kEarly };

// Every launch goes through here: the status is this launch's own, never one that an earlier call
// left behind.
template <typename... Parameters, typename... Arguments>
Status Launch(void (*kernel)(Parameters...), std::int64_t ctas, int threads, int shared_bytes,
              Follow follow, cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = follow == Follow::kEarly ? 1 : 0;
  return CudaStatus(cudaLaunchKernelEx(&config, kernel, arguments...), "kernel launch failed");
}

template <int kProgram, typename Weight>
struct BwdRingLauncher {
  static constexpr Program kP = kPrograms[kProgram];
  using Scheme = arith::SchemeOfProgram<kP>;
  using Reduce = arith::ReduceOf<kP.reduce_sum>;
  using Shape = device::BwdRingShape<kP.width, kP.threads, kP.warps_per_row, kP.rows, kP.stages,
                                     kP.loads, kP.residual, Scheme, kP.blocks>;
  static constexpr auto* kKernel =
      &device::BwdRingKernel<kP.width, kP.threads, kP.warps_per_row, kP.rows, kP.stages,
                             kP.ctas_per_sm, kP.loads, kP.residual, Scheme, kP.blocks, Reduce,
                             Weight>;
  static constexpr int kReduceColumns = arith::ReduceColumns(kP.reduce_form);
  // Whether the reduce is one that has its place beside the main kernel, on archs that leave
  // places.
  static constexpr bool kBeside = kReduceColumns == 1 && LeavesPlace(kP);
  // An SM has 228 KiB of shared memory, of which 1 KiB a CTA is reserved.
  static constexpr int kReserved = 1024;
  static constexpr int kReduceBytes =
      static_cast<int>(sizeof(device::ReduceTotals<Reduce, kReduceColumns>));
  static_assert(!kBeside ||
                    kP.ctas_per_sm * (Shape::kSharedBytes + Shape::kStaticBytes + kReserved) +
                            kReduceBytes + kReserved <=
                        228 * 1024,
                "the ring leaves the reduce no shared memory");
  static constexpr auto* kReduceKernel =
      &device::DwReduceKernel<kP.width, 32 * kP.warps_per_row, kP.ctas_per_sm, kBeside, Reduce,
                              kReduceColumns>;

  static Status Launch(const BackwardCall& call, int sm_count, cudaStream_t stream) {
    const int ctas = arith::RingCtas(kP, call.rows, sm_count);
    const Status status = launch::Launch(kKernel, ctas, kP.threads, Shape::kSharedBytes,
                                         Follow::kAfter, stream, call, kP.split);
    if (!status.ok()) return status;
    return launch::Launch(kReduceKernel, kP.width / (arith::kReduceLanes * kReduceColumns),
                          arith::kReduceGroups * arith::kReduceLanes, 0, Follow::kEarly, stream,
                          static_cast<const typename Reduce::Partial*>(call.workspace), ctas,
                          call.dw, call.accumulate);
  }
  static Status Prepare() {
    Status status = RaiseSharedLimit(kKernel, Shape::kSharedBytes);
    // Else an SM sets just as much shared memory apart as the main kernel asks for.
    if (status.ok() && kBeside) status = AskForAllShared(kKernel);
    return status.ok() ? RaiseSharedLimit(kReduceKernel, 0) : status;  // loads the reduce as well
  }
  static Status Facts(KernelFacts* facts) { return FactsOf(kKernel, Shape::kSharedBytes, facts); }
  static constexpr Entry kEntry{.backward = Launch, .prepare = Prepare, .facts = Facts};
};

template <int kProgram, typename Weight>
struct BwdDualLauncher {
  static constexpr Program kP = kPrograms[kProgram];
  static constexpr auto* kKernel =
      &device::BwdDualKernel<kP.width, kP.threads, kP.warps_per_row, kP.slab, kP.residual,
                             typename arith::SchemeOfProgram<kP>::Chain, Weight>;

  static Status Launch(const BackwardCall& call, int, cudaStream_t stream) {
    const std::int64_t ctas = kP.width / kP.slab + (call.rows + kP.groups() - 1) / kP.groups();
    return launch::Launch(kKernel, ctas, kP.threads, 0, Follow::kAfter, stream, call);
  }
  static Status Prepare() { return RaiseSharedLimit(kKernel, 0); }
  static Status Facts(KernelFacts* facts) { return FactsOf(kKernel, 0, facts); }
  static constexpr Entry kEntry{.backward = Launch, .prepare = Prepare, .facts = Facts};
};

template <int kProgram, typename Weight>
struct FwdDirectLauncher {
  static constexpr Program kP = kPrograms[kProgram];
  static constexpr auto* kKernel = &device::FwdDirectKernel<kP.width, kP.threads, kP.warps_per_row,
                                                            kP.rows, kP.residual, Weight>;

  static Status Launch(const ForwardCall& call, int, cudaStream_t stream) {
    const std::int64_t ctas = (call.rows + kP.tile_rows() - 1) / kP.tile_rows();
    return launch::Launch(kKernel, ctas, kP.threads, 0, Follow::kAfter, stream, call);
  }
  static Status Prepare() { return RaiseSharedLimit(kKernel, 0); }
  static Status Facts(KernelFacts* facts) { return FactsOf(kKernel, 0, facts); }
  static constexpr Entry kEntry{.forward = Launch, .prepare = Prepare, .facts = Facts};
};

constexpr bool IsCompiled(int program) {
#ifdef FENESTRA_ROUTED_ONLY
  return IsRouted(program);
#else
  return program >= 0;
#endif
}

template <int kWidth, int kProgram, typename Weight>
constexpr Entry EntryOf() {
  constexpr Program kP = kPrograms[kProgram];
  if constexpr (kP.width != kWidth || !IsCompiled(kProgram)) {
    return {};
  } else if constexpr (kP.structure == Structure::kDual) {
    return BwdDualLauncher<kProgram, Weight>::kEntry;
  } else if constexpr (kP.structure == Structure::kDirect) {
    return FwdDirectLauncher<kProgram, Weight>::kEntry;
  } else {
    return BwdRingLauncher<kProgram, Weight>::kEntry;
  }
}

template <int kWidth, typename Weight, int... kIndices>
constexpr EntryTable MakeEntries(std::integer_sequence<int, kIndices...>) {
  return {EntryOf<kWidth, kIndices, Weight>()...};
}

}  // namespace fenestra::launch
