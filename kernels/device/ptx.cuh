// The PTX this library uses by name: mbarriers, bulk copies, named barriers, programmatic launch.
// Plain sm_90 features all. Source: PTX ISA 8.0 and later.
#pragma once

#include <cstdint>

namespace fenestra::ptx {

__device__ __forceinline__ std::uint32_t SharedAddress(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void InitBarrier(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(barrier)),
               "r"(arrivals));
}

// Makes initialised barriers visible to the copy engine.
__device__ __forceinline__ void FenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void ArriveExpecting(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SharedAddress(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void Arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SharedAddress(barrier)) : "memory");
}

__device__ __forceinline__ void WaitBarrier(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "wait:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra finish;\n"
      "bra wait;\n"
      "finish:\n"
      "}" ::"r"(SharedAddress(barrier)),
      "r"(parity)
      : "memory");
}

// Global to shared, completing on the barrier. 16-byte aligned addresses and size.
__device__ __forceinline__ void BulkLoad(void* shared, const void* global, std::uint32_t bytes,
                                         std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(SharedAddress(shared)),
      "l"(global), "r"(bytes), "r"(SharedAddress(barrier))
      : "memory");
}

// 16 bytes, global to shared, past L1.
__device__ __forceinline__ void AsyncLoad16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SharedAddress(shared)), "l"(global)
               : "memory");
}

// Closes the group of this thread's async loads since the last one.
__device__ __forceinline__ void CommitAsync() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most kPending of this thread's groups are still under way.
template <int kPending>
__device__ __forceinline__ void WaitAsync() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Named barrier over `threads` threads of the CTA; id 0 is __syncthreads.
__device__ __forceinline__ void SyncNamed(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Counts this warp as come to a named barrier, and goes on.
__device__ __forceinline__ void ArriveNamed(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Lets a kernel launched with programmatic stream serialization start.
__device__ __forceinline__ void ReleaseDependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Waits until the kernel before has ended and its writes are visible.
__device__ __forceinline__ void WaitForPrimary() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace fenestra::ptx
