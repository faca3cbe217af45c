// Return codes of the CUDA runtime in the tools.
#pragma once

#include <cuda_runtime_api.h>

namespace fenestra {

// Throws Error (ExitCode::kMachine) naming `what` unless error is cudaSuccess.
void CheckCuda(cudaError_t error, const char* what);

// The same for the launch just made.
void CheckLaunch(const char* what);

}  // namespace fenestra
