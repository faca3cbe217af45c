// Every program, again and again, beside other work, and in graphs: the same bits. And tensors so
// large, or so spread, that 32-bit arithmetic would lose its way.
#include <functional>

#include "accuracy/gpu/accuracy_gpu.h"
#include "kernels/program_list.h"
#include "tests/kernels/gpu_case.h"
#include "tuner/gpu/cuda_stream.h"
#include "tuner/gpu/kept_output.h"
#include "tuner/sweep/tasks.h"

namespace fenestra {
namespace {

constexpr int kSmCount = 132;
constexpr Dtype kWeight = Dtype::kBf16;

// The outputs of a program's first call, kept on the GPU, against those of later ones.
class Repeats {
 public:
  Repeats(int index, std::int64_t rows)
      : index_(index),
        rows_(rows),
        buffers_(ProgramAt(index).width, View::kRows, rows, ProgramAt(index).residual),
        out_(buffers_.out, Elements()),
        residual_out_(buffers_.residual_out, HasResidualOut() ? Elements() : 0),
        small_(IsForward() ? buffers_.rstd : buffers_.dw,
               IsForward() ? rows : ProgramAt(index).width) {
    PrepareProgram(index, kWeight);
    Run(kDefaultStream);
    out_.Keep();
    residual_out_.Keep();
    small_.Keep();
    // Later calls run on streams that wait for no other.
    CheckCuda(cudaDeviceSynchronize(), "the first call");
  }

  void Run(cudaStream_t stream) {
    RunProgram(index_, kSmCount, buffers_, rows_, kWeight, &workspace_, stream);
  }

  // Elements that differ from the first call's.
  std::int64_t Differences(cudaStream_t stream) const {
    return out_.Differences(stream) + residual_out_.Differences(stream) +
           small_.Differences(stream);
  }

  void Poison(cudaStream_t stream) { buffers_.PoisonOutputs(ProgramAt(index_).pass, stream); }

 private:
  bool IsForward() const { return ProgramAt(index_).pass == Pass::kForward; }
  bool HasResidualOut() const { return IsForward() && ProgramAt(index_).residual; }
  std::int64_t Elements() const { return rows_ * ProgramAt(index_).width; }

  int index_;
  std::int64_t rows_;
  RouteBuffers buffers_;
  KeptOutput<std::uint16_t> out_;
  KeptOutput<std::uint16_t> residual_out_;
  KeptOutput<float> small_;
  DeviceArray<unsigned char> workspace_;
};

class Stress : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "no GPU on this machine";
  }
  static void ForEveryProgram(const std::function<void(int)>& check) {
    for (int i = 0; i < kProgramCount; ++i) check(i);
  }
};

TEST_F(Stress, AThousandCallsGiveTheSameBits) {
  ForEveryProgram([](int index) {
    Repeats repeats(index, 1000);
    for (int call = 0; call < 1000; ++call) {
      // Compared now and then: a compare waits, and calls are to follow one another closely.
      if (call % 100 == 0) repeats.Poison(nullptr);
      repeats.Run(nullptr);
      if (call % 20 == 0) {
        ASSERT_EQ(repeats.Differences(nullptr), 0) << NameAt(index);
      }
    }
    EXPECT_EQ(repeats.Differences(nullptr), 0) << NameAt(index);
  });
}

TEST_F(Stress, ABusyStreamBesideItChangesNoBit) {
  const CudaStream busy;
  const CudaStream own;
  const RouteBuffers other(6144, View::kRows, 16384, false);
  ForEveryProgram([&](int index) {
    Repeats repeats(index, 3000);
    for (int call = 0; call < 20; ++call) {
      for (int i = 0; i < 3; ++i) LaunchStream(other.Floor(Pass::kBackward, 16384), busy.get());
      repeats.Poison(own.get());
      repeats.Run(own.get());
      ASSERT_EQ(repeats.Differences(own.get()), 0) << NameAt(index);
    }
    CheckCuda(cudaDeviceSynchronize(), "the busy stream");
  });
}

