#include <cmath>
#include <limits>

#include "craton/classes/count_bayes.h"
#include "craton/classes/most_telling.h"
#include "craton/core/digits.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

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
  const auto telling = most_telling(feature_log_prob().values, classes());
  SummaryTable table{"classes", {"class", "probability", "features that speak for it"}, {}};
  for (std::size_t c = 0; c < telling.size(); ++c) {
    std::string names;
    for (const std::size_t j : telling[c]) {
      names += (names.empty() ? "" : ", ") + schema.name(static_cast<Index>(j));
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
