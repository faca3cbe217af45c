// Every function of accuracy/gpu against its twin on the host, bit for bit.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "accuracy/digest.h"
#include "accuracy/eager.h"
#include "accuracy/error.h"
#include "accuracy/gpu/accuracy_gpu.h"
#include "accuracy/gpu/cuda_check.h"
#include "accuracy/inputs.h"
#include "accuracy/reference.h"

namespace fenestra {
namespace {

// Device memory of `size` elements.
template <typename T>
class OnGpu {
 public:
  explicit OnGpu(std::size_t size) : size_(size) {
    CheckCuda(cudaMalloc(&data_, size * sizeof(T) + 8), "test memory");
  }
  explicit OnGpu(const std::vector<T>& values) : OnGpu(values.size()) {
    CheckCuda(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  ~OnGpu() { (void)cudaFree(data_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  T* get() const { return static_cast<T*>(data_); }

  std::vector<T> Read() const { return Read(0, size_); }
  std::vector<T> Read(std::size_t first, std::size_t count) const {
    std::vector<T> values(count);
    CheckCuda(cudaMemcpy(values.data(), get() + first, count * sizeof(T), cudaMemcpyDeviceToHost),
              "copy");
    return values;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

class AccuracyGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no GPU on this machine";
    }
  }
};

// The bits of doubles and floats: equal NaNs and signed zeros, not equal values.
template <typename T>
::testing::AssertionResult SameBits(const std::vector<T>& gpu, const std::vector<T>& host) {
  if (gpu.size() != host.size()) return ::testing::AssertionFailure() << "sizes differ";
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    if (std::memcmp(&gpu[i], &host[i], sizeof(T)) != 0) {
      return ::testing::AssertionFailure()
             << "element " << i << ": " << gpu[i] << " on the GPU, " << host[i] << " on the host";
    }
  }
  return ::testing::AssertionSuccess();
}

struct Shape {
  std::int64_t rows;
  int width;
};

const std::vector<Shape> kShapes{{1, 8},      {2, 24},     {3, 256},     {17, 512},
                                 {64, 1536},  {257, 2048}, {1000, 4096}, {513, 5120},
                                 {255, 6144}, {4097, 256}, {70001, 256}};

void CheckInputs(const InputSpec& spec) {
  const std::size_t size = spec.rows * spec.width;
  std::vector<std::uint16_t> h(size);
  std::vector<std::uint16_t> dy(size);
  FillInputs(spec, h, dy);
  const OnGpu<std::uint16_t> gpu_h(size);
  const OnGpu<std::uint16_t> gpu_dy(size);
  gpu::FillInputs(spec, gpu_h.get(), gpu_dy.get(), nullptr);
  ASSERT_TRUE(SameBits(gpu_h.Read(), h)) << ToString(spec.family) << " h " << spec.rows;
  ASSERT_TRUE(SameBits(gpu_dy.Read(), dy)) << ToString(spec.family) << " dy " << spec.rows;
}

TEST_F(AccuracyGpu, Inputs) {
  for (Family family : {Family::kNormal, Family::kOutlier, Family::kCancel}) {
    for (const Shape& shape : kShapes) {
      CheckInputs({family, (std::int64_t{1} << 40) + 5, shape.rows, shape.width});
    }
  }
}

TEST_F(AccuracyGpu, Weights) {
  for (int width : {8, 256, 6144}) {
    std::vector<float> w32(width);
    std::vector<std::uint16_t> w16(width);
    FillWeight(3, width, w32, w16);
    const OnGpu<float> gpu_w32(width);
    const OnGpu<std::uint16_t> gpu_w16(width);
    gpu::FillWeight(3, width, gpu_w32.get(), gpu_w16.get(), nullptr);
    EXPECT_TRUE(SameBits(gpu_w32.Read(), w32));
    EXPECT_TRUE(SameBits(gpu_w16.Read(), w16));
  }
}

// rstd, the comparator's dw and the reference of one input.
void CheckSums(const Shape& shape, const std::vector<std::uint16_t>& h,
               const std::vector<std::uint16_t>& dy) {
  const auto [rows, width] = shape;
  std::vector<float> rstd(rows);
  std::vector<float> dw(width);
  std::vector<double> reference(width);
  EagerRstd(rows, width, h, rstd);
  EagerDw(rows, width, h, dy, rstd, dw);
  ReferenceDw(rows, width, h, dy, rstd, reference);

  const OnGpu gpu_h(h);
  const OnGpu gpu_dy(dy);
  const OnGpu<float> gpu_rstd(rows);
  const OnGpu<float> gpu_dw(width);
  const OnGpu<double> gpu_reference(width);
  const gpu::Workspace workspace(rows, width);
  gpu::EagerRstd(rows, width, gpu_h.get(), gpu_rstd.get(), nullptr);
  ASSERT_TRUE(SameBits(gpu_rstd.Read(), rstd)) << "rstd " << rows << " x " << width;
  gpu::EagerDw(rows, width, gpu_h.get(), gpu_dy.get(), gpu_rstd.get(), gpu_dw.get(), workspace,
               nullptr);
  ASSERT_TRUE(SameBits(gpu_dw.Read(), dw)) << "eager dw " << rows << " x " << width;
  gpu::ReferenceDw(rows, width, gpu_h.get(), gpu_dy.get(), gpu_rstd.get(), gpu_reference.get(),
                   workspace, nullptr);
  ASSERT_TRUE(SameBits(gpu_reference.Read(), reference)) << "reference " << rows << " x " << width;

  const OnGpu<WorstError> gpu_worst(1);
  const OnGpu<std::uint64_t> gpu_digest(1);
  gpu::WorstOf(width, gpu_dw.get(), gpu_reference.get(), gpu_worst.get(), nullptr);
  gpu::DigestOf(width, gpu_dw.get(), gpu_digest.get(), nullptr);
  const WorstError worst = WorstOf(dw, reference);
  EXPECT_EQ(gpu_worst.Read()[0].fraction, worst.fraction);
  EXPECT_EQ(gpu_worst.Read()[0].column, worst.column);
  EXPECT_EQ(gpu_digest.Read()[0], DigestOf(dw));
}

TEST_F(AccuracyGpu, SumsErrorsAndDigests) {
  for (Family family : {Family::kNormal, Family::kOutlier, Family::kCancel}) {
    for (const Shape& shape : kShapes) {
      std::vector<std::uint16_t> h(shape.rows * shape.width);
      std::vector<std::uint16_t> dy(h.size());
      FillInputs({family, 8, shape.rows, shape.width}, h, dy);
      CheckSums(shape, h, dy);
    }
  }
}

TEST_F(AccuracyGpu, NoRows) { CheckSums({0, 256}, {}, {}); }

// The largest view of H 256: 24 heads, 65536 tokens.
TEST_F(AccuracyGpu, MillionsOfRows) {
  const Shape shape{1572864, 256};
  std::vector<std::uint16_t> h(shape.rows * shape.width);
  std::vector<std::uint16_t> dy(h.size());
  FillInputs({Family::kNormal, 1, shape.rows, shape.width}, h, dy);
  CheckInputs({Family::kNormal, 1, shape.rows, shape.width});
  CheckSums(shape, h, dy);
}

// Offsets past 2^31 elements: the last rows of a fill, and sums in which only the last row counts.
TEST_F(AccuracyGpu, MoreThanTwoToThe31Elements) {
  constexpr std::int64_t kRows = 8400000;
  constexpr int kWidth = 256;
  constexpr std::int64_t kTail = 300;
  static_assert(kRows * kWidth > std::int64_t{1} << 31);
  const std::size_t size = kRows * kWidth;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  CheckCuda(cudaMemGetInfo(&free_bytes, &total_bytes), "free memory");
  if (free_bytes < 5 * size) GTEST_SKIP() << "needs " << 5 * size << " bytes of GPU memory";
  const OnGpu<std::uint16_t> gpu_h(size);
  const OnGpu<std::uint16_t> gpu_dy(size);
  const InputSpec spec{Family::kNormal, 6, kRows, kWidth};
  gpu::FillInputs(spec, gpu_h.get(), gpu_dy.get(), nullptr);
  std::vector<std::uint16_t> h(kTail * kWidth);
  std::vector<std::uint16_t> dy(h.size());
  FillInputRows(spec, kRows - kTail, kTail, h, dy);
  const std::size_t first = size - h.size();
  ASSERT_TRUE(SameBits(gpu_h.Read(first, h.size()), h));
  ASSERT_TRUE(SameBits(gpu_dy.Read(first, dy.size()), dy));

  std::vector<float> rstd(kTail);
  EagerRstd(kTail, kWidth, h, rstd);
  const OnGpu<float> gpu_rstd(kRows);
  gpu::EagerRstd(kRows, kWidth, gpu_h.get(), gpu_rstd.get(), nullptr);
  ASSERT_TRUE(SameBits(gpu_rstd.Read(kRows - kTail, kTail), rstd));

  CheckCuda(cudaMemset(gpu_dy.get(), 0, (size - kWidth) * sizeof(std::uint16_t)), "clear");
  const OnGpu<float> gpu_dw(kWidth);
  const OnGpu<double> gpu_reference(kWidth);
  const gpu::Workspace workspace(kRows, kWidth);
  gpu::EagerDw(kRows, kWidth, gpu_h.get(), gpu_dy.get(), gpu_rstd.get(), gpu_dw.get(), workspace,
               nullptr);
  gpu::ReferenceDw(kRows, kWidth, gpu_h.get(), gpu_dy.get(), gpu_rstd.get(), gpu_reference.get(),
                   workspace, nullptr);
  const std::vector<float> dw = gpu_dw.Read();
  const std::vector<double> reference = gpu_reference.Read();
  for (int column = 0; column < kWidth; ++column) {
    const std::size_t at = (kTail - 1) * kWidth + column;
    const float h_value = arith::FromBf16(h[at]);
    const float dy_value = arith::FromBf16(dy[at]);
    ASSERT_EQ(dw[column], dy_value * (h_value * rstd[kTail - 1]));
    ASSERT_EQ(reference[column], double{dy_value} * h_value * rstd[kTail - 1]);
  }
}

TEST_F(AccuracyGpu, WorstErrorOfNonFiniteAndEqualElements) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> cases{
      {0, 2, 1, 2, 0, 0, 2, 1},
      {1, 1, 1, 1, 1, 1, 1, 1},
      {9, kNan, 1, kNan, 1, 1, 1, 1},
  };
  const std::vector<double> reference{0, 1, 1, 1, 0, 0, 1, 1};
  const OnGpu gpu_reference(reference);
  for (const std::vector<float>& dw : cases) {
    const OnGpu gpu_dw(dw);
    const OnGpu<WorstError> gpu_worst(1);
    gpu::WorstOf(8, gpu_dw.get(), gpu_reference.get(), gpu_worst.get(), nullptr);
    const WorstError worst = WorstOf(dw, reference);
    EXPECT_EQ(gpu_worst.Read()[0].fraction, worst.fraction);
    EXPECT_EQ(gpu_worst.Read()[0].column, worst.column);
  }
}

TEST_F(AccuracyGpu, RefusesBadCalls) {
  const gpu::Workspace workspace(1, 8);
  EXPECT_THROW(gpu::EagerDw(-1, 8, nullptr, nullptr, nullptr, nullptr, workspace, nullptr), Error);
  EXPECT_THROW(gpu::ReferenceDw(1, 12, nullptr, nullptr, nullptr, nullptr, workspace, nullptr),
               Error);
  EXPECT_THROW(gpu::ReferenceDw(1, 4096, nullptr, nullptr, nullptr, nullptr, workspace, nullptr),
               Error);
}

}  // namespace
}  // namespace fenestra
