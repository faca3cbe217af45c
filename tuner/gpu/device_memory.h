// Device memory owned by scope.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

#include "accuracy/gpu/cuda_check.h"

namespace fenestra {

// `count` elements of T on the current device; throws Error when there is no room.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::int64_t count) : count_(count) {
    CheckCuda(cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(T)),
              "allocating device memory");
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  // Room for at least `count` elements; what was held is lost when it grows.
  void Reserve(std::int64_t count) {
    if (count <= count_) return;
    (void)cudaFree(data_);
    data_ = nullptr;
    count_ = 0;
    CheckCuda(cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(T)),
              "allocating device memory");
    count_ = count;
  }

  // Every byte 0xff: a NaN in BF16 and FP32, so that an element nobody wrote shows.
  void Poison(cudaStream_t stream) {
    CheckCuda(cudaMemsetAsync(data_, 0xff, static_cast<std::size_t>(count_) * sizeof(T), stream),
              "poisoning an output");
  }

  T* get() const { return static_cast<T*>(data_); }
  std::int64_t count() const { return count_; }

 private:
  void* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace fenestra
