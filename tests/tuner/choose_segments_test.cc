#include "tuner/choose_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fenestra {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double kNoise = 0.014;

// Times as ratios over the best; 0 stands for "may not run".
CostCurve Curve(std::vector<double> ratios, double error = 0.001) {
  CostCurve curve;
  for (double ratio : ratios) {
    if (ratio == 0) {
      curve.emplace_back();
    } else {
      curve.push_back(SampleCost{std::log(ratio), error});
    }
  }
  return curve;
}

std::vector<Segment> Choose(std::vector<std::int64_t> rows, std::vector<CostCurve> curves,
                            double noise = kNoise) {
  return ChooseSegments(rows, curves, noise);
}

TEST(LogWeightsTest, HalfTheGapToEitherNeighbour) {
  // log2: 0, 1, 3. Gaps 1 and 2 of a range of 3.
  EXPECT_THAT(LogWeights(std::vector<std::int64_t>{1, 2, 8}),
              ElementsAre(DoubleNear(1.0 / 6, 1e-15), DoubleNear(3.0 / 6, 1e-15),
                          DoubleNear(2.0 / 6, 1e-15)));
  EXPECT_THAT(LogWeights(std::vector<std::int64_t>{65537}), ElementsAre(1.0));
}

TEST(ChooseSegmentsTest, CrossingCurvesMeetAtTheLastSampleOfTheLower) {
  EXPECT_THAT(Choose({1, 2, 4, 8}, {Curve({1, 1, 1.2, 1.4}), Curve({1.4, 1.2, 1, 1})}),
              ElementsAre(Segment{0, 2, 0}, Segment{2, 4, 1}));
}

TEST(ChooseSegmentsTest, WindowWithinTheNoiseDoesNotExist) {
  EXPECT_THAT(Choose({1, 2, 4, 8}, {Curve({1, 1, 1.01, 1.01}), Curve({1.4, 1.2, 1, 1})}),
              ElementsAre(Segment{0, 4, 0}));
}

TEST(ChooseSegmentsTest, WindowJustBeyondTheNoiseExists) {
  EXPECT_THAT(Choose({1, 2, 4, 8}, {Curve({1, 1, 1.015, 1.015}), Curve({1.4, 1.2, 1, 1})}),
              ElementsAre(Segment{0, 2, 0}, Segment{2, 4, 1}));
}

TEST(ChooseSegmentsTest, WindowIsNoWiderThanItsGain) {
  // The two tie around the one sample where the second gains: there the earlier program runs.
  const std::vector<std::int64_t> rows{1, 2, 4, 8, 16};
  const CostCurve above = Curve({1.4, 1, 1, 1, 1.4});
  EXPECT_THAT(Choose(rows, {Curve({1, 1, 1.05, 1, 1}), above}),
              ElementsAre(Segment{0, 2, 0}, Segment{2, 3, 1}, Segment{3, 5, 0}));
  EXPECT_THAT(Choose(rows, {Curve({1, 1, 1.01, 1, 1}), above}), ElementsAre(Segment{0, 5, 0}));
}

TEST(ChooseSegmentsTest, WindowThatGainsInPartOfItsRangeExists) {
  // The first is 4 % faster at 16 and level with the second at the ten doublings above, which the
  // second would otherwise run from 4 on.
  std::vector<std::int64_t> rows;
  std::vector<double> first;
  std::vector<double> second;
  for (int power = 0; power < 15; ++power) {
    rows.push_back(std::int64_t{1} << power);
    first.push_back(power == 2 || power == 3 ? 1.05 : 1);
    second.push_back(power < 2 ? 1.3 : power == 4 ? 1.04 : 1);
  }
  EXPECT_THAT(Choose(rows, {Curve(first), Curve(second)}),
              ElementsAre(Segment{0, 2, 0}, Segment{2, 4, 1}, Segment{4, 15, 0}));
}

TEST(ChooseSegmentsTest, ProgramThatMayNotRunGivesWayWhateverTheCost) {
  EXPECT_THAT(Choose({1, 2, 4, 8}, {Curve({1, 1, 0, 0}), Curve({3, 3, 3, 3})}),
              ElementsAre(Segment{0, 2, 0}, Segment{2, 4, 1}));
}

