#include <fmt/format.h>

#include <algorithm>

#include "accuracy/eager_order.h"
#include "accuracy/error.h"
#include "accuracy/gpu/accuracy_gpu.h"
#include "accuracy/gpu/cuda_check.h"
#include "accuracy/gpu/partials.h"
#include "accuracy/reference.h"
#include "kernels/route.h"

namespace fenestra::gpu {

std::size_t EagerPartialBytes(std::int64_t rows, int width) {
  return static_cast<std::size_t>(eager::SplitsOf(rows)) * width * sizeof(float);
}

std::size_t ReferencePartialBytes(int width) {
  return std::size_t{2} * kReferenceChains * width * sizeof(double);
}

void CheckShape(const char* where, std::int64_t rows, int width) {
  if (rows >= 0 && rows <= kMaxRows && width > 0 && width % 8 == 0) return;
  throw Error(fmt::format("{}: {} x {}; give 0 to {} rows and a multiple of 8 columns", where, rows,
                          width, kMaxRows));
}

Workspace::Workspace(std::int64_t max_rows, int max_width)
    : bytes_(std::max(EagerPartialBytes(max_rows, max_width), ReferencePartialBytes(max_width))) {
  CheckShape("accuracy workspace", max_rows, max_width);
  CheckCuda(cudaMalloc(&data_, bytes_), "accuracy workspace");
}

Workspace::~Workspace() { (void)cudaFree(data_); }

void* Workspace::Take(std::size_t bytes) const {
  if (bytes <= bytes_) return data_;
  throw Error(
      fmt::format("accuracy workspace: {} bytes of {} needed; make it for more rows or "
                  "columns",
                  bytes_, bytes));
}

}  // namespace fenestra::gpu
