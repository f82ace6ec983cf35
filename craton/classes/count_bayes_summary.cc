#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/classes/count_bayes.h"
#include "craton/core/digits.h"

namespace craton {
namespace {

constexpr std::size_t kTop = 8;  // features of a class to show
constexpr double kInfinite = std::numeric_limits<double>::infinity();

void describe_shared(OptionVisitor& v, CountOptions& o) {
  describe(v, o.smoothing);
  describe(v, o.prior);
  v.choice("calibrate", o.calibrate, {"none", "leave-one-out"},
           "make the probabilities honest, by rows left out; labels stay");
}

}  // namespace

void describe(OptionVisitor& v, MultinomialNB::Options& o) {
  describe_shared(v, o);
  describe(v, o.semi);
}

void describe(OptionVisitor& v, BernoulliNB::Options& o) {
  describe_shared(v, o);
  v.number("binarize", o.binarize, -kInfinite, kInfinite,
           "values above this count as 1, others as 0");
  describe(v, o.semi);
}

void describe(OptionVisitor& v, ComplementNB::Options& o) {
  describe_shared(v, o);
  v.flag("norm", o.norm, "divide the weights of each class by their sum");
}

// Each class with its probability and the features that speak for it most, against the mean of
// all classes.
template <CountModel kModel>
std::vector<SummaryTable> CountBayes<kModel>::summary(const Schema& schema) const {
  const std::size_t k = usize(classes()), d = usize(columns());
  std::vector<double> mean(d);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < d; ++j) {
      mean[j] += std::max(feature_log_prob_.values[c * d + j], -700.0) / static_cast<double>(k);
    }
  }
  SummaryTable table{"classes", {"class", "probability", "features that speak for it"}, {}};
  std::vector<std::size_t> order(d);
  for (std::size_t c = 0; c < k; ++c) {
    const double* const row = &feature_log_prob_.values[c * d];
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t top = std::min(kTop, d);
    const auto more = [&](std::size_t a, std::size_t b) {
      const double of_a = row[a] - mean[a], of_b = row[b] - mean[b];
      return of_a > of_b || (of_a == of_b && a < b);
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<Index>(top), order.end(), more);
    std::string names;
    for (std::size_t i = 0; i < top && (k == 1 || row[order[i]] > mean[order[i]]); ++i) {
      names += (i > 0 ? ", " : "") + schema.name(static_cast<Index>(order[i]));
    }
    table.rows.push_back({label_name(schema, static_cast<Index>(c)),
                          shown_beside(std::exp(class_log_prior_.values[c]), 0, 4), names});
  }
  if (!calibration_) return {table};
  return {table, calibration_table(*calibration_)};
}

template std::vector<SummaryTable> MultinomialNB::summary(const Schema&) const;
template std::vector<SummaryTable> BernoulliNB::summary(const Schema&) const;
template std::vector<SummaryTable> ComplementNB::summary(const Schema&) const;

}  // namespace craton
