// How a program is launched: one entry per program and weight dtype. The kernels of one width are
// compiled in one translation unit (launch/width.cu), either all of them (the tuner's library) or
// those that a window names (the production library).
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/launch/call.h"
#include "kernels/program.h"
#include "kernels/status.h"

namespace fenestra::launch {

// What the compiler made of a program's main kernel.
struct KernelFacts {
  int registers = 0;     // per thread
  int spill_bytes = 0;   // local memory per thread
  int shared_bytes = 0;  // static and dynamic, per CTA
};

struct Entry {
  // Enqueue the program; nothing is allocated, synchronized or queried. Null in entries of the
  // other pass.
  Status (*forward)(const ForwardCall&, int sm_count, cudaStream_t) = nullptr;
  Status (*backward)(const BackwardCall&, int sm_count, cudaStream_t) = nullptr;
  // Once per device, with that device current: loads the kernels and raises their limits.
  Status (*prepare)() = nullptr;
  Status (*facts)(KernelFacts*) = nullptr;
};

// The entry of a program (index into kPrograms); null when it was not compiled in.
const Entry* FindEntry(int program, Dtype weight);

}  // namespace fenestra::launch
