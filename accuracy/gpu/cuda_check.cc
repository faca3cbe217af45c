#include "accuracy/gpu/cuda_check.h"

#include <fmt/format.h>

#include "accuracy/error.h"

namespace fenestra {

void CheckCuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw Error(fmt::format("{}: {}", what, cudaGetErrorString(error)), ExitCode::kMachine);
}

void CheckLaunch(const char* what) { CheckCuda(cudaGetLastError(), what); }

}  // namespace fenestra
