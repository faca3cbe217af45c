#include "tuner/gpu/time_meter.h"

#include "tuner/gpu/cuda_stream.h"
#include "tuner/gpu/gpu_lock.h"
#include "tuner/sweep/time_rounds.h"

namespace fenestra {
namespace {

constexpr int kRepeatsMax = 2;         // of a round at a lowered clock
constexpr double kLoweredShare = 0.9;  // of the highest clock

}  // namespace

TimeMeter::TimeMeter(const MeterContext& context) : context_(context), clocks_(PciBusId()) {}

// Subjects are the task's programs in order, then the streaming floor.
void TimeMeter::Enqueue(const TimeTask& task, int subject) {
  if (subject == static_cast<int>(task.programs.size())) {
    LaunchStream(buffers_->Floor(task.route.pass, task.tokens), kDefaultStream);
    return;
  }
  const int program = task.programs[static_cast<std::size_t>(subject)];
  RunProgram(program, context_.board->sm_count, *buffers_, task.tokens, task.route.weight,
             &workspace_, kDefaultStream);
}

void TimeMeter::WarmUp(const TimeTask& task) {
  if (buffers_ == nullptr || buffer_route_ != task.route || buffer_view_ != task.view ||
      buffer_tokens_ < task.tokens) {
    buffers_.reset();
    buffers_ = std::make_unique<RouteBuffers>(task.route.width, task.view, task.tokens,
                                              task.route.residual);
    buffer_route_ = task.route;
    buffer_view_ = task.view;
    buffer_tokens_ = task.tokens;
  }
  buffers_->PoisonOutputs(task.route.pass, kDefaultStream);
  int next = 0;
  for (int program : task.programs) {
    context_.announce(NameAt(program));
    PrepareProgram(program, task.route.weight);
    Enqueue(task, next++);
    CheckCuda(cudaDeviceSynchronize(), "the first call of a program failed");
  }
  context_.announce("");  // from here on programs take turns, with the floor among them
  Enqueue(task, next);
  CheckCuda(cudaDeviceSynchronize(), "the streaming kernel failed");
}

TimeMeter::Round TimeMeter::RunRound(const TimeTask& task, int round) {
  const int subjects = static_cast<int>(task.programs.size()) + 1;
  for (int call = 0; call < kCallsPerRound; ++call) {
    for (int place = 0; place < subjects; ++place) {
      const int subject = SubjectAt(round * kCallsPerRound + call, place, subjects);
      cold_.Flush(kDefaultStream);
      timer_.Call([&] { Enqueue(task, subject); });
    }
  }
  // The clocks at work: calls are still in flight.
  const Clocks clocks = clocks_.Now();
  return {timer_.Collect(), clocks};
}

bool TimeMeter::IsLowered(const Clocks& clocks) const {
  const Clocks most = clocks_.Max();
  return clocks.sm_mhz < kLoweredShare * most.sm_mhz ||
         clocks.memory_mhz < kLoweredShare * most.memory_mhz;
}

TimeKey TimeMeter::KeyOf(const TimeTask& task, int subject) const {
  const auto index = static_cast<std::size_t>(subject);
  const bool is_stream = index == task.programs.size();
  return {.board = std::string(context_.board->name),
          .route = task.route,
          .view = task.view,
          .rows = task.rows(),
          .program = is_stream ? "stream" : NameAt(task.programs[index]),
          .environment = context_.environment.id,
          .session = task.session,
          .process = task.process};
}

Group TimeMeter::Measure(const TimeTask& task) {
  WarmUp(task);
  const int subjects = static_cast<int>(task.programs.size()) + 1;
  std::vector<std::vector<Sample>> samples(static_cast<std::size_t>(subjects));
  int discarded = 0;
  for (int round = 0; round < kRounds; ++round) {
    Round result = RunRound(task, round);
    for (int repeat = 0; repeat < kRepeatsMax && IsLowered(result.clocks); ++repeat) {
      ++discarded;
      result = RunRound(task, round);
    }
    std::size_t next = 0;
    for (int call = 0; call < kCallsPerRound; ++call) {
      for (int place = 0; place < subjects; ++place) {
        const int subject = SubjectAt(round * kCallsPerRound + call, place, subjects);
        const CallTime& time = result.times.at(next++);
        samples[static_cast<std::size_t>(subject)].push_back({round, call, time.union_ns,
                                                              time.span_ns, result.clocks.sm_mhz,
                                                              result.clocks.memory_mhz});
      }
    }
  }
  Group group;
  group.evidence.environments = {context_.environment};
  for (int subject = 0; subject < subjects; ++subject) {
    auto& of_subject = samples[static_cast<std::size_t>(subject)];
    const TimeKey key = KeyOf(task, subject);
    group.evidence.times.push_back(Summarize(key, of_subject, discarded));
    group.samples.push_back({key, std::move(of_subject)});
  }
  return group;
}

}  // namespace fenestra
