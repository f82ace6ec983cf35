#include "craton/linear/logistic.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/classes/bayes_rule.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"
#include "craton/linear/logistic_inference.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

namespace craton {

void describe(OptionVisitor& v, LogisticRegression::Options& o) {
  v.choice("penalty", o.penalty, {"l2", "none", "firth"},
           "l2: alpha / 2 times the squares of the coefficients; firth: minus half the log "
           "determinant of the information, for few rows or separated classes");
  v.number("alpha", o.alpha, 0, std::numeric_limits<double>::infinity(),
           "of l2: the precision of the coefficients' Gaussian prior, 1 / C; 0: no penalty");
  v.array("feature_alpha", o.feature_alpha, "the same for each column; wins over alpha");
  v.array(
      "prior_mean", o.prior_mean,
      "what the penalty pulls coefficients to, instead of 0; of more than two classes, a row for "
      "each");
  v.array("prior_covariance", o.prior_covariance,
          "the prior's covariance of the coefficients, over alpha, instead of feature_alpha");
  v.flag("fit_intercept", o.fit_intercept, "add a constant for each class, without a penalty");
  v.integer("max_iter", o.max_iter, 0, 1'000'000, "steps, at most");
  v.number("tol", o.tol, 0, std::numeric_limits<double>::infinity(),
           "stop when the next step is shorter than this, in standard errors");
  v.choice("errors", o.errors, {"auto", "none", "model", "robust"},
           "of the coefficients: from the curvature of the objective, or from that and the "
           "residuals (HC0); auto: model, of up to 1000 coefficients");
}

void LogisticRegression::prepare() {
  const std::size_t k = usize(classes()), d = usize(columns());
  const std::size_t stride = usize(padded_classes(classes()));
  log_prior_.clear();
  weights_.assign(d * stride, 0.0);
  start_.assign(stride, 0.0);
  std::size_t form = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const double share = class_count_.values[c] / weight();
    log_prior_.push_back(share > 0 ? std::log(share) : kNever);
    if (share > 0 && form++ > 0) {
      start_[c] = odds_intercept_.values[form - 2];
      for (std::size_t j = 0; j < d; ++j) {
        weights_[j * stride + c] = odds_coef_.values[(form - 2) * d + j];
      }
    } else if (share == 0) {
      start_[c] = kNever;
    }
  }
  sparse_start_ = start_;
  for (std::size_t at = 0; at < d * stride; ++at) {
    sparse_start_[at % stride] -= weights_[at] * centre_.values[at / stride];
  }
}

template <class T>
void LogisticRegression::sparse_scores(const Sparse<T>& x, Index row, double* out) const {
  std::ranges::copy(sparse_start_, out);
  const Index first = x.offsets[row];
  add_scores(x.values + first, x.columns + first, x.offsets[row + 1] - first,
             x.offsets[x.rows] - first, weights_.data(), ssize(sparse_start_), out);
}

// log p(class | row), up to a term that all classes share.
void LogisticRegression::scores(const Chunk& chunk, const Source& x, std::span<double> out) const {
  check_finite(chunk, x);
  const std::size_t k = usize(classes()), stride = usize(padded_classes(classes()));
  const auto of_sparse = [&](const auto& rows) {
    std::vector<double> row(stride);
    for (Index i = 0; i < rows.rows; ++i) {
      sparse_scores(rows, i, row.data());
      std::copy_n(row.begin(), k, out.begin() + i * classes());
    }
  };
  std::visit(
      [&](const auto& rows) {
        if constexpr (requires { rows.stride; }) {
          centred_scores(rows, centre_.values.data(), weights_.data(), start_.data(), classes(),
                         out.data());
        } else {
          of_sparse(rows);
        }
      },
      chunk.x);
  check_joint(chunk, x, out);
}

