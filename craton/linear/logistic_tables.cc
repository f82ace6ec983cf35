#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/linear/logistic.h"
#include "craton/linear/logistic_inference.h"

// What a logistic regression learned, as tables for people.

namespace craton {

Index LogisticRegression::label_of(Index form) const {
  Index left = form + 1;
  for (Index c = 0;; ++c) {
    if (class_count_.values[usize(c)] > 0 && left-- == 0) return c;
  }
}

// Of a coefficient, or of the intercept in the units of the rows: b - g . centre.
double LogisticRegression::variance(Index form, Index term) const {
  const Index q = terms(), size = forms() * q;
  const double* const block = &covariance_.values[usize(form * q * size + form * q)];
  if (term < columns()) return block[term * size + term];
  double sum = 0;
  for (Index i = 0; i < q; ++i) {
    const double a = i == columns() ? 1 : -centre_.values[usize(i)];
    for (Index j = 0; j < q; ++j) {
      const double b = j == columns() ? 1 : -centre_.values[usize(j)];
      sum += a * b * block[i * size + j];
    }
  }
  return std::max(sum, 0.0);
}

// Every coefficient, or the `most` that are the surest to differ from 0.
ResultTable LogisticRegression::coefficient_table(const Schema& schema, Index most) const {
  constexpr double kOutside = 0.05;  // of the intervals
  struct Line {
    Index form, term;
    double value, error;
  };
  std::vector<Line> lines;
  const bool known = !covariance_.empty();
  for (Index r = 0; r < forms(); ++r) {
    for (Index at = 0; at < terms(); ++at) {
      const Index j = intercept() ? (at + columns()) % terms() : at;  // the intercept comes first
      double value = 0;
      if (j < columns()) {
        value = odds_coef_.view().row(r)[j];
      } else {
        value = odds_intercept_.values[usize(r)];
        for (Index i = 0; i < columns(); ++i) {
          value -= odds_coef_.view().row(r)[i] * centre_.values[usize(i)];
        }
      }
      const bool fitted = j == columns() || used_.values[usize(j)] != 0;
      lines.push_back({r, j, value, known && fitted ? std::sqrt(variance(r, j)) : NAN});
    }
  }
  const auto size_of = [](const Line& line) {
    return std::isnan(line.error) ? std::abs(line.value) : std::abs(line.value / line.error);
  };
  const Index all = ssize(lines);
  if (all > most) {
    std::ranges::stable_sort(lines,
                             [&](const Line& a, const Line& b) { return size_of(a) > size_of(b); });
    lines.resize(usize(most));
  }
  const bool one = forms() == 1;
  const std::string first = label_name(schema, label_of(-1));
  ResultTable table{
      "coefficients",
      one ? fmt::format("log-odds of '{}' against '{}'", label_name(schema, label_of(0)), first)
          : fmt::format("log-odds of each class against '{}'", first)};
  if (all > most) table.title += fmt::format(", the {} of {} that say most", most, all);
  const bool prior = penalised() && !firth(), robust = errors() == Errors::kRobust;
  if (known) {
    table.title += robust  ? "; robust errors (sandwich, HC0)"
                   : prior ? "; posterior of the Gaussian prior (Laplace)"
                           : "; errors from the information";
  }
  ResultColumn::Words classes_of, names;
  ResultColumn::Numbers values, odds, error, z, p, low, high;
  const double width = normal_quantile_of_tails(kOutside);
  for (const Line& line : lines) {
    classes_of.push_back(label_name(schema, label_of(line.form)));
    names.push_back(line.term == columns() ? "(intercept)" : schema.name(line.term));
    values.push_back(line.value);
    odds.push_back(line.term == columns() ? NAN : std::exp(line.value));
    error.push_back(line.error);
    z.push_back(line.value / line.error);
    p.push_back(normal_tails(z.back()));
    low.push_back(line.value - width * line.error);
    high.push_back(line.value + width * line.error);
  }
  for (ResultColumn::Numbers* column : {&values, &odds, &error, &z, &p, &low, &high}) {
    for (double& v : *column) v = std::isfinite(v) ? v : NAN;
  }
  if (!one) table.add_words("class", std::move(classes_of));
  table.add_words("term", std::move(names));
  table.add_numbers("coefficient", std::move(values));
  if (known) {
    const bool tests = !prior;  // a prior has taken part in the estimate: its errors test nothing
    table.add_numbers(prior && !robust ? "posterior sd" : "error", std::move(error)).lacks = true;
    if (tests) table.add_numbers("z", std::move(z), {3, Digits::Form::kSignificant}).lacks = true;
    if (tests) table.add_numbers("p", std::move(p), {3, Digits::Form::kSignificant}).lacks = true;
    table.add_numbers("from 95%", std::move(low)).lacks = true;
    table.add_numbers("to", std::move(high)).lacks = true;
  }
  table.add_numbers("odds ratio", std::move(odds), {4, Digits::Form::kSignificant}).lacks = true;
  return table;
}

// How well the model fits, and tests that no column matters.
ResultTable LogisticRegression::fit_table() const {
  ResultTable table{"fit", "fit"};
  ResultColumn::Words names;
  ResultColumn::Numbers values, df, p;
  const auto add = [&](const char* name, double value, double degrees = NAN) {
    names.push_back(name);
    values.push_back(value);
    df.push_back(degrees);
    p.push_back(std::isnan(degrees) ? NAN : chi_square_tail(value, degrees));
  };
  const double log_likelihood = fit_.values[kLogLikelihood];
  const double null = fit_.values[kNullLogLikelihood];
  const auto used = std::ranges::count(used_.values, 1.0);
  const double slopes = static_cast<double>(forms() * used);
  add("weight of the rows", weight());
  add("log-likelihood", log_likelihood);
  add("log-likelihood of intercepts alone", null);
  add("deviance", -2 * log_likelihood);
  add("deviance of intercepts alone", -2 * null);
  if (null < 0) add("R2 (McFadden)", 1 - log_likelihood / null);
  if (!penalised()) {
    const double free = static_cast<double>(free_parameters({}));
    add("AIC", 2 * free - 2 * log_likelihood);
    add("BIC", free * std::log(weight()) - 2 * log_likelihood);
    if (slopes > 0) add("likelihood ratio", 2 * (log_likelihood - null), slopes);
  }
  if (slopes > 0 && fit_.values[kScoreStatistic] >= 0) {
    add("score (Rao)", fit_.values[kScoreStatistic], slopes);
  }
  if (slopes > 0 && !covariance_.empty() && (!penalised() || firth())) {
    const std::size_t q = usize(terms()), size = usize(forms()) * q;
    std::vector<std::size_t> places;
    std::vector<double> g;
    for (std::size_t at = 0; at < size; ++at) {
      if (at % q == usize(columns()) || used_.values[at % q] == 0) continue;
      places.push_back(at);
      g.push_back(odds_coef_.values[at / q * usize(columns()) + at % q]);
    }
    const auto wald = quadratic_form(part_of(covariance_.values, size, places), g);
    if (wald && std::isfinite(*wald)) add("Wald", *wald, slopes);
  }
  table.add_words("statistic", std::move(names));
  table.add_numbers("value", std::move(values)).lacks = true;
  if (std::ranges::any_of(df, [](double v) { return !std::isnan(v); })) {
    table.add_numbers("df", std::move(df)).lacks = true;
    table.add_numbers("p", std::move(p), {3, Digits::Form::kSignificant}).lacks = true;
  }
  return table;
}

// What was minimised, and how other programs call it.
ResultTable LogisticRegression::objective_table() const {
  ResultTable table{"objective", "objective: what was minimised, and the same elsewhere"};
  ResultColumn::Words where, what;
  const auto add = [&](const char* name, std::string words) {
    where.push_back(name);
    what.push_back(std::move(words));
  };
  const double alpha = alpha_.values[0];
  const bool uniform = std::ranges::all_of(alpha_.values, [&](double a) { return a == alpha; });
  if (firth()) {
    add("craton", "sum w_i loss_i - 1/2 log det(information)");
    add("R", "logistf::logistf (two classes)");
  } else if (!penalised()) {
    add("craton", "sum w_i loss_i");
    add("scikit-learn", "C = infinity");
    add("R", forms() == 1 ? "glm(family = binomial)" : "nnet::multinom");
  } else if (!prior_mean_.empty() || !prior_precision_.empty()) {
    const std::string gap = prior_mean_.empty() ? "coef" : "(coef - m)";
    add("craton", prior_precision_.empty() ? "sum w_i loss_i + 1/2 sum_j alpha_j |coef_j - m_j|^2"
                                           : "sum w_i loss_i + 1/2 " + gap + "' P " + gap);
    add("posterior", "of a Gaussian prior: m = prior_mean, P = alpha prior_covariance^-1");
  } else if (!uniform) {
    add("craton", "sum w_i loss_i + 1/2 sum_j alpha_j |coef_j|^2");
    add("glmnet", "alpha = 0, penalty.factor = alpha_j, standardize = FALSE");
  } else {
    const auto number = [](double v) {
      return std::isfinite(v) ? shortest_text(v) : std::string("infinity");
    };
    const std::string c = number(1 / alpha);
    add("craton", "sum w_i loss_i + alpha / 2 |coef|^2, alpha = " + shortest_text(alpha));
    add("scikit-learn", "C = " + c);
    add("liblinear", forms() == 1 ? "-s 0 -c " + c + ", without intercept (-B penalises it)"
                                  : std::string("none: it has no softmax"));
    add("glmnet", "alpha = 0, standardize = FALSE, lambda = alpha / n = " +
                      (std::isfinite(alpha / weight()) ? fmt::format("{:.6g}", alpha / weight())
                                                       : number(alpha / weight())));
  }
  table.add_words("in", std::move(where));
  table.add_words("as", std::move(what));
  return table;
}

// Along it no row comes nearer to another class, and some go away from one.
ResultTable LogisticRegression::separation_table(const Schema& schema) const {
  ResultTable table{"separation", how_.values[kSeparated] == 1
                                      ? "separation: a direction that parts the classes"
                                      : "separation: a direction that parts some rows"};
  ResultColumn::Words classes_of, names;
  ResultColumn::Numbers values;
  const Index q = terms();
  for (Index at = 0; at < forms() * q; ++at) {
    const double v = separation_.values[usize(at)];
    if (v == 0 && at % q < columns()) continue;
    classes_of.push_back(label_name(schema, label_of(at / q)));
    names.push_back(at % q == columns() ? "(at the means)" : schema.name(at % q));
    values.push_back(v);
  }
  if (forms() > 1) table.add_words("class", std::move(classes_of));
  table.add_words("term", std::move(names));
  table.add_numbers("direction", std::move(values));
  return table;
}

namespace {

constexpr Index kMostLines = 40;

}  // namespace

std::vector<ResultTable> LogisticRegression::tables(const Schema& schema) const {
  std::vector<ResultTable> all{coefficient_table(schema, kMostLines), fit_table(),
                               objective_table()};
  if (!separation_.empty()) all.push_back(separation_table(schema));
  return all;
}

std::vector<ResultTable> LogisticRegression::more_tables(const Schema& schema) const {
  if (forms() * terms() <= kMostLines) return {};
  ResultTable all = coefficient_table(schema, forms() * terms());
  all.name = "all_coefficients";
  return {all};
}

}  // namespace craton
