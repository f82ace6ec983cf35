#include "craton/classes/product_bayes.h"

#include <algorithm>
#include <cmath>

#include "craton/classes/product_leave_one_out.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"

namespace craton {

template <ProductModel kModel>
template <class F>
auto ProductBayes<kModel>::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto checked = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    joint(chunk, out);
    check_joint(chunk, x, out);
  };
  if (!calibration_) return f(BayesRule(product_.class_log_prior(), checked));
  const auto scales = [&](const Chunk& chunk, std::span<double> out) {
    count_values(chunk, out);
    for (double& v : out) v = calibration_->calibration.of(v);
  };
  return f(BayesRule(product_.class_log_prior(), checked, Scales(scales)));
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
  return (prior ? classes() - 1 : 0) + product_.free_parameters();
}

template <ProductModel kModel>
std::vector<Parameter> ProductBayes<kModel>::parameters() const {
  std::vector<Parameter> result = product_.parameters();
  if (calibration_) append_calibration(*calibration_, result);
  return result;
}

template <ProductModel kModel>
ProductBayes<kModel> ProductBayes<kModel>::from_parameters(std::span<const Parameter> parameters) {
  ProductBayes model(ClassProduct::from_parameters(parameters));
  model.calibration_ = read_calibration(parameters);
  return model;
}

template <ProductModel kModel>
std::vector<SummaryTable> ProductBayes<kModel>::summary(const Schema& schema) const {
  std::vector<SummaryTable> tables = product_.summary(schema);
  if (calibration_) tables.push_back(calibration_table(*calibration_));
  return tables;
}

template class ProductBayes<ProductModel::kMixed>;
template class ProductBayes<ProductModel::kCategorical>;

}  // namespace craton
