// One call of a route on the GPU beside its outputs on the host, for the GPU tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "accuracy/host_model.h"
#include "accuracy/inputs.h"
#include "tuner/gpu/route_buffers.h"

namespace fenestra {

inline bool HasGpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

// Outputs of one call, packed [rows, width]; `small` is rstd (forward) or dw (backward).
struct Outputs {
  std::vector<std::uint16_t> rows;
  std::vector<float> small;
};

// The index of the first element that differs, NaNs counting as equal; -1 when none does.
template <typename T>
std::int64_t FirstDifference(const std::vector<T>& a, const std::vector<T>& b) {
  const auto is_nan = [](T value) {
    if constexpr (sizeof(T) == 2)
      return (value & 0x7fffU) > 0x7f80U;
    else
      return value != value;
  };
  if (a.size() != b.size()) return 0;
  if (std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) return -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_nan(a[i]) && is_nan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return static_cast<std::int64_t>(i);
  }
  return -1;
}

class GpuCase {
 public:
  GpuCase(int width, View view, std::int64_t tokens)
      : width_(width), view_(view), tokens_(tokens), buffers_(width, view, tokens) {
    x_ = Gather(buffers_.x);
    dy_ = Gather(buffers_.dy);
    rstd_ = ToHost(buffers_.rstd, rows());
    w32_ = ToHost(buffers_.w32, width);
    for (std::uint16_t bits : ToHost(buffers_.w16, width)) w16_.push_back(arith::FromBf16(bits));
  }

  std::int64_t rows() const { return tokens_ * HeadsOf(view_); }
  RouteBuffers& buffers() { return buffers_; }
  ForwardArguments Forward(Dtype weight) const { return buffers_.Forward(tokens_, weight); }
  BackwardArguments Backward(Dtype weight) const { return buffers_.Backward(tokens_, weight); }
  const std::vector<float>& WeightOf(Dtype dtype) const {
    return dtype == Dtype::kBf16 ? w16_ : w32_;
  }

  // Runs a program with the split of a board of sm_count SMs; outputs are poisoned first, and rstd,
  // which a forward overwrites, is what it was.
  Outputs RunOnGpu(int program, Pass pass, Dtype weight, int sm_count) {
    buffers_.PoisonOutputs(nullptr);
    CheckCuda(cudaMemcpy(buffers_.rstd.get(), rstd_.data(), rstd_.size() * sizeof(float),
                         cudaMemcpyHostToDevice),
              "restoring rstd");
    PrepareProgram(program, weight);
    if (pass == Pass::kForward) {
      buffers_.rstd.Poison(nullptr);
      RunProgram(program, sm_count, Forward(weight), nullptr);
    } else {
      RunProgram(program, sm_count, Backward(weight), &workspace_, nullptr);
    }
    return Read(pass);
  }

  // The outputs that the last call left on the GPU.
  Outputs Read(Pass pass) {
    CheckCuda(cudaDeviceSynchronize(), "running a program");
    return {Gather(buffers_.out),
            pass == Pass::kForward ? ToHost(buffers_.rstd, rows()) : ToHost(buffers_.dw, width_)};
  }

  Outputs RunHostModel(int program, Pass pass, Dtype weight, int sm_count, int threads) const {
    Outputs outputs;
    outputs.rows.resize(x_.size());
    if (pass == Pass::kForward) {
      outputs.small.resize(static_cast<std::size_t>(rows()));
      RunOnHost(program, sm_count, threads,
                HostForward{rows(), x_, WeightOf(weight), kEps, outputs.rows, outputs.small});
    } else {
      outputs.small.resize(static_cast<std::size_t>(width_));
      RunOnHost(program, sm_count, threads,
                HostBackward{.rows = rows(),
                             .dy = dy_,
                             .h = x_,
                             .w = WeightOf(weight),
                             .rstd = rstd_,
                             .dx = outputs.rows,
                             .dw = outputs.small});
    }
    return outputs;
  }

 private:
  template <typename T>
  static std::vector<T> ToHost(const DeviceArray<T>& array, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    CheckCuda(
        cudaMemcpy(values.data(), array.get(), values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "reading back");
    return values;
  }

  // Rows of the view, packed.
  std::vector<std::uint16_t> Gather(const DeviceArray<std::uint16_t>& array) const {
    const Tensor pitches = PitchesOf(view_, width_);
    auto storage = ToHost(array, StorageOf(view_, width_, tokens_));
    if (view_ != View::kQuery) return storage;
    std::vector<std::uint16_t> packed;
    packed.reserve(static_cast<std::size_t>(rows() * width_));
    for (std::int64_t row = 0; row < rows(); ++row) {
      const std::int64_t token = row / HeadsOf(view_);
      const std::int64_t head = row % HeadsOf(view_);
      const auto start = storage.begin() + token * pitches.token_pitch + head * pitches.head_pitch;
      packed.insert(packed.end(), start, start + width_);
    }
    return packed;
  }

  int width_;
  View view_;
  std::int64_t tokens_;
  RouteBuffers buffers_;
  DeviceArray<unsigned char> workspace_;
  std::vector<std::uint16_t> x_, dy_;
  std::vector<float> rstd_, w32_, w16_;
};

}  // namespace fenestra
