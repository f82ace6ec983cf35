#include <algorithm>
#include <cmath>

#include "craton/classes/product_em.h"

// The M-step, and the statistics of whole columns that its priors are made of.

namespace craton {

std::vector<double> ClassWeights::log_estimate(std::vector<double> weights) const {
  for (double& w : weights) w += concentration - 1;
  return log_class_prior(prior, weights);
}

double ClassWeights::log_density(std::span<const double> log_weights) const {
  if (concentration == 1) return 0;
  double sum = 0;  // beside equal weights, where it is greatest
  for (const double v : log_weights) sum += v + std::log(static_cast<double>(log_weights.size()));
  return (concentration - 1) * sum;
}

ProductEstimator::ProductEstimator(std::vector<Feature> features, std::vector<Statistics> columns,
                                   const Smoothing& smoothing, ClassWeights weights,
                                   const ClassStatistics* labelled)
    : features_(std::move(features)), weights_(std::move(weights)) {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const double within = labelled ? spread_within(features_[f], *labelled, f) : 1;
    estimators_.emplace_back(features_[f], std::move(columns[f]), smoothing, within);
  }
}

ClassProduct ProductEstimator::estimate(const ClassStatistics& seen) const {
  std::vector<Parameters> parameters;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    for (std::size_t z = 0; z < usize(seen.classes()); ++z) {
      parameters.push_back(estimators_[f].estimate(seen.of(f, z)));
    }
  }
  return ClassProduct({{seen.classes()}, weights_.log_estimate(seen.weight())}, features_,
                      std::move(parameters));
}

double ProductEstimator::log_prior(const ClassProduct& model) const {
  double sum = weights_.log_density(model.class_log_prior());
  for (std::size_t f = 0; f < features_.size(); ++f) {
    for (Index z = 0; z < model.classes(); ++z) {
      sum += estimators_[f].log_prior(model.of(static_cast<Index>(f), z));
    }
  }
  return sum;
}

bool ProductEstimator::climbs() const {
  return std::ranges::none_of(features_, [](const Feature& f) {
    return std::holds_alternative<Values>(f.family->empty(f.levels));
  });
}

namespace {

// All rows as one class.
class ColumnRows {
 public:
  ColumnRows(const Source& x, const std::vector<Feature>& features, const Latent& latent)
      : latent_(latent), sums_(x, features, 1) {}

  void accumulate(const Chunk& chunk) {
    std::vector<double> weights(usize(chunk.rows()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      const bool seen = latent_.labels && !chunk.labels.empty() && chunk.labels[usize(i)] >= 0;
      weights[usize(i)] = chunk.weight(i) * (seen ? 1 : latent_.unlabelled_weight);
    }
    sums_.share(chunk, weights);
  }
  void merge(const ColumnRows& next) { sums_.merge(next.sums_); }
  void write(Writer& writer) const { sums_.write(writer); }
  void read(Reader& reader) { sums_.read(reader); }
  Index words() const { return sums_.words(); }
  Merge merge_kind() const { return Merge::kTree; }
  const ClassStatistics& sums() const { return sums_; }

 private:
  Latent latent_;
  ClassStatistics sums_;
};

}  // namespace

std::vector<Statistics> column_statistics(Source& x, const std::vector<Feature>& features,
                                          const Latent& latent, const Exec& exec) {
  const ColumnRows rows = fold(x, ColumnRows(x, features, latent), exec);
  std::vector<Statistics> columns;
  for (std::size_t f = 0; f < features.size(); ++f) columns.push_back(rows.sums().of(f, 0));
  return columns;
}

}  // namespace craton
