#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "accuracy/digest.h"
#include "accuracy/eager.h"
#include "accuracy/host_model.h"
#include "accuracy/inputs.h"
#include "accuracy/parallel.h"
#include "tuner/sweep/accuracy_group.h"
#include "tuner/sweep/host_input.h"

namespace fenestra {
namespace {

// What a program makes of the input of seed 0 (and of the residual stream of seed 1): y, rstd and
// residual out, or dx and dw.
struct EdgeOutputs {
  std::vector<std::uint16_t> rows;
  std::vector<float> small;
  std::vector<std::uint16_t> residual_out;
};

template <typename T>
EdgeClass ClassOf(const std::vector<T>& a, const std::vector<T>& b) {
  const bool same = std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  return same ? EdgeClass::kSame : EdgeClass::kDiffers;
}

EdgeClasses CompareAt(const MeterContext& context, const EdgeTask& task, std::int64_t rows) {
  const auto width = static_cast<std::size_t>(task.route.width);
  const bool backward = task.route.pass == Pass::kBackward;
  std::vector<std::uint16_t> h(static_cast<std::size_t>(rows) * width);
  std::vector<std::uint16_t> dy(h.size());
  FillInputs({Family::kNormal, 0, rows, task.route.width}, h, dy);
  std::vector<std::uint16_t> residual(task.route.residual ? h.size() : 0);
  std::vector<std::uint16_t> residual_gradient(residual.size());
  if (task.route.residual) {
    FillInputs({Family::kNormal, 1, rows, task.route.width}, residual, residual_gradient);
  }
  std::vector<float> rstd(static_cast<std::size_t>(rows));
  EagerRstd(rows, task.route.width, h, rstd);
  std::vector<float> weight(width);
  std::vector<std::uint16_t> weight16(width);
  FillWeight(0, task.route.width, weight, weight16);
  if (task.route.weight == Dtype::kBf16) {
    std::transform(weight16.begin(), weight16.end(), weight.begin(), arith::FromBf16);
  }
  const auto run = [&](int program) {
    EdgeOutputs outputs{std::vector<std::uint16_t>(h.size()),
                        std::vector<float>(backward ? width : rstd.size()),
                        std::vector<std::uint16_t>(backward ? 0 : residual.size())};
    if (backward) {
      RunOnHost(program, context.board->sm_count, context.threads,
                HostBackward{.rows = rows,
                             .dy = dy,
                             .h = h,
                             .w = weight,
                             .rstd = rstd,
                             .dx = outputs.rows,
                             .dw = outputs.small,
                             .residual_gradient = residual_gradient});
    } else {
      RunOnHost(program, context.board->sm_count, context.threads,
                HostForward{rows, h, weight, kEps, outputs.rows, outputs.small, residual,
                            outputs.residual_out});
    }
    return outputs;
  };
  const EdgeOutputs below = run(task.below);
  const EdgeOutputs above = run(task.above);
  EdgeClasses classes;
  (backward ? classes.dx : classes.y) = ClassOf(below.rows, above.rows);
  (backward ? classes.dw : classes.rstd) = ClassOf(below.small, above.small);
  if (task.route.residual && !backward) {
    classes.residual_out = ClassOf(below.residual_out, above.residual_out);
  }
  return classes;
}

}  // namespace

Group MeasureOnHost(const MeterContext& context, const EdgeTask& task) {
  return EdgeGroup(context, task, CompareAt(context, task, task.rows),
                   CompareAt(context, task, task.rows + 1));
}

Group MeasureOnHost(const MeterContext& context, const AccuracyTask& task) {
  AccuracyGroup group(context, task);
  std::mutex mutex;
  // Threads take whole inputs where there are enough, else share the rows of one.
  const int abreast = std::min(context.threads, task.inputs);
  const int threads = std::max(1, context.threads / abreast);
  ParallelFor(task.inputs, abreast, [&](std::int64_t seed) {
    const HostInput input =
        MakeHostInput({task.family, seed, task.rows, task.width}, context.board->sm_count, threads);
    std::vector<float> dw(static_cast<std::size_t>(task.width));
    for (std::size_t i = 0; i < group.subjects(); ++i) {
      const bool is_program = i < task.programs.size();
      std::fill(dw.begin(), dw.end(), std::numeric_limits<float>::quiet_NaN());
      if (is_program) {
        context.run_backward(task.programs[i], context.board->sm_count, threads, DwCall(input, dw));
      } else {
        EagerDw(task.rows, task.width, input.h, input.dy, input.eager_rstd, dw);
      }
      // Each against the reference at the rstd that it was given.
      const WorstError own = WorstOf(dw, is_program ? input.own_dw : input.eager_dw);
      const WorstError eager = WorstOf(dw, input.eager_dw);
      const std::lock_guard lock(mutex);
      group.Add(i, Reference::kOwnRstd, seed, own);
      group.Add(i, Reference::kEagerRstd, seed, eager);
      if (is_program && HasDigest(task, seed)) group.AddDigest(i, seed, DigestOf(dw));
    }
  });
  return group.Take();
}

}  // namespace fenestra
