#pragma once
#include <span>
#include <vector>

#include "craton/base/options.h"
#include "craton/classes/counts/feature_sums.h"

// The estimates of the models of count_bayes.h, from the sums of their features: tables of classes
// x columns.

namespace craton {

// What is added to counts: one alpha for all features, or one for each; or m rows that have each
// feature with probability prior_p, the m-estimate (Cestnik, "Estimating probabilities: a crucial
// task in machine learning", ECAI 1990).
struct CountSmoothing {
  double alpha = 1;
  Array feature_alpha;
  double m = 0;   // 0: not given
  Array prior_p;  // empty: not given
};
void describe(OptionVisitor& v, CountSmoothing& smoothing);

// A number for each feature, or one for all of them: tables of words are wide.
class PerFeature {
 public:
  PerFeature() = default;
  PerFeature(double all, Index columns) : all_(all), columns_(columns) {}
  explicit PerFeature(std::vector<double> each) : columns_(ssize(each)), each_(std::move(each)) {}

  double operator[](std::size_t j) const { return each_.empty() ? all_ : each_[j]; }
  bool alike() const { return each_.empty(); }
  double sum() const;
  double least() const;  // 0 of none
  std::vector<double> values() const;

 private:
  double all_ = 0;
  Index columns_ = 0;
  std::vector<double> each_;
};

struct Alphas {
  PerFeature there;   // added to the count of each feature
  PerFeature absent;  // and to that of the rows without it; of presence only
};

// Of counts m is of words: m = the number of features and p = 1/m unless given. Of presence it is
// of rows: m = 2 and p = 1/2. Both are alpha = 1. InputError for a wrong number of values, or some
// that are none.
Alphas count_alphas(const CountSmoothing& smoothing, Index columns);
Alphas presence_alphas(const CountSmoothing& smoothing, Index columns);

Array multinomial_estimate(const NonzeroSums& sums, const PerFeature& alpha);  // log p_cj
Array bernoulli_estimate(const NonzeroSums& sums, const Alphas& alphas);       // log p_cj
// What a file says they are: InputError (kDamagedModel) for what is no log probability. `most`: one
// that has all counts may be above 0, by rounding.
void check_feature_log_prob(std::span<const double> table, double most = 1e-9);
Array mean_lengths(const NonzeroSums& sums);  // of the rows of each class; 0 of none
Array complement_weights(const NonzeroSums& sums, const PerFeature& alpha, bool norm);

}  // namespace craton
