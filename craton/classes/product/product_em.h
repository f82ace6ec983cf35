#pragma once
#include <optional>
#include <vector>

#include "craton/classes/class_prior.h"
#include "craton/classes/latent_class.h"
#include "craton/classes/product/class_product.h"
#include "craton/classes/product/feature_estimates.h"
#include "craton/engine/em.h"

// EM for a class and columns of any family given it (latent_class.h), whether the class is seen for
// some rows, as in naive Bayes, or for none, as in mixtures.

namespace craton {

// What is known of q(z).
struct Latent {
  Assignment assignment = Assignment::kSoft;
  double unlabelled_weight = 1;  // of a row without a label, beside 1 with one
  bool labels = true;            // false: rows have none, whatever they say
};

// p(z) by the weight of each class; concentration - 1 rows more of each, the mode under a Dirichlet
// prior of that concentration.
struct ClassWeights {
  ClassPrior prior;
  double concentration = 1;

  std::vector<double> log_estimate(std::vector<double> weights) const;
  double log_density(std::span<const double> log_weights) const;  // beside that of its mode
};

// The E-step, and the sums of the M-step, by the program of a model. Borrows it for one pass.
class ProductRows {
 public:
  // `log_prior`: the log-density of the model's parameters.
  ProductRows(const ClassProduct& model, const Latent& latent, double log_prior);

  const ProductSums& sums() const { return sums_; }
  ClassStatistics statistics(const Exec& exec) const;
  void borrow(const ClassProduct& same);  // after the pass
  double objective() const { return (bound_.value() + log_prior_) / bound_.weight; }
  double entropy() const { return bound_.entropy / bound_.weight; }
  // The objective of this q(z) and other parameters, whose log-density is given.
  double expected(const ClassProduct& next, double log_prior) const;

  void accumulate(const Chunk& given);
  void merge(const ProductRows& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return sums_.words() + (terms_ ? terms_->words() : 0) + 4; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const ClassProduct* model_;
  Latent latent_;
  double log_prior_, base_ = 0;
  Bound bound_;
  ProductSums sums_;
  std::optional<FeatureSums> terms_;
};

// The M-step: parameters from statistics, with priors that stay the same all along.
class ProductEstimator {
 public:
  // `columns`: the statistics of each feature over all rows. `labelled`: those of rows whose class
  // is seen, for spread_within(); may be null.
  ProductEstimator(std::vector<Feature> features, std::vector<Statistics> columns,
                   const Smoothing& smoothing, ClassWeights weights,
                   const ClassStatistics* labelled = nullptr);

  const std::vector<Feature>& features() const { return features_; }
  ClassProduct estimate(const ClassStatistics& seen) const;
  double log_prior(const ClassProduct& model) const;
  // Whether every update maximises: not where an estimate is found by a search over all values.
  bool climbs() const;

 private:
  std::vector<Feature> features_;
  std::vector<FeatureEstimator> estimators_;
  double alpha_;
  ClassWeights weights_;
};

// Over all rows, by their weights in EM.
std::vector<Statistics> column_statistics(Source& x, const std::vector<Feature>& features,
                                          const Latent& latent, const Exec& exec);

struct ProductFit {
  ClassProduct model;
  FitReport report;            // with half-steps, and notes of classes that lost their rows
  ClassStatistics statistics;  // of the last pass
};
ProductFit product_em(Source& x, ClassProduct start, const ProductEstimator& estimator,
                      const Latent& latent, EmOptions options, const Exec& exec);

}  // namespace craton
