// Tensors of one route and view on the GPU, and calls of single programs on them: what timing,
// accuracy and edge comparison share.
#pragma once

#include "kernels/tensor.h"
#include "tuner/gpu/device_memory.h"
#include "tuner/gpu/stream.h"

namespace fenestra {

// The arrays hold whole storage, gaps between rows included. Outputs are separate from inputs.
class RouteBuffers {
 public:
  // Room for `tokens` tokens of the view; inputs are those of seed 0 of the normal family. What the
  // residual stream adds (residual in the forward, its gradient in the backward) is h and dy of
  // seed 1.
  RouteBuffers(int width, View view, std::int64_t tokens, bool residual);

  // The call of a program on the first `tokens` tokens.
  ForwardArguments Forward(std::int64_t tokens, Dtype weight) const;
  BackwardArguments Backward(std::int64_t tokens, Dtype weight) const;

  // The streaming kernel that moves the bytes of that call (packed, whatever the view).
  StreamCall Floor(Pass pass, std::int64_t tokens) const;

  // Makes what a call of the pass writes NaNs: y, rstd and residual out, or dx and dw.
  void PoisonOutputs(Pass pass, cudaStream_t stream);

  std::int64_t rows(std::int64_t tokens) const { return tokens * HeadsOf(view_); }

  DeviceArray<std::uint16_t> x;  // h in the backward
  DeviceArray<std::uint16_t> dy;
  DeviceArray<std::uint16_t> out;  // y or dx
  // Residual form only.
  DeviceArray<std::uint16_t> residual;
  DeviceArray<std::uint16_t> residual_gradient;
  DeviceArray<std::uint16_t> residual_out;
  DeviceArray<float> rstd;  // input of the backward, output of the forward
  DeviceArray<float> dw;
  DeviceArray<float> w32;
  DeviceArray<std::uint16_t> w16;

 private:
  Tensor TensorOf(const DeviceArray<std::uint16_t>& array) const;
  Shape ShapeOf(std::int64_t tokens, Dtype weight) const;
  const void* Weight(Dtype weight) const;

  int width_;
  View view_;
  bool residual_;
};

// Pitches of a view's tensors, in elements, and the elements that `tokens` tokens take.
Tensor PitchesOf(View view, int width);
std::int64_t StorageOf(View view, int width, std::int64_t tokens);

// Runs one program with the row split of a board of `sm_count` SMs. `workspace` grows as needed
// (before the launch). Throws Error with the library's status when it is refused.
void RunProgram(int program, int sm_count, const ForwardArguments& arguments, cudaStream_t stream);
void RunProgram(int program, int sm_count, const BackwardArguments& arguments,
                DeviceArray<unsigned char>* workspace, cudaStream_t stream);

// The same on buffers of the program's width and form, for the pass the program is of.
void RunProgram(int program, int sm_count, const RouteBuffers& buffers, std::int64_t tokens,
                Dtype weight, DeviceArray<unsigned char>* workspace, cudaStream_t stream);

// Loads a program's kernels, so that the first timed call does not.
void PrepareProgram(int program, Dtype weight);

}  // namespace fenestra