namespace {

template <class F>
auto with_scores(Source& x, Index columns, std::span<const double> log_prior, const F& scores,
                 const auto& use) {
  check_columns(x, columns);
  return use(BayesRule(log_prior, scores));
}

}  // namespace

void LogisticRegression::predict(Source& x, std::span<std::int32_t> labels,
                                 const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> out) { scores(chunk, x, out); };
  with_scores(x, columns(), log_prior_, joint,
              [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void LogisticRegression::predict_log_proba(Source& x, std::span<double> out,
                                           const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> of) { scores(chunk, x, of); };
  with_scores(x, columns(), log_prior_, joint,
              [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

// With eta_r = g_r . (x - centre) + b_r, the derivative of logit p(c) by eta_c is 1, and that by
// another eta_r is -p(r) / (1 - p(c)).
double LogisticRegression::logit_variance(const double* row, const double* log_p,
                                          Index label) const {
  const Index q = terms(), size = forms() * q;
  double most = kNever, others = 0;
  for (Index c = 0; c < classes(); ++c) {
    if (c != label) most = std::max(most, log_p[c]);
  }
  for (Index c = 0; c < classes(); ++c) {
    if (c != label && log_p[c] > kNever) others += std::exp(log_p[c] - most);
  }
  std::vector<double> derivative;
  for (Index r = 0; r < forms(); ++r) {
    const Index c = label_of(r);
    const double by = c == label ? 1 : log_p[c] > kNever ? -std::exp(log_p[c] - most) / others : 0;
    for (Index j = 0; j < q; ++j) {
      derivative.push_back(j == columns() ? by : by * (row[j] - centre_.values[usize(j)]));
    }
  }
  double variance = 0;
  for (Index i = 0; i < size; ++i) {
    double sum = 0;
    for (Index j = 0; j < size; ++j) {
      sum += covariance_.values[usize(i * size + j)] * derivative[usize(j)];
    }
    variance += sum * derivative[usize(i)];
  }
  return std::max(variance, 0.0);
}

void LogisticRegression::intervals(Source& x, double level, ResultTable& rows,
                                   const Exec& exec) const {
  check_columns(x, columns());
  if (covariance_.empty()) {
    throw InputError(Code::kNotAble, {}, "the covariance of the coefficients is not known",
                     {"Fit with {}; of columns that do not depend on each other.",
                      Ref::option("errors", "model")});
  }
  const std::size_t n = usize(x.shape().rows), k = usize(classes());
  std::vector<std::int32_t> labels(n);
  std::vector<double> log_p(n * k), of_label(n), low(n), high(n);
  predict(x, labels, exec);
  predict_log_proba(x, log_p, exec);
  const double wide = normal_quantile_of_tails(1 - level);
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& view) { copy_row(view, i, row.data()); }, chunk.x);
      const std::size_t at = usize(chunk.first_row + i), label = usize(labels[at]);
      double other = 0;  // 1 - p, to its last digit
      for (std::size_t c = 0; c < k; ++c) other += c == label ? 0 : std::exp(log_p[at * k + c]);
      of_label[at] = log_p[at * k + label];
      const double logit = of_label[at] - std::log(other);
      const double error = wide * std::sqrt(logit_variance(row.data(), &log_p[at * k], labels[at]));
      low[at] = 1 / (1 + std::exp(error - logit));
      high[at] = 1 / (1 + std::exp(-error - logit));
      if (std::isnan(low[at]) || std::isnan(high[at])) low[at] = 0, high[at] = 1;  // too far away
    }
  });
  rows.add_numbers("label", {labels.begin(), labels.end()}, {0, Digits::Form::kDecimals});
  rows.add_probabilities("probability", of_label);
  rows.add_numbers("low", std::move(low));
  rows.add_numbers("high", std::move(high));
}

double LogisticRegression::score(Source& x, const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> out) { scores(chunk, x, out); };
  return with_scores(x, columns(), log_prior_, joint,
                     [&](const BayesRule& rule) { return rule.score(x, exec).accuracy; });
}

