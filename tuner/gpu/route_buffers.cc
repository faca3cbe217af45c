#include "tuner/gpu/route_buffers.h"

#include <fmt/format.h>

#include "accuracy/error.h"
#include "accuracy/gpu/accuracy_gpu.h"
#include "kernels/arith/split.h"
#include "kernels/launch/entry.h"
#include "kernels/program_list.h"
#include "kernels/validate.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

// Heads of a query token that the view leaves out, in the same buffer: strides (12288, 512, 1).
constexpr int kQueryHeadPitch = 512;

const launch::Entry& EntryOf(int program, Dtype weight) {
  const launch::Entry* entry = launch::FindEntry(program, weight);
  if (entry == nullptr) throw Error(fmt::format("program {} is not compiled in", program));
  return *entry;
}

void Check(const Status& status, int program) {
  if (status.ok()) return;
  throw Error(fmt::format("{}: {}", NameAt(program), ToString(status)), ExitCode::kMachine);
}

// A residual program reads and writes tensors that the other form of a call does not have.
void CheckForm(int program, const Shape& shape) {
  if (ProgramAt(program).residual && !shape.residual) {
    throw Error(fmt::format("{} needs a call with residual", NameAt(program)));
  }
}

}  // namespace

Tensor PitchesOf(View view, int width) {
  const std::int64_t head_pitch = view == View::kQuery ? kQueryHeadPitch : width;
  return {nullptr, head_pitch * HeadsOf(view), head_pitch};
}

std::int64_t StorageOf(View view, int width, std::int64_t tokens) {
  return tokens * PitchesOf(view, width).token_pitch;
}

RouteBuffers::RouteBuffers(int width, View view, std::int64_t tokens, bool with_residual)
    : width_(width), view_(view), residual_(with_residual) {
  const std::int64_t storage = StorageOf(view, width, tokens);
  const std::int64_t storage_rows = storage / width;
  x.Reserve(storage);
  dy.Reserve(storage);
  out.Reserve(storage);
  rstd.Reserve(storage_rows);
  dw.Reserve(width);
  w32.Reserve(width);
  w16.Reserve(width);
  gpu::FillInputs({Family::kNormal, 0, storage_rows, width}, x.get(), dy.get(), nullptr);
  if (residual_) {
    residual.Reserve(storage);
    residual_gradient.Reserve(storage);
    residual_out.Reserve(storage);
    gpu::FillInputs({Family::kNormal, 1, storage_rows, width}, residual.get(),
                    residual_gradient.get(), nullptr);
  }
  gpu::FillWeight(0, width, w32.get(), w16.get(), nullptr);
  gpu::EagerRstd(storage_rows, width, x.get(), rstd.get(), nullptr);
  CheckCuda(cudaDeviceSynchronize(), "filling the inputs");
}

Tensor RouteBuffers::TensorOf(const DeviceArray<std::uint16_t>& array) const {
  Tensor tensor = PitchesOf(view_, width_);
  tensor.data = array.get();
  return tensor;
}

Shape RouteBuffers::ShapeOf(std::int64_t tokens, Dtype weight) const {
  return {.tokens = tokens,
          .heads = HeadsOf(view_),
          .width = width_,
          .weight = weight,
          .residual = residual_};
}

const void* RouteBuffers::Weight(Dtype weight) const {
  return weight == Dtype::kBf16 ? static_cast<const void*>(w16.get()) : w32.get();
}

ForwardArguments RouteBuffers::Forward(std::int64_t tokens, Dtype weight) const {
  return {.shape = ShapeOf(tokens, weight),
          .x = TensorOf(x),
          .residual = TensorOf(residual),
          .residual_out = TensorOf(residual_out),
          .w = Weight(weight),
          .y = TensorOf(out),
          .rstd = rstd.get(),
          .eps = kEps};
}

BackwardArguments RouteBuffers::Backward(std::int64_t tokens, Dtype weight) const {
  return {.shape = ShapeOf(tokens, weight),
          .dy = TensorOf(dy),
          .h = TensorOf(x),
          .residual_gradient = TensorOf(residual_gradient),
          .w = Weight(weight),
          .rstd = rstd.get(),
          .dx = TensorOf(out),
          .dw = dw.get()};
}

StreamCall RouteBuffers::Floor(Pass pass, std::int64_t tokens) const {
  const bool backward = pass == Pass::kBackward;
  StreamCall call;
  call.in[0] = x.get();
  call.in[1] = backward ? dy.get() : residual.get();
  call.in[2] = residual_gradient.get();
  call.out[0] = out.get();
  call.out[1] = residual_out.get();
  call.reads = (backward ? 2 : 1) + (residual_ ? 1 : 0);
  call.writes = residual_ && !backward ? 2 : 1;
  call.bytes = rows(tokens) * width_ * 2;
  return call;
}

void RouteBuffers::PoisonOutputs(Pass pass, cudaStream_t stream) {
  out.Poison(stream);
  if (pass == Pass::kBackward) return dw.Poison(stream);
  rstd.Poison(stream);
  if (residual_) residual_out.Poison(stream);
}

void PrepareProgram(int program, Dtype weight) {
  Check(EntryOf(program, weight).prepare(), program);
}

void RunProgram(int program, int sm_count, const ForwardArguments& arguments, cudaStream_t stream) {
  CheckForm(program, arguments.shape);
  launch::ForwardCall call;
  bool in_place = false;
  Check(Validate(arguments, &call, &in_place), program);
  Check(EntryOf(program, arguments.shape.weight).forward(call, sm_count, stream), program);
}

void RunProgram(int program, int sm_count, const BackwardArguments& arguments,
                DeviceArray<unsigned char>* workspace, cudaStream_t stream) {
  CheckForm(program, arguments.shape);
  launch::BackwardCall call;
  bool in_place = false;
  Check(Validate(arguments, &call, &in_place), program);
  workspace->Reserve(arith::WorkspaceBytes(ProgramAt(program), call.rows, sm_count));
  call.workspace = workspace->get();
  Check(EntryOf(program, arguments.shape.weight).backward(call, sm_count, stream), program);
}

void RunProgram(int program, int sm_count, const RouteBuffers& buffers, std::int64_t tokens,
                Dtype weight, DeviceArray<unsigned char>* workspace, cudaStream_t stream) {
  if (ProgramAt(program).pass == Pass::kForward) {
    RunProgram(program, sm_count, buffers.Forward(tokens, weight), stream);
  } else {
    RunProgram(program, sm_count, buffers.Backward(tokens, weight), workspace, stream);
  }
}

}  // namespace fenestra
