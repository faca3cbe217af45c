// One call of a route on the GPU beside its outputs on the host, for the GPU tests.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "accuracy/host_model.h"
#include "accuracy/inputs.h"
#include "kernels/program_list.h"
#include "tuner/gpu/route_buffers.h"

namespace fenestra {

inline bool HasGpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

// Outputs of one call, packed [rows, width]: `rows` is y or dx, `small` is rstd (forward) or dw
// (backward); `residual_out` is empty but after a forward with residual.
struct Outputs {
  std::vector<std::uint16_t> rows;
  std::vector<float> small;
  std::vector<std::uint16_t> residual_out = {};
};

// The index of the first element that differs, NaNs counting as equal; -1 when none does.
template <typename T>
std::int64_t FirstDifference(const std::vector<T>& a, const std::vector<T>& b) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  constexpr Bits kInfinity = sizeof(T) == 2 ? 0x7f80U : 0x7f800000U;
  const auto is_nan = [](Bits bits) { return static_cast<Bits>(bits << 1U) > kInfinity * 2U; };
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto in_a = std::bit_cast<Bits>(a[i]);
    const auto in_b = std::bit_cast<Bits>(b[i]);
    if (in_a != in_b && !(is_nan(in_a) && is_nan(in_b))) return static_cast<std::int64_t>(i);
  }
  return -1;
}

// Holds what both forms of a call need; a program picks its own.
class GpuCase {
 public:
  GpuCase(int width, View view, std::int64_t tokens)
      : width_(width), view_(view), tokens_(tokens), buffers_(width, view, tokens, true) {
    x_ = Gather(buffers_.x);
    dy_ = Gather(buffers_.dy);
    residual_ = Gather(buffers_.residual);
    residual_gradient_ = Gather(buffers_.residual_gradient);
    rstd_ = ToHost(buffers_.rstd, rows());
    w32_ = ToHost(buffers_.w32, width);
    for (std::uint16_t bits : ToHost(buffers_.w16, width)) w16_.push_back(arith::FromBf16(bits));
  }

  // Overwrites an element of dy and of h (x in the forward), as BF16 bits; View::kRows alone.
  void Set(std::int64_t row, int column, std::uint16_t dy, std::uint16_t h) {
    if (view_ != View::kRows) throw std::logic_error("GpuCase::Set knows View::kRows alone");
    const auto element = static_cast<std::size_t>(row * width_ + column);
    dy_[element] = dy;
    x_[element] = h;
    for (const auto& [array, bits] : {std::pair(buffers_.dy.get(), dy), {buffers_.x.get(), h}}) {
      CheckCuda(cudaMemcpy(array + element, &bits, sizeof bits, cudaMemcpyHostToDevice),
                "setting an element");
    }
  }

  // Makes a column's weight 0, of both dtypes.
  void ClearWeight(int column) {
    const auto at = static_cast<std::size_t>(column);
    w32_[at] = w16_[at] = 0;
    CheckCuda(cudaMemset(buffers_.w32.get() + at, 0, sizeof(float)), "clearing a weight");
    CheckCuda(cudaMemset(buffers_.w16.get() + at, 0, sizeof(std::uint16_t)), "clearing a weight");
  }

  std::int64_t rows() const { return tokens_ * HeadsOf(view_); }
  RouteBuffers& buffers() { return buffers_; }
  ForwardArguments Forward(Dtype weight, bool residual) const {
    ForwardArguments arguments = buffers_.Forward(tokens_, weight);
    arguments.shape.residual = residual;
    return arguments;
  }
  BackwardArguments Backward(Dtype weight, bool residual) const {
    BackwardArguments arguments = buffers_.Backward(tokens_, weight);
    arguments.shape.residual = residual;
    return arguments;
  }
  const std::vector<float>& WeightOf(Dtype dtype) const {
    return dtype == Dtype::kBf16 ? w16_ : w32_;
  }

  // Runs a program with the split of a board of sm_count SMs; outputs are poisoned first, and rstd,
  // which a forward overwrites, is what it was.
  Outputs RunOnGpu(int index, Dtype weight, int sm_count) {
    const Program& program = ProgramAt(index);
    CheckCuda(cudaMemcpy(buffers_.rstd.get(), rstd_.data(), rstd_.size() * sizeof(float),
                         cudaMemcpyHostToDevice),
              "restoring rstd");
    buffers_.PoisonOutputs(program.pass, nullptr);
    PrepareProgram(index, weight);
    if (program.pass == Pass::kForward) {
      RunProgram(index, sm_count, Forward(weight, program.residual), nullptr);
    } else {
      RunProgram(index, sm_count, Backward(weight, program.residual), &workspace_, nullptr);
    }
    return Read(program.pass, program.residual);
  }

  // The outputs that the last call left on the GPU.
  Outputs Read(Pass pass, bool residual) {
    CheckCuda(cudaDeviceSynchronize(), "running a program");
    if (pass == Pass::kBackward) return {Gather(buffers_.out), ToHost(buffers_.dw, width_)};
    Outputs outputs{Gather(buffers_.out), ToHost(buffers_.rstd, rows())};
    if (residual) outputs.residual_out = Gather(buffers_.residual_out);
    return outputs;
  }

  // `dw`: what a backward adds to; without it dw is written.
  Outputs RunHostModel(int index, Dtype weight, int sm_count, int threads,
                       std::span<const float> dw = {}) const {
    using Bits = std::span<const std::uint16_t>;
    const Program& program = ProgramAt(index);
    Outputs outputs;
    outputs.rows.resize(x_.size());
    if (program.pass == Pass::kForward) {
      outputs.small.resize(static_cast<std::size_t>(rows()));
      if (program.residual) outputs.residual_out.resize(x_.size());
      RunOnHost(index, sm_count, threads,
                HostForward{.rows = rows(),
                            .x = x_,
                            .w = WeightOf(weight),
                            .eps = kEps,
                            .y = outputs.rows,
                            .rstd = outputs.small,
                            .residual = program.residual ? Bits(residual_) : Bits(),
                            .residual_out = outputs.residual_out});
    } else {
      outputs.small.assign(dw.begin(), dw.end());
      outputs.small.resize(static_cast<std::size_t>(width_));
      RunOnHost(
          index, sm_count, threads,
          HostBackward{.rows = rows(),
                       .dy = dy_,
                       .h = x_,
                       .w = WeightOf(weight),
                       .rstd = rstd_,
                       .dx = outputs.rows,
                       .dw = outputs.small,
                       .accumulate = !dw.empty(),
                       .residual_gradient = program.residual ? Bits(residual_gradient_) : Bits()});
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
  std::vector<std::uint16_t> x_, dy_, residual_, residual_gradient_;
  std::vector<float> rstd_, w32_, w16_;
};

}  // namespace fenestra