std::vector<Measure> LogisticRegression::measures(Source& x, const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> out) { scores(chunk, x, out); };
  return with_scores(x, columns(), log_prior_, joint, [&](const BayesRule& rule) {
    const BayesRule::Score score = rule.score(x, exec);
    return std::vector<Measure>{{"accuracy", score.accuracy},
                                {"mean log p(label | row)", score.conditional}};
  });
}

Index LogisticRegression::row_work() const { return classes() + centred_room(columns()); }

namespace {

bool all_finite(const double* row, Index size) {
  return std::all_of(row, row + size, [](double v) { return std::isfinite(v); });
}

}  // namespace

std::int32_t LogisticRegression::predict_row(const double* row, double* work) const {
  if (!all_finite(row, columns())) return -1;
  const Dense<double> one{row, 1, columns(), columns()};
  centred_scores(one, centre_.values.data(), weights_.data(), start_.data(), classes(), work,
                 work + classes());
  return best_class({work, usize(classes())});
}

bool LogisticRegression::predict_log_proba_row(const double* row, double* work, double* out) const {
  if (!all_finite(row, columns())) return false;
  const Dense<double> one{row, 1, columns(), columns()};
  centred_scores(one, centre_.values.data(), weights_.data(), start_.data(), classes(), out,
                 work + classes());
  return normalise({out, usize(classes())}, work);
}

std::int32_t LogisticRegression::predict_entries(const Sparse<double>& row, double* work) const {
  sparse_scores(row, 0, work);
  return best_class({work, usize(classes())});
}

bool LogisticRegression::predict_log_proba_entries(const Sparse<double>& row, double* work,
                                                   double* out) const {
  sparse_scores(row, 0, work);
  std::copy_n(work, classes(), out);
  return normalise({out, usize(classes())}, work);
}

void LogisticRegression::contributions(const Chunk& chunk, Index row, Index label,
                                       std::span<double> out) const {
  const std::size_t d = usize(columns()), stride = usize(padded_classes(classes()));
  std::vector<double> x(d);
  std::visit([&](const auto& rows) { copy_row(rows, row, x.data()); }, chunk.x);
  out[0] = start_[usize(label)];
  for (std::size_t j = 0; j < d; ++j) {
    out[j + 1] = weights_[j * stride + usize(label)] * (x[j] - centre_.values[j]);
  }
}

LinearForm LogisticRegression::linear_form() const {
  const std::size_t k = usize(classes()), d = usize(columns());
  const std::size_t stride = usize(padded_classes(classes()));
  const double present = static_cast<double>(forms() + 1);
  LinearForm form{{{classes(), columns()}, std::vector<double>(k * d)},
                  {{classes()}, std::vector<double>(k)}};
  const double middle =
      std::accumulate(odds_intercept_.values.begin(), odds_intercept_.values.end(), 0.0) / present;
  std::vector<double> mean(d);
  for (std::size_t at = 0; at < odds_coef_.values.size(); ++at) {
    mean[at % d] += odds_coef_.values[at] / present;
  }
  for (std::size_t c = 0; c < k; ++c) {
    double& intercept = form.intercept.values[c];
    intercept = start_[c] - middle;
    if (start_[c] == kNever) continue;
    for (std::size_t j = 0; j < d; ++j) {
      const double beta = weights_[j * stride + c] - mean[j];
      form.coef.values[c * d + j] = beta;
      intercept -= beta * centre_.values[j];
    }
  }
  return form;
}