TEST_F(Stress, GraphReplaysGiveTheSameBits) {
  const CudaStream stream;
  ForEveryProgram([&](int index) {
    Repeats repeats(index, 2000);
    CheckCuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
    repeats.Run(stream.get());
    cudaGraph_t graph = nullptr;
    CheckCuda(cudaStreamEndCapture(stream.get(), &graph), "end capture");
    cudaGraphExec_t exec = nullptr;
    CheckCuda(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    for (int replay = 0; replay < 20; ++replay) {
      repeats.Poison(stream.get());
      CheckCuda(cudaGraphLaunch(exec, stream.get()), "replay");
      ASSERT_EQ(repeats.Differences(stream.get()), 0) << NameAt(index) << " replay " << replay;
    }
    CheckCuda(cudaGraphExecDestroy(exec), "destroy");
    CheckCuda(cudaGraphDestroy(graph), "destroy");
  });
}

// Rows are independent but for dw: the last rows of a huge call equal a small call of those rows,
// and dw stays within its budget of the FP64 reference. 2^31 elements, and 2^32, are passed.
TEST_F(Stress, TensorsOfMoreThanFourBillionElements) {
  constexpr std::int64_t kTail = 64;
  for (int width : {4096, 256}) {
    for (std::int64_t elements : {std::int64_t{1} << 31, std::int64_t{1} << 32}) {
      const std::int64_t rows = elements / width + 129;
      RouteBuffers huge(width, View::kRows, rows, false);
      DeviceArray<std::uint16_t> tail_out(kTail * width);
      DeviceArray<float> tail_small(std::max<std::int64_t>(kTail, width));
      DeviceArray<double> reference(width);
      DeviceArray<WorstError> worst(1);
      DeviceArray<unsigned char> workspace;
      gpu::Workspace sums(rows, width);
      for (int i = 0; i < kProgramCount; ++i) {
        const Program& program = ProgramAt(i);
        if (program.width != width || program.residual || !IsMeasuredAt(i, rows)) continue;
        PrepareProgram(i, kWeight);
        huge.PoisonOutputs(program.pass, nullptr);
        tail_out.Poison(nullptr);
        const std::int64_t first = (rows - kTail) * width;
        if (program.pass == Pass::kForward) {
          RunProgram(i, kSmCount, huge.Forward(rows, kWeight), nullptr);
          ForwardArguments call = huge.Forward(kTail, kWeight);
          call.x.data = huge.x.get() + first;
          call.y.data = tail_out.get();
          call.rstd = tail_small.get();
          RunProgram(i, kSmCount, call, nullptr);
        } else {
          RunProgram(i, kSmCount, huge.Backward(rows, kWeight), &workspace, nullptr);
          if (program.scheme == Scheme::kFma64) {
            gpu::ReferenceDw(rows, width, huge.x.get(), huge.dy.get(), huge.rstd.get(),
                             reference.get(), sums, nullptr);
            gpu::WorstOf(width, huge.dw.get(), reference.get(), worst.get(), nullptr);
            WorstError error;
            CheckCuda(cudaMemcpy(&error, worst.get(), sizeof error, cudaMemcpyDeviceToHost),
                      "reading the error");
            EXPECT_LT(error.fraction, 0.001) << NameAt(i) << " at " << rows << " rows";
          }
          BackwardArguments call = huge.Backward(kTail, kWeight);
          call.dy.data = huge.dy.get() + first;
          call.h.data = huge.x.get() + first;
          call.rstd = huge.rstd.get() + (rows - kTail);
          call.dx.data = tail_out.get();
          call.dw = tail_small.get();
          RunProgram(i, kSmCount, call, &workspace, nullptr);
        }
        EXPECT_EQ(CountDifferences(huge.out.get() + first, tail_out.get(), kTail * width, nullptr),
                  0)
            << NameAt(i) << " at " << rows << " rows";
      }
    }
  }
}

// Two tokens more than 2^31 elements apart give what two neighbours give.
TEST_F(Stress, PitchesBeyondTwoBillionElements) {
  constexpr std::int64_t kPitch = (std::int64_t{1} << 31) + 4096;
  const int width = 512;
  DeviceArray<std::uint16_t> far_x(kPitch + width);
  DeviceArray<std::uint16_t> far_dy(kPitch + width);
  DeviceArray<std::uint16_t> far_out(kPitch + width);
  for (int i = 0; i < kProgramCount; ++i) {
    const Program& program = ProgramAt(i);
    if (program.width != width || program.residual) continue;
    GpuCase near(width, View::kRows, 2);
    const Outputs expected = near.RunOnGpu(i, kWeight, kSmCount);
    const auto spread = [&](const DeviceArray<std::uint16_t>& from,
                            DeviceArray<std::uint16_t>* to) {
      for (std::int64_t row : {0, 1}) {
        CheckCuda(cudaMemcpy(to->get() + row * kPitch, from.get() + row * width,
                             static_cast<std::size_t>(width) * 2, cudaMemcpyDeviceToDevice),
                  "spreading rows");
      }
    };
    spread(near.buffers().x, &far_x);
    spread(near.buffers().dy, &far_dy);
    near.buffers().PoisonOutputs(program.pass, nullptr);
    far_out.Poison(nullptr);
    DeviceArray<unsigned char> workspace;
    if (program.pass == Pass::kForward) {
      ForwardArguments call = near.Forward(kWeight, false);
      call.x = {far_x.get(), kPitch, 0};
      call.y = {far_out.get(), kPitch, 0};
      RunProgram(i, kSmCount, call, nullptr);
    } else {
      BackwardArguments call = near.Backward(kWeight, false);
      call.dy = {far_dy.get(), kPitch, 0};
      call.h = {far_x.get(), kPitch, 0};
      call.dx = {far_out.get(), kPitch, 0};
      RunProgram(i, kSmCount, call, &workspace, nullptr);
    }
    for (std::int64_t row : {0, 1}) {
      CheckCuda(cudaMemcpy(near.buffers().out.get() + row * width, far_out.get() + row * kPitch,
                           static_cast<std::size_t>(width) * 2, cudaMemcpyDeviceToDevice),
                "gathering rows");
    }
    const Outputs actual = near.Read(program.pass, false);
    EXPECT_EQ(FirstDifference(actual.rows, expected.rows), -1) << NameAt(i);
    EXPECT_EQ(FirstDifference(actual.small, expected.small), -1) << NameAt(i);
  }
}

}  // namespace
}  // namespace fenestra
