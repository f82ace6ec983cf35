#include "craton/select/guessing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/engine/for_each.h"
#include "craton/select/sum.h"

namespace craton {
namespace {

// What rows are to be told, without the rows.
struct Truth {
  Schema schema;
  std::vector<std::int32_t> labels;
  std::vector<double> numbers, weights;

  Truth(Source& x, const Exec& exec) : labels(labels_of(x, exec)), numbers(numbers_of(x, exec)) {
    schema.target = x.schema().target;
    if (labels.empty() && numbers.empty()) return;
    for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
      for (Index i = 0; i < chunk.rows(); ++i) weights.push_back(chunk.weight(i));
    });
  }
  Index size() const { return ssize(weights); }

  Truth(const Truth& all, const RowSet& rows) : schema(all.schema) {
    for (Index i = 0; i < rows.size(); ++i) {
      const std::size_t row = usize(rows[i]);
      if (!all.labels.empty()) labels.push_back(all.labels[row]);
      if (!all.numbers.empty()) numbers.push_back(all.numbers[row]);
      weights.push_back(all.weights[row]);
    }
  }

  // Of the labels, by weight; NaN: none is known.
  std::vector<double> shares() const {
    std::vector<Sum> sums(schema.target->levels.size());
    Sum known;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) continue;
      sums[usize(labels[i])] += weights[i];
      known += weights[i];
    }
    std::vector<double> result;
    for (const Sum& sum : sums) result.push_back(sum.value() / known.value());
    return result;
  }

  double mean() const {
    Sum sum, weight;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum += weights[i] * numbers[i];
      weight += weights[i];
    }
    return sum.value() / weight.value();
  }
};

std::int32_t commonest(const std::vector<double>& shares) {
  return static_cast<std::int32_t>(std::ranges::max_element(shares) - shares.begin());
}

HeldOut::Said guess(const Truth& learned, Index rows) {
  HeldOut::Said said;
  if (!learned.numbers.empty()) {
    said.numbers.assign(usize(rows), learned.mean());
    return said;
  }
  const std::vector<double> shares = learned.shares();
  said.labels.assign(usize(rows), commonest(shares));
  for (Index i = 0; i < rows; ++i) {
    said.probabilities.insert(said.probabilities.end(), shares.begin(), shares.end());
  }
  return said;
}

bool can_be_guessed(const Metric& metric, const Truth& truth) {
  // Who gives every row a label has all rows of it.
  if (truth.size() == 0 || metric.name == "recall") return false;
  if (!truth.numbers.empty()) return metric.kind == MetricKind::kNumbers;
  return metric.kind == MetricKind::kLabels || metric.kind == MetricKind::kProbabilities;
}

FoldResult guess_fold(const Truth& truth, const Folds& folds, Index fold,
                      const Measuring& measuring) {
  const RowSet train = folds.train(fold), test = folds.test(fold);
  const Truth learned(truth, train), held(truth, test);
  const Index n = held.size();
  MemorySource rows({.x = Dense<double>{nullptr, n, 0, 0},
                     .labels = held.labels,
                     .targets = held.numbers,
                     .weights = held.weights},
                    held.schema);
  const HeldOut out(guess(learned, n), rows, {.threads = 1}, measuring.positive);
  FoldResult result{train.size(), n, true, {}};
  for (const Metric* metric : measuring.metrics) {
    result.values.push_back(can_be_guessed(*metric, truth)
                                ? metric->measure(out)
                                : std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

}  // namespace

std::optional<Guessing> find_guessing(Source& x, const Exec& exec) {
  const Truth truth(x, exec);
  if (truth.labels.empty()) return std::nullopt;
  const std::vector<double> shares = truth.shares();
  if (shares.empty() || std::isnan(shares[0])) return std::nullopt;
  Guessing result{commonest(shares), std::ranges::max(shares)};
  for (const double p : shares) {
    if (p > 0) result.log_loss -= p * std::log(p);
  }
  return result;
}

std::optional<MeanGuess> find_mean_guess(Source& x, const Exec& exec) {
  const Truth truth(x, exec);
  if (truth.numbers.empty()) return std::nullopt;
  const double mean = truth.mean();
  if (std::isnan(mean)) return std::nullopt;  // all weights are 0
  Sum weight, squares, distances;
  for (std::size_t i = 0; i < truth.numbers.size(); ++i) {
    const double w = truth.weights[i], error = truth.numbers[i] - mean;
    weight += w;
    squares += w * error * error;
    distances += w * std::abs(error);
  }
  return MeanGuess{mean, squares.value() / weight.value(), distances.value() / weight.value()};
}

Results measure_guessing(Source& x, std::span<const Folds> splits, const Measuring& measuring,
                         const Exec& exec) {
  const Truth truth(x, exec);
  if (truth.size() == 0) return {};
  Results results;
  for (const Folds& folds : splits) {
    for (Index fold = 0; fold < folds.size; ++fold) {
      results.push_back(guess_fold(truth, folds, fold, measuring));
    }
  }
  return results;
}

}  // namespace craton