std::vector<Boundary> LogisticRegression::boundaries() const {
  if (columns() > 2) {
    throw InputError(
        Code::kNotAble, {},
        fmt::format("boundaries are given of one or two features, and the model has {}", columns()),
        {"Fit it on one or two of the columns{}.", Ref::either(": --features a,b", "")});
  }
  const std::size_t d = usize(columns()), stride = usize(padded_classes(classes()));
  std::vector<Boundary> result;
  for (Index a = 0; a < classes(); ++a) {
    for (Index b = a + 1; b < classes(); ++b) {
      if (start_[usize(a)] == kNever || start_[usize(b)] == kNever) continue;
      Boundary line{.label = a,
                    .other = b,
                    .quadratic = {{columns(), columns()}, std::vector<double>(d * d)},
                    .linear = {{columns()}, {}},
                    .constant = start_[usize(a)] - start_[usize(b)],
                    .points = {},
                    .shape = "nowhere"};
      const double at_centre = line.constant;
      for (std::size_t j = 0; j < d; ++j) {
        const double slope = weights_[j * stride + usize(a)] - weights_[j * stride + usize(b)];
        line.linear.values.push_back(slope);
        line.constant -= slope * centre_.values[j];
        if (slope != 0) line.shape = d == 1 ? "points" : "line";
        if (d == 1 && slope != 0) line.points = {centre_.values[0] - at_centre / slope};
      }
      result.push_back(std::move(line));
    }
  }
  return result;
}

Index LogisticRegression::free_parameters(const Options&) const {
  const auto used = std::ranges::count(used_.values, 1.0);
  return forms() * (used + (intercept() ? 1 : 0));
}

// Model files.

void LogisticRegression::visit_parameters(ParameterVisitor& v) const {
  v.doubles("odds_coef",
            "by how much a unit of each column changes log p(class) / p(first class), for each "
            "class but the first",
            odds_coef_);
  v.doubles("odds_intercept", "the same log-odds of a row at the centre", odds_intercept_);
  v.doubles("centre", "of the columns: their means, or 0 without an intercept", centre_);
  v.doubles("used", "1 for each column, and 0 for those that others give or that do not vary",
            used_);
  v.doubles("feature_alpha", "the precision of the prior of the coefficients of each column",
            alpha_);
  v.doubles("class_count", "the summed weight of the rows of each class", class_count_);
  v.doubles(
      "likelihood",
      "the log-likelihood, that of intercepts alone, and the statistic of the score test that "
      "no column matters, or -1",
      fit_);
  v.doubles(
      "kind",
      "errors: 1 none, 2 of the curvature, 3 robust; 1 for Firth's penalty; 1 with intercepts",
      how_);
  if (!prior_mean_.empty()) {
    v.doubles("prior_mean", "of the prior of odds_coef", prior_mean_);
  }
  if (!prior_precision_.empty()) {
    v.doubles("prior_precision", "of the prior of the coefficients of all columns",
              prior_precision_);
  }
  if (!covariance_.empty()) {
    v.doubles("covariance", "of odds_coef and odds_intercept, class after class", covariance_);
  }
  if (!separation_.empty()) {
    v.doubles("separation",
              "a direction of odds_coef and odds_intercept, for each class but the first, along "
              "which the likelihood never falls",
              separation_);
  }
}

