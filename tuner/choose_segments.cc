#include "tuner/choose_segments.h"

#include <algorithm>
#include <cmath>

namespace fenestra {
namespace {

// Weighted costs are kept in units of 1e-15: whole samples of log ratios up to 2000 stay exact.
constexpr double kUnit = 1e15;

std::int64_t ToUnits(double value) { return std::llround(value * kUnit); }

// What is minimised, in order.
struct Value {
  std::int64_t time = 0;
  std::int64_t error = 0;
  std::int64_t place = 0;

  auto operator<=>(const Value&) const = default;
};

Value operator+(const Value& a, const Value& b) {
  return {a.time + b.time, a.error + b.error, a.place + b.place};
}

// A segment of `program` begins at a sample, entered from the program below. The programs are
// numbered from 0; `count` of them stands for none.
struct Origin {
  std::size_t begin = 0;
  std::size_t below = 0;
};

struct State {
  bool reached = false;
  Value value;
  Origin origin;  // of the segment that ends here
};

class Segmentation {
 public:
  Segmentation(std::span<const std::int64_t> rows, std::span<const CostCurve> curves, double noise)
      : samples_(rows.size()), count_(curves.size()), none_(count_) {
    const std::vector<double> weights = LogWeights(rows);
    for (double weight : weights) noise_.push_back(ToUnits(weight * std::log1p(noise)));
    costs_.resize(count_, std::vector<std::optional<Value>>(samples_));
    for (std::size_t p = 0; p < count_; ++p) {
      for (std::size_t i = 0; i < samples_; ++i) {
        if (!curves[p][i]) continue;
        costs_[p][i] = {ToUnits(weights[i] * curves[p][i]->log_over_best),
                        ToUnits(weights[i] * curves[p][i]->error),
                        ToUnits(weights[i]) * static_cast<std::int64_t>(p)};
      }
    }
    states_.resize((samples_ + 1) * (count_ + 1) * (count_ + 1));
  }

  std::vector<Segment> Run() {
    for (std::size_t p = 0; p < count_; ++p) At(0, none_, p).reached = true;
    for (std::size_t begin = 0; begin < samples_; ++begin) {
      for (std::size_t below = 0; below <= count_; ++below) {
        for (std::size_t p = 0; p < count_; ++p) {
          if (!At(begin, below, p).reached) continue;
          for (std::size_t above = 0; above <= count_; ++above) {
            if (above != p) Extend({begin, below}, p, above);
          }
        }
      }
    }
    return Trace();
  }

 private:
  // The state in which samples [0, end) are covered, the last of them by `below`, and `above` runs
  // next.
  State& At(std::size_t end, std::size_t below, std::size_t above) {
    return states_[(end * (count_ + 1) + below) * (count_ + 1) + above];
  }

  // Tries every end of a segment of `p` that begins at `origin` and is followed by `above`.
  void Extend(const Origin& origin, std::size_t p, std::size_t above) {
    Value value = At(origin.begin, origin.below, p).value;
    // Whether all samples so far could be handed to `below`; to `below` and then `above`.
    bool below_could = origin.below != none_;
    bool split_could = true;
    for (std::size_t i = origin.begin; i < samples_ && costs_[p][i]; ++i) {
      value = value + *costs_[p][i];
      below_could = below_could && CouldTake(origin.below, p, i);
      split_could = (split_could && CouldTake(above, p, i)) || below_could;
      const std::size_t end = i + 1;
      if ((above == none_) != (end == samples_) || split_could) continue;
      State& state = At(end, p, above);
      if (state.reached && state.value <= value) continue;
      state = {true, value, origin};
    }
  }

  // Whether a sample of `p` costs no more than the noise when `other` runs it.
  bool CouldTake(std::size_t other, std::size_t p, std::size_t sample) const {
    if (other == none_ || !costs_[other][sample]) return false;
    return costs_[other][sample]->time - costs_[p][sample]->time <= noise_[sample];
  }

  std::vector<Segment> Trace() {
    std::size_t last = 0;
    for (std::size_t p = 1; p < count_; ++p) {
      const State& state = At(samples_, p, none_);
      const State& best = At(samples_, last, none_);
      if (state.reached && (!best.reached || state.value < best.value)) last = p;
    }
    std::vector<Segment> segments;
    std::size_t end = samples_;
    std::size_t above = none_;
    while (end > 0) {
      const Origin origin = At(end, last, above).origin;
      segments.push_back({origin.begin, end, last});
      end = origin.begin;
      above = last;
      last = origin.below;
    }
    std::reverse(segments.begin(), segments.end());
    return segments;
  }

  std::size_t samples_;
  std::size_t count_;
  std::size_t none_;
  std::vector<std::int64_t> noise_;                       // per sample, weighted
  std::vector<std::vector<std::optional<Value>>> costs_;  // [program][sample], weighted
  std::vector<State> states_;
};

}  // namespace

std::vector<double> LogWeights(std::span<const std::int64_t> rows) {
  const std::size_t size = rows.size();
  if (size == 1) return {1.0};
  const auto log_rows = [&](std::size_t i) { return std::log(static_cast<double>(rows[i])); };
  const double range = log_rows(size - 1) - log_rows(0);
  std::vector<double> weights;
  for (std::size_t i = 0; i < size; ++i) {
    const double from = log_rows(i == 0 ? 0 : i - 1);
    const double to = log_rows(std::min(i + 1, size - 1));
    weights.push_back((to - from) / (2 * range));
  }
  return weights;
}

std::vector<Segment> ChooseSegments(std::span<const std::int64_t> rows,
                                    std::span<const CostCurve> curves, double noise) {
  return Segmentation(rows, curves, noise).Run();
}

}  // namespace fenestra
