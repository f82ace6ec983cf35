#include "craton/classes/gaussian_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/classes/gaussian_boundary.h"
#include "craton/core/digits.h"
#include "craton/core/error.h"
#include "craton/core/random.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

constexpr Index kFeaturesShown = 12;  // features of a model to show

}  // namespace

GaussianNB::GaussianNB(Array class_log_prior, Array theta, Array variances, double epsilon)
    : class_log_prior_(std::move(class_log_prior)),
      theta_(std::move(theta)),
      variances_(std::move(variances)),
      epsilon_(epsilon),
      scores_(class_log_prior_.values, theta_, variances_) {}

template <class F>
auto GaussianNB::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto scores = [&](const Chunk& chunk, std::span<double> out) {
    scores_.find(chunk, x, out);
  };
  return f(BayesRule(class_log_prior_.values, scores));
}

void GaussianNB::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void GaussianNB::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void GaussianNB::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, out, exec); });
}

std::int32_t GaussianNB::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.find_row(row, joint) ? best_class(joint) : -1;
}

bool GaussianNB::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return scores_.find_row(row, joint) && normalise(joint, work);
}

double GaussianNB::score_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.find_row(row, joint) ? log_sum(joint) : NAN;
}

double GaussianNB::score(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec).accuracy; });
}

std::vector<Measure> GaussianNB::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all =
      with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec).measures(); });
  all.pop_back();  // no row is impossible
  return all;
}

Sample GaussianNB::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = usize(columns());
  std::vector<double> prior;
  for (const double l : class_log_prior_.values) prior.push_back(std::exp(l));
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  for (std::size_t i = 0; i < usize(rows); ++i) {
    Random random(seed, Purpose::kSample, 0, i);
    const std::size_t c = usize(random.categorical(prior));
    sample.labels[i] = static_cast<std::int32_t>(c);
    for (std::size_t j = 0; j < d; ++j) {
      const double deviation = std::sqrt(variances_.values[c * d + j]);
      sample.x.values[i * d + j] = theta_.values[c * d + j] + deviation * random.normal();
    }
  }
  return sample;
}

Index GaussianNB::free_parameters(const Options& options) const {
  const Index k = classes(), d = columns();
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  const Index variances = options.variance == Variance::kOwn      ? k * d
                          : options.variance == Variance::kShared ? d
                                                                  : 0;
  return k * d + variances + (prior ? k - 1 : 0);
}

LinearForm GaussianNB::linear_form() const {
  const std::size_t k = usize(classes()), d = usize(columns());
  LinearForm form{theta_, class_log_prior_};
  for (std::size_t at = 0; at < k * d; ++at) {
    const double variance = variances_.values[at % d], mean = theta_.values[at];
    if (variances_.values[at] != variance) {
      throw InputError(Code::kNotAble, {},
                       "the classes have variances of their own, so there is no linear form",
                       "Fit with variance = shared or given.");
    }
    form.coef.values[at] = mean / variance;
    form.intercept.values[at / d] -= mean * mean / variance / 2;
  }
  return form;
}

void GaussianNB::contributions(const Chunk& chunk, Index row, Index label,
                               std::span<double> out) const {
  out[0] = class_log_prior_.values[usize(label)];
  const std::span<double> terms = out.subspan(1);
  std::visit([&](const auto& x) { copy_row(x, row, terms.data()); }, chunk.x);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const double variance = variances_.view().row(label)[j];
    const double apart = terms[j] - theta_.view().row(label)[j];
    const double exponent = kLogTwoPi + std::log(variance) + apart * apart / variance;
    terms[j] = std::isnan(apart) ? 0 : -exponent / 2;  // what is missing says nothing
  }
}

std::vector<Boundary> GaussianNB::boundaries() const {
  return find_boundaries(GaussianClasses(class_log_prior_, theta_, variances_, false, 0));
}

std::vector<Parameter> GaussianNB::parameters() const {
  return {{"class_log_prior", "log probability of each class", class_log_prior_},
          {"theta", "mean of each feature in each class", theta_},
          {"var", "variance of each feature in each class, epsilon included", variances_},
          {"epsilon", "what was added to every variance", {{1}, {epsilon_}}}};
}

GaussianNB GaussianNB::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const std::array<Index, 2> shape{prior.rows(), -1};
  const Array& theta = get_parameter(parameters, "theta", shape);
  const Array& variances =
      get_parameter(parameters, "var", std::array<Index, 2>{prior.rows(), theta.cols()});
  const double epsilon = get_parameter(parameters, "epsilon", std::array<Index, 1>{1}).values[0];
  check_log_prior(prior.values);
  if (theta.empty()) fail_parameters("there are no features");
  for (const double mean : theta.values) {
    if (!std::isfinite(mean)) fail_parameters("a mean is not finite");
  }
  for (const double v : variances.values) {
    if (!std::isnormal(v) || v < 0) fail_parameters("a variance is not positive");
  }
  if (!(epsilon >= 0 && std::isfinite(epsilon))) fail_parameters("epsilon is negative");
  return GaussianNB(prior, theta, variances, epsilon);
}

// Each class with its probability, and the mean and standard deviation of its first features.
std::vector<SummaryTable> GaussianNB::summary(const Schema& schema) const {
  const Index d = columns(), shown = std::min(d, kFeaturesShown);
  std::string title = "means (standard deviations)";
  if (shown < d) title += fmt::format(" of the first {} of {} features", shown, d);
  SummaryTable table{title, {"class", "probability"}, {}};
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index c = 0; c < classes(); ++c) {
    std::vector<std::string> row{label_name(schema, c),
                                 shown_beside(std::exp(class_log_prior_.values[usize(c)]), 0, 4)};
    for (Index j = 0; j < shown; ++j) {
      const double deviation = std::sqrt(variances_.view().row(c)[j]);
      row.push_back(fmt::format("{} ({})", shown_beside(theta_.view().row(c)[j], deviation, 4),
                                shown_beside(deviation, 0, 3)));
    }
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace craton