LogisticRegression LogisticRegression::from_parameters(const ParameterList& parameters) {
  const ArrayView coef = parameters.doubles("odds_coef", {-1, -1});
  const Index forms = coef.rows(), d = coef.cols();
  LogisticRegression model;
  model.odds_coef_ = coef.copy();
  model.odds_intercept_ = parameters.doubles("odds_intercept", {forms}).copy();
  model.centre_ = parameters.doubles("centre", {d}).copy();
  model.used_ = parameters.doubles("used", {d}).copy();
  model.alpha_ = parameters.doubles("feature_alpha", {d}).copy();
  model.class_count_ = parameters.doubles("class_count", {-1}).copy();
  model.fit_ = parameters.doubles("likelihood", {kFitNumbers}).copy();
  model.how_ = parameters.doubles("kind", {kHowNumbers}).copy();
  if (coef.empty()) fail_parameters("there are no coefficients");
  if (parameters.has("prior_mean")) {
    model.prior_mean_ = parameters.doubles("prior_mean", {forms, d}).copy();
  }
  if (parameters.has("prior_precision")) {
    model.prior_precision_ = parameters.doubles("prior_precision", {d, d}).copy();
  }
  const auto finite = [](double v) { return std::isfinite(v); };
  const auto valid = [](double v) { return std::isfinite(v) && v >= 0; };
  const auto flag = [](double v) { return v == 0 || v == 1; };
  for (const Array* array : {&model.odds_coef_, &model.odds_intercept_, &model.centre_,
                             &model.prior_mean_, &model.prior_precision_}) {
    if (!std::ranges::all_of(array->values, finite)) {
      fail_parameters("the coefficients are not finite numbers");
    }
  }
  if (!std::ranges::all_of(model.used_.values, flag)) {
    fail_parameters("a column is neither used nor left out");
  }
  if (!std::ranges::all_of(model.alpha_.values, valid)) {
    fail_parameters("the precisions of the prior are not finite and positive");
  }
  if (!std::ranges::all_of(model.class_count_.values, valid) ||
      std::ranges::count_if(model.class_count_.values, [](double w) { return w > 0; }) !=
          forms + 1 ||
      !(model.weight() <= kHeaviest)) {
    fail_parameters(
        "the weights of the classes are not those of as many classes as there are "
        "coefficients");
  }
  if (!std::ranges::all_of(model.fit_.values, finite)) {
    fail_parameters("the likelihood is not a finite number");
  }
  const double errors = model.how_.values[kErrorsOf];
  if (!(errors == 1 || errors == 2 || errors == 3) || !flag(model.how_.values[kFirth]) ||
      !flag(model.how_.values[kIntercept])) {
    fail_parameters("the kind is none");
  }
  if (errors != 1) {
    const Index size = forms * model.terms();
    model.covariance_ = parameters.doubles("covariance", {size, size}).copy();
    const Dense<double> covariance = model.covariance_.view();
    for (Index i = 0; i < size; ++i) {
      if (!(covariance.row(i)[i] >= 0)) fail_parameters("a variance is negative");
      for (Index j = 0; j < size; ++j) {
        if (!finite(covariance.row(i)[j]) || covariance.row(i)[j] != covariance.row(j)[i]) {
          fail_parameters("the covariance is not finite and symmetric");
        }
      }
    }
  }
  const double separated = model.how_.values[kSeparated];
  if (!(separated == 0 || separated == 1 || separated == 2)) fail_parameters("the kind is none");
  if (separated != 0) {
    model.separation_ = parameters.doubles("separation", {forms, model.terms()}).copy();
    if (!std::ranges::all_of(model.separation_.values, finite)) {
      fail_parameters("the direction of separation is not finite");
    }
  }
  model.prepare();
  for (std::size_t c = 0; c < usize(model.classes()); ++c) {
    if (model.class_count_.values[c] > 0 && !std::isfinite(model.sparse_start_[c])) {
      fail_parameters("the coefficients are too large");
    }
  }
  return model;
}

double LogisticRegression::weight() const {
  return std::accumulate(class_count_.values.begin(), class_count_.values.end(), 0.0);
}

bool LogisticRegression::penalised() const {
  return firth() || std::ranges::any_of(alpha_.values, [](double alpha) { return alpha > 0; });
}

const Usage LogisticRegression::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import LogisticRegression
>>> X = [[1, 2], [2, 1], [3, 3], [5, 4], [6, 6], [4, 5]]
>>> model = LogisticRegression().fit(X, ["low", "low", "high", "low", "high", "high"])
>>> model.predict([[2, 2], [6, 5]]).tolist()
['low', 'high']
>>> model.coef_.shape
(1, 2)
)",
    .sklearn = "linear_model.LogisticRegression"};

template ModelInfo registered<LogisticRegression>();

}  // namespace craton
