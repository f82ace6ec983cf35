#include "craton/classes/product_bayes.h"

#include <algorithm>
#include <cmath>

#include "craton/classes/product_leave_one_out.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"

namespace craton {

template <ProductModel kModel>
void ProductBayes<kModel>::joint(const Chunk& chunk, std::span<double> out) const {
  const std::vector<double>& log_prior = class_log_prior_.values;
  for (std::size_t i = 0; i < out.size(); i += log_prior.size()) {
    std::ranges::copy(log_prior, out.begin() + static_cast<Index>(i));
  }
  for (std::size_t j = 0; j < features().size(); ++j) scores_.add(j, chunk.x, out);
}

template <ProductModel kModel>
template <class F>
auto ProductBayes<kModel>::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto checked = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    joint(chunk, out);
  };
  if (!calibration_) return f(BayesRule(class_log_prior_.values, checked));
  const auto scales = [&](const Chunk& chunk, std::span<double> out) {
    count_values(chunk, out);
    for (double& v : out) v = calibration_->calibration.of(v);
  };
  return f(BayesRule(class_log_prior_.values, checked, Scales(scales)));
}

template <ProductModel kModel>
void ProductBayes<kModel>::predict(Source& x, std::span<std::int32_t> labels,
                                   const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

template <ProductModel kModel>
void ProductBayes<kModel>::predict_log_proba(Source& x, std::span<double> out,
                                             const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

template <ProductModel kModel>
void ProductBayes<kModel>::score_samples(Source& x, std::span<double> log_density,
                                         const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, log_density, exec); });
}

template <ProductModel kModel>
void ProductBayes<kModel>::contributions(const Chunk& chunk, Index row, Index label,
                                         std::span<double> out) const {
  const Matrix one = slice(chunk.x, {row, row + 1});
  std::vector<double> terms(usize(classes()));
  out[0] = class_log_prior_.values[usize(label)];
  for (std::size_t j = 0; j < features().size(); ++j) {
    std::ranges::fill(terms, 0.0);
    scores_.add(j, one, terms);
    out[j + 1] = terms[usize(label)];
  }
}

template <ProductModel kModel>
BayesRule::Score ProductBayes<kModel>::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

template <ProductModel kModel>
double ProductBayes<kModel>::score(Source& x, const Exec& exec) const {
  return measure(x, exec).accuracy;
}

template <ProductModel kModel>
std::vector<Measure> ProductBayes<kModel>::measures(Source& x, const Exec& exec) const {
  return measure(x, exec).measures();
}

template <ProductModel kModel>
Index ProductBayes<kModel>::free_parameters(const Options& options) const {
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  Index sum = prior ? classes() - 1 : 0;
  for (const Feature& f : features()) sum += classes() * f.family->free_parameters(f.levels);
  return sum;
}

template <ProductModel kModel>
Sample ProductBayes<kModel>::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = features().size();
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  std::vector<double> prior;
  for (const double log_p : class_log_prior_.values) prior.push_back(std::exp(log_p));
  for (std::size_t i = 0; i < usize(rows); ++i) {
    Random random(seed, Purpose::kSample, 0, i);
    const Index c = random.categorical(prior);
    sample.labels[i] = static_cast<std::int32_t>(c);
    for (std::size_t j = 0; j < d; ++j) {
      const Feature& feature = features()[j];
      double& value = sample.x.values[i * d + j];
      feature.family->sample(scores_.of(j, usize(c)), random, std::span(&value, 1));
      if (!feature.buckets) continue;
      const auto [from, to] = feature.ends(static_cast<Index>(value));
      value = from + (to - from) * random.uniform();
    }
  }
  return sample;
}

template class ProductBayes<ProductModel::kMixed>;
template class ProductBayes<ProductModel::kCategorical>;

}  // namespace craton