TEST(ChooseSegmentsTest, WindowThatItsNeighboursCanSplitWithinTheNoiseDoesNotExist) {
  // The middle program is 1 % faster than either neighbour on its own side and far faster beyond.
  const CostCurve left = Curve({1, 1, 1.01, 3, 3, 3});
  const CostCurve middle = Curve({3, 3, 1, 1, 3, 3});
  const CostCurve right = Curve({3, 3, 3, 1.01, 1, 1});
  EXPECT_THAT(Choose({1, 2, 4, 8, 16, 32}, {left, middle, right}),
              ElementsAre(Segment{0, 3, 0}, Segment{3, 6, 2}));
}

TEST(ChooseSegmentsTest, TiesGoToTheSmallerErrorThenToTheEarlierProgram) {
  const std::vector<double> same{1, 1, 1};
  EXPECT_THAT(Choose({1, 2, 4}, {Curve(same, 0.2), Curve(same, 0.1), Curve(same, 0.1)}),
              ElementsAre(Segment{0, 3, 1}));
  EXPECT_THAT(Choose({1, 2, 4}, {Curve(same, 0.1), Curve(same, 0.1)}),
              ElementsAre(Segment{0, 3, 0}));
}

// An independent reference: every segmentation, kept when no segment can be handed to the programs
// beside it for at most the noise at every sample.
class BruteForce {
 public:
  BruteForce(const std::vector<std::int64_t>& rows, const std::vector<CostCurve>& curves)
      : weights_(LogWeights(rows)), curves_(curves) {
    std::vector<Segment> segments;
    Recurse(0, &segments);
  }

  double best() const { return best_; }

  double Cost(const Segment& segment) const {
    double cost = 0;
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      if (!curves_[segment.program][i]) return INFINITY;
      cost += weights_[i] * curves_[segment.program][i]->log_over_best;
    }
    return cost;
  }

  double Cost(const std::vector<Segment>& segments) const {
    double cost = 0;
    for (const Segment& segment : segments) cost += Cost(segment);
    return cost;
  }

  // Whether the program runs the samples at no more than the noise over `segment`'s own.
  bool CouldTake(const Segment& segment, std::size_t from, std::size_t to,
                 std::size_t program) const {
    for (std::size_t i = from; i < to; ++i) {
      if (!curves_[program][i]) return false;
      const double loss =
          curves_[program][i]->log_over_best - curves_[segment.program][i]->log_over_best;
      if (loss > std::log1p(kNoise)) return false;
    }
    return true;
  }

  bool AllEarn(const std::vector<Segment>& segments) const {
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const Segment& segment = segments[s];
      for (std::size_t cut = segment.begin; cut <= segment.end; ++cut) {
        if (cut > segment.begin && s == 0) continue;
        if (cut < segment.end && s + 1 == segments.size()) continue;
        const bool below =
            cut == segment.begin || CouldTake(segment, segment.begin, cut, segments[s - 1].program);
        const bool above =
            cut == segment.end || CouldTake(segment, cut, segment.end, segments[s + 1].program);
        if (below && above) return false;
      }
    }
    return true;
  }

 private:
  void Recurse(std::size_t begin, std::vector<Segment>* segments) {
    if (begin == weights_.size()) {
      if (AllEarn(*segments)) best_ = std::min(best_, Cost(*segments));
      return;
    }
    for (std::size_t end = begin + 1; end <= weights_.size(); ++end) {
      for (std::size_t p = 0; p < curves_.size(); ++p) {
        if (!segments->empty() && segments->back().program == p) continue;
        if (std::isinf(Cost({begin, end, p}))) continue;
        segments->push_back({begin, end, p});
        Recurse(end, segments);
        segments->pop_back();
      }
    }
  }

  std::vector<double> weights_;
  const std::vector<CostCurve>& curves_;
  double best_ = INFINITY;
};

TEST(ChooseSegmentsTest, EqualsExhaustiveSearchOnRandomCurves) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> ratio(1.0, 1.06);
  std::bernoulli_distribution blocked(0.15);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::int64_t> rows{1, 2, 3, 8, 20, 21};
    std::vector<CostCurve> curves;
    for (int p = 0; p < 3; ++p) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ratios.push_back(p > 0 && blocked(random) ? 0 : ratio(random));
      }
      curves.push_back(Curve(ratios));
    }
    const BruteForce reference(rows, curves);
    const std::vector<Segment> chosen = Choose(rows, curves);
    EXPECT_NEAR(reference.Cost(chosen), reference.best(), 1e-12) << "trial " << trial;
    EXPECT_TRUE(reference.AllEarn(chosen)) << "trial " << trial;
  }
}

}  // namespace
}  // namespace fenestra
