#include "kernels/status.h"

namespace fenestra {

const char* ToString(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kNullPointer:
      return "null pointer";
    case StatusCode::kMisaligned:
      return "misaligned";
    case StatusCode::kBadValue:
      return "bad value";
    case StatusCode::kNoRoute:
      return "no route";
    case StatusCode::kNoWindows:
      return "no windows";
    case StatusCode::kWorkspaceTooSmall:
      return "workspace too small";
    case StatusCode::kOverlap:
      return "overlap";
    case StatusCode::kWrongDevice:
      return "wrong device";
    case StatusCode::kCudaError:
      return "CUDA error";
  }
  return "unknown status";
}

std::string ToString(const Status& status) {
  std::string text = ToString(status.code);
  if (status.ok()) return text;
  text.append(": ").append(status.argument).append(": ").append(status.reason);
  if (status.code == StatusCode::kCudaError) {
    text.append(" (cudaError_t ").append(std::to_string(status.cuda_error)).append(")");
  }
  return text;
}

}  // namespace fenestra
