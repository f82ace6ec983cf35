#include "craton/classes/product/best_features.h"

#include <cmath>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"

namespace craton {
namespace {

// How well each feature by itself fits the rows, given their labels, and how well it tells these.
class Likelihoods {
 public:
  Likelihoods(const FeatureScores& scores, std::span<const double> log_prior)
      : scores_(&scores),
        log_prior_(log_prior),
        values(scores.features().size()),
        labels(values.size()) {}

  void accumulate(const Chunk& chunk) {
    const std::size_t k = log_prior_.size();
    std::vector<double> joint(usize(chunk.rows()) * k);
    for (std::size_t f = 0; f < values.size(); ++f) {
      for (std::size_t i = 0; i < joint.size(); ++i) joint[i] = log_prior_[i % k];
      scores_->add(f, chunk.x, joint);
      for (Index i = 0; i < chunk.rows(); ++i) {
        const std::span<const double> row(&joint[usize(i) * k], k);
        const std::size_t label = usize(chunk.labels[usize(i)]);
        const double marginal = log_sum(row);
        values[f] += chunk.weight(i) * (row[label] - log_prior_[label]);
        labels[f] += chunk.weight(i) * (marginal == -INFINITY ? marginal : row[label] - marginal);
      }
    }
  }
  void merge(const Likelihoods& next) {
    for (std::size_t f = 0; f < values.size(); ++f) {
      values[f] += next.values[f];
      labels[f] += next.labels[f];
    }
  }
  void write(Writer& writer) const {
    writer.put(values);
    writer.put(labels);
  }
  void read(Reader& reader) {
    reader.get(values);
    reader.get(labels);
  }
  Index words() const { return 2 * std::ssize(values); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const FeatureScores* scores_;
  std::span<const double> log_prior_;

 public:
  std::vector<double> values, labels;  // sums of log p(x_j | label) and of log p(label | x_j)
};

}  // namespace

std::vector<Feature> best_features(const std::vector<Feature>& candidates,
                                   const LabelledSample& sample, const Schema& schema,
                                   const Smoothing& smoothing, const Exec& exec) {
  MemorySource x = sample.source(schema);
  const Index k = count_classes(x);
  if (candidates.size() == usize(x.shape().cols)) return candidates;
  const ClassStatistics seen = find_class_statistics(x, candidates, k, exec);
  const std::vector<double> log_prior = log_class_prior({}, seen.weight());
  const FeatureScores scores(candidates, estimate_features(candidates, seen, smoothing), k);
  const Likelihoods fits = fold(x, Likelihoods(scores, log_prior), exec);
  double rows = 0;
  for (const double w : seen.weight()) rows += w;
  const auto free = [&](std::size_t f) {
    const Feature& feature = candidates[f];
    const Index each = feature.family->free_parameters(feature.levels);
    return static_cast<double>(k * each + ssize(feature.cuts));
  };
  const auto fit = [&](std::size_t f) { return free(f) * std::log(rows) - 2 * fits.values[f]; };
  const auto prediction = [&](std::size_t f) { return 2 * free(f) - 2 * fits.labels[f]; };
  std::vector<Feature> result;
  std::size_t best = 0;
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    const bool first = result.empty() || result.back().column != candidates[f].column;
    const bool better =
        !first && (candidates[f].buckets ? prediction(f) < prediction(best) : fit(f) < fit(best));
    if (!first && !better) continue;
    if (better) result.pop_back();
    result.push_back(candidates[f]);
    best = f;
  }
  return result;
}

}  // namespace craton
