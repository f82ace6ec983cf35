#include "craton/select/verdict.h"

#include <algorithm>
#include <cmath>

namespace craton {
namespace {

// How much better a is, and what that is sure of; NaN: it cannot be said.
struct Better {
  double mean, error;
  bool at_all() const { return mean > 0; }
  bool surely() const { return mean > 0 && !(mean <= 2 * error); }
  bool not_at_all() const { return mean <= 0; }
};

class Judge {
 public:
  Judge(std::span<const Results> all, const Results& guessing,
        std::span<const Metric* const> metrics)
      : all_(all), guessing_(guessing), metrics_(metrics) {}

  Better better(const Results& a, const Results& b, Index metric) const {
    const Estimate less = difference(a, b, metric);
    const bool higher = metrics_[usize(metric)]->higher_is_better;
    return {higher ? less.mean : -less.mean, less.error};
  }

  bool worse_than_guessing(Index i) const {
    return !guessing_.empty() && better(all_[usize(i)], guessing_, 0).not_at_all();
  }

  // -1: none is of that kind.
  Index first_of(MetricKind kind) const {
    const auto is = [&](const Metric* metric) { return metric->kind == kind; };
    const auto at = std::ranges::find_if(metrics_, is);
    return at == metrics_.end() ? -1 : at - metrics_.begin();
  }

  bool misjudged(Index i) const {
    const Index labels = first_of(MetricKind::kLabels), sure = first_of(MetricKind::kProbabilities);
    if (labels < 0 || sure < 0 || guessing_.empty()) return false;
    const Results& own = all_[usize(i)];
    if (!better(own, guessing_, labels).surely()) return false;
    if (better(own, guessing_, sure).not_at_all()) return true;
    return std::ranges::any_of(all_, [&](const Results& other) {
      return better(other, own, sure).surely() && !better(other, own, labels).at_all();
    });
  }

 private:
  std::span<const Results> all_;
  const Results& guessing_;
  std::span<const Metric* const> metrics_;
};

}  // namespace

bool Verdict::is_worse(Index i) const { return std::ranges::find(worse, i) != worse.end(); }

Verdict judge(std::span<const Results> all, const Results& guessing,
              std::span<const Metric* const> metrics) {
  const Judge judge(all, guessing, metrics);
  Verdict verdict{.best = best_of(all, metrics)};
  for (Index i = 0; i < ssize(all); ++i) {
    const Estimate less = difference(all[usize(i)], all[usize(verdict.best)], 0);
    const bool close = std::abs(less.mean) <= 2 * less.error;  // not of one fold: its error is NaN
    if (i != verdict.best && close) verdict.close.push_back(i);
    if (judge.worse_than_guessing(i)) verdict.worse.push_back(i);
    if (judge.misjudged(i)) verdict.misjudged.push_back(i);
  }
  return verdict;
}

}  // namespace craton
