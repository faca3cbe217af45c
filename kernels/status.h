// Outcome of a library call. Kernels and dispatch never throw and never allocate: a Status holds
// two pointers to string literals.
#pragma once

#include <string>

namespace fenestra {

// On-disk and ABI values: append only.
enum class StatusCode : int {
  kOk = 0,
  kNullPointer = 1,        // a required pointer is null
  kMisaligned = 2,         // a pointer or pitch breaks the alignment the kernels need
  kBadValue = 3,           // a number outside its range (rows, heads, pitch, eps)
  kNoRoute = 4,            // no program for this width, dtype or residual form
  kNoWindows = 5,          // the board has no window table and none may be borrowed
  kWorkspaceTooSmall = 6,  // see BackwardWorkspaceBytes
  kOverlap = 7,            // two tensors share elements in a way no program allows
  kWrongDevice = 8,        // a tensor does not live on the device (checked builds only)
  kCudaError = 9,          // the CUDA runtime refused; cuda_error holds its code
};

struct [[nodiscard]] Status {
  StatusCode code = StatusCode::kOk;
  const char* argument = "";  // name of the argument at fault, a string literal
  const char* reason = "";    // one clause, a string literal
  int cuda_error = 0;         // cudaError_t when code is kCudaError

  bool ok() const { return code == StatusCode::kOk; }
  static Status Ok() { return {}; }
};

const char* ToString(StatusCode code);

// "misaligned: dy: pitch must be a multiple of 8 elements". Allocates; for people and logs.
std::string ToString(const Status& status);

}  // namespace fenestra
