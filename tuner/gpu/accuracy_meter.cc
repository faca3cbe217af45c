#include "tuner/gpu/accuracy_meter.h"

#include <optional>
#include <vector>

#include "kernels/program_list.h"
#include "tuner/gpu/cuda_stream.h"
#include "tuner/gpu/kept_output.h"
#include "tuner/sweep/accuracy_group.h"

namespace fenestra {
namespace {

Shape RowsShape(std::int64_t rows, int width, Dtype weight) {
  return {.tokens = rows, .width = width, .weight = weight};
}

Tensor Packed(const DeviceArray<std::uint16_t>& array, int width) {
  return {array.get(), width, width};
}

template <typename T>
std::vector<T> ToHost(const DeviceArray<T>& array, std::size_t count) {
  std::vector<T> values(count);
  CheckCuda(cudaMemcpy(values.data(), array.get(), count * sizeof(T), cudaMemcpyDeviceToHost),
            "reading results");
  return values;
}

EdgeClass ClassOf(std::int64_t differences) {
  return differences == 0 ? EdgeClass::kSame : EdgeClass::kDiffers;
}

}  // namespace

void AccuracyMeter::Reserve(const AccuracyTask& task) {
  if (rows_ >= task.rows && width_ == task.width) return;
  const std::int64_t elements = task.rows * task.width;
  h_.Reserve(elements);
  dy_.Reserve(elements);
  dx_.Reserve(elements);
  w_.Reserve(task.width);
  w16_.Reserve(task.width);
  own_rstd_.Reserve(task.rows);
  eager_rstd_.Reserve(task.rows);
  dw_.Reserve(task.width);
  own_dw_.Reserve(task.width);
  eager_dw_.Reserve(task.width);
  sums_ = std::make_unique<gpu::Workspace>(task.rows, task.width);
  gpu::FillWeight(0, task.width, w_.get(), w16_.get(), kDefaultStream);
  rows_ = task.rows;
  width_ = task.width;
}

void AccuracyMeter::MakeInput(const AccuracyTask& task, std::int64_t seed) {
  gpu::FillInputs({task.family, seed, task.rows, task.width}, h_.get(), dy_.get(), kDefaultStream);
  RunProgram(RstdProgramOf(task.width), context_.board->sm_count,
             ForwardArguments{.shape = RowsShape(task.rows, task.width, Dtype::kFp32),
                              .x = Packed(h_, task.width),
                              .w = w_.get(),
                              .y = Packed(dx_, task.width),
                              .rstd = own_rstd_.get(),
                              .eps = kEps},
             kDefaultStream);
  gpu::EagerRstd(task.rows, task.width, h_.get(), eager_rstd_.get(), kDefaultStream);
  gpu::ReferenceDw(task.rows, task.width, h_.get(), dy_.get(), own_rstd_.get(), own_dw_.get(),
                   *sums_, kDefaultStream);
  gpu::ReferenceDw(task.rows, task.width, h_.get(), dy_.get(), eager_rstd_.get(), eager_dw_.get(),
                   *sums_, kDefaultStream);
}

void AccuracyMeter::RunSubject(const AccuracyTask& task, std::size_t subject) {
  if (subject == task.programs.size()) {
    gpu::EagerDw(task.rows, task.width, h_.get(), dy_.get(), eager_rstd_.get(), dw_.get(), *sums_,
                 kDefaultStream);
    return;
  }
  dw_.Poison(kDefaultStream);
  const int program = task.programs[subject];
  Shape shape = RowsShape(task.rows, task.width, Dtype::kFp32);
  shape.residual = ProgramAt(program).residual;
  run_backward_(
      program, context_.board->sm_count,
      BackwardArguments{.shape = shape,
                        .dy = Packed(dy_, task.width),
                        .h = Packed(h_, task.width),
                        .residual_gradient = Packed(dy_, task.width),  // dw has no part of it
                        .w = w_.get(),
                        .rstd = own_rstd_.get(),
                        .dx = Packed(dx_, task.width),
                        .dw = dw_.get()},
      &workspace_, kDefaultStream);
}

Group AccuracyMeter::Measure(const AccuracyTask& task) {
  Reserve(task);
  PrepareProgram(RstdProgramOf(task.width), Dtype::kFp32);
  for (int program : task.programs) {
    context_.announce(NameAt(program));
    PrepareProgram(program, Dtype::kFp32);
  }
  context_.announce("");
  AccuracyGroup group(context_, task);
  const std::size_t subjects = group.subjects();
  const auto inputs = static_cast<std::size_t>(task.inputs);
  errors_.Reserve(static_cast<std::int64_t>(2 * subjects * inputs));
  digests_.Reserve(static_cast<std::int64_t>(subjects));
  for (std::size_t seed = 0; seed < inputs; ++seed) {
    const auto signed_seed = static_cast<std::int64_t>(seed);
    MakeInput(task, signed_seed);
    for (std::size_t i = 0; i < subjects; ++i) {
      const bool is_program = i < task.programs.size();
      // Faults show at the next synchronization: wait for each program's first call alone. From the
      // comparator of that input on they take turns, and a fault is no single program's.
      if (seed == 0) context_.announce(is_program ? NameAt(task.programs[i]) : "");
      RunSubject(task, i);
      WorstError* errors = errors_.get() + 2 * (seed * subjects + i);
      // Each against the reference at the rstd that it was given.
      const double* own = is_program ? own_dw_.get() : eager_dw_.get();
      gpu::WorstOf(task.width, dw_.get(), own, errors, kDefaultStream);
      gpu::WorstOf(task.width, dw_.get(), eager_dw_.get(), errors + 1, kDefaultStream);
      if (is_program && HasDigest(task, signed_seed)) {
        gpu::DigestOf(task.width, dw_.get(), digests_.get() + i, kDefaultStream);
      }
      if (seed == 0) {
        CheckCuda(cudaStreamSynchronize(kDefaultStream),
                  is_program ? "the first call of a program failed" : "the comparator failed");
      }
    }
  }
  const auto errors = ToHost(errors_, 2 * subjects * inputs);
  const std::size_t digested = HasDigest(task, 0) ? task.programs.size() : 0;
  const auto digests = ToHost(digests_, digested);
  for (std::size_t seed = 0; seed < inputs; ++seed) {
    const auto signed_seed = static_cast<std::int64_t>(seed);
    for (std::size_t i = 0; i < subjects; ++i) {
      const WorstError* of_subject = &errors[2 * (seed * subjects + i)];
      group.Add(i, Reference::kOwnRstd, signed_seed, of_subject[0]);
      group.Add(i, Reference::kEagerRstd, signed_seed, of_subject[1]);
      if (i < digested && HasDigest(task, signed_seed)) {
        group.AddDigest(i, signed_seed, digests[i]);
      }
    }
  }
  return group.Take();
}

EdgeClasses AccuracyMeter::CompareAt(const EdgeTask& task, std::int64_t rows) {
  const Route& route = task.route;
  const bool backward = route.pass == Pass::kBackward;
  context_.announce("");  // at the second row count both have run
  RouteBuffers buffers(route.width, View::kRows, rows, route.residual);
  KeptOutput<std::uint16_t> out(buffers.out, rows * route.width);
  KeptOutput<float> small(backward ? buffers.dw : buffers.rstd, backward ? route.width : rows);
  const bool has_residual_out = route.residual && !backward;
  KeptOutput<std::uint16_t> residual_out(buffers.residual_out,
                                         has_residual_out ? rows * route.width : 0);
  const auto run = [&](int program) {
    context_.announce(NameAt(program));
    buffers.PoisonOutputs(route.pass, kDefaultStream);
    PrepareProgram(program, route.weight);
    RunProgram(program, context_.board->sm_count, buffers, rows, route.weight, &workspace_,
               kDefaultStream);
    CheckCuda(cudaStreamSynchronize(kDefaultStream), "the call of a program failed");
    context_.announce("");
  };
  run(task.below);
  out.Keep();
  small.Keep();
  residual_out.Keep();
  run(task.above);
  EdgeClasses classes;
  (backward ? classes.dx : classes.y) = ClassOf(out.Differences());
  (backward ? classes.dw : classes.rstd) = ClassOf(small.Differences());
  if (has_residual_out) classes.residual_out = ClassOf(residual_out.Differences());
  return classes;
}

Group AccuracyMeter::Measure(const EdgeTask& task) {
  const EdgeClasses at = CompareAt(task, task.rows);
  const EdgeClasses above = CompareAt(task, task.rows + 1);
  return EdgeGroup(context_, task, at, above);
}

}  // namespace fenestra
