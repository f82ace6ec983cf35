#include "craton/classes/discriminant/class_covariances.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/classes/gaussian_mixture/gaussian_floor.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// The scatter of classes, and of all, over weights that ddof has been taken from.
struct Pool {
  double scatter = 0, weight = 0;
};

double pooled(const Pool& own, const Pool& all, double pooling) {
  return ((1 - pooling) * own.scatter + pooling * all.scatter) /
         ((1 - pooling) * own.weight + pooling * all.weight);
}

void check_divisor(double own, double all, double pooling, const Schema& schema, Index label) {
  if ((1 - pooling) * own + pooling * all > 0) return;
  throw InputError(Code::kTooFewRows, {},
                   {"{}, so with {} nothing is left to divide by",
                    pooling == 1 ? std::string("there are no more rows than classes")
                                 : fmt::format("class '{}' has one row", label_name(schema, label)),
                    Ref::option("ddof", 1)},
                   {"Give {}, or more rows.", Ref::option("ddof", 0)});
}

// Squares must not overflow; and where a rule wants fourth powers, these neither that nor vanish.
void check_spread(double variance, const CovarianceRule& rule, const Schema& schema, Index column) {
  constexpr double kWidestFourth = 1e140;
  const bool fourth = rule.order() == MomentOrder::kFourth;
  if (!(variance <= (fourth ? kWidestFourth : kWidest * kWidest))) fail_too_wide(schema, column);
  if (!fourth || variance == 0 || variance >= 1 / kWidestFourth) return;
  throw InputError(Code::kNoSpread, {.column = schema.name(column)},
                   "the values differ by so little that their fourth powers vanish",
                   "Multiply the column by a power of ten, or take another shrinkage.");
}

// Rows of a class, or of all where it has none.
void fill_means(Array& means, std::span<const double> weights) {
  const std::size_t d = usize(means.cols());
  const double n = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> all(d);
  for (std::size_t c = 0; c < weights.size(); ++c) {
    for (std::size_t j = 0; j < d; ++j) all[j] += weights[c] / n * means.values[c * d + j];
  }
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (weights[c] == 0) std::copy(all.begin(), all.end(), &means.values[c * d]);
  }
}

// What a column's variance is measured by: that within classes, over all rows, or 1.
double unit_of(double within, const ClassCovariances& found, std::span<const double> weights,
               std::size_t column) {
  const std::size_t d = usize(found.means.cols());
  const double n = std::accumulate(weights.begin(), weights.end(), 0.0);
  double mean = 0, between = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    mean += weights[c] / n * (found.means.values[c * d + column] - found.means.values[column]);
  }
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const double apart = found.means.values[c * d + column] - found.means.values[column] - mean;
    between += weights[c] / n * apart * apart;
  }
  return std::isnormal(within) ? within : std::isnormal(between) ? between : 0;
}

// Raises the covariances to the floor, and adds a note.
void raise(ClassCovariances& found, const CovarianceRule& rule, std::vector<double> units,
           bool shared, const Schema& schema) {
  if (std::all_of(units.begin(), units.end(), [](double u) { return u == 0; })) {
    throw InputError(Code::kNoSpread, {.column = schema.name(0)},
                     "in every column all values are the same (or there is 1 sample only), so "
                     "there is no covariance",
                     "Give rows that differ.");
  }
  if (shared && rule.type == CovarianceType::kFull) return;
  for (double& u : units) u = u == 0 ? 1 : u;  // a constant column says nothing in any units
  using Type = GaussianMixture::Covariance;
  constexpr double kLeast = 1e-7;  // squared, what is left of sixteen digits
  GaussianMixture::Options options;
  options.covariance_type = rule.type == CovarianceType::kFull   ? Type::kFull
                            : rule.type == CovarianceType::kDiag ? Type::kDiag
                                                                 : Type::kSpherical;
  const double tol = std::max(rule.tol, kLeast);
  options.covariance_floor = tol * tol;
  options.reg_covar = 0;
  GaussianFloor floor(options, std::move(units));
  const Index g = found.covariance.shape[0], each = ssize(found.covariance.values) / g;
  for (Index c = 0; c < g; ++c) {
    floor.apply(c, std::span(found.covariance.values).subspan(usize(c * each), usize(each)));
  }
  if (floor.untouched()) return;
  const auto worst =
      std::min_element(floor.floored().begin(), floor.floored().end(),
                       [](const auto& a, const auto& b) { return a.eigenvalue < b.eigenvalue; });
  const Index others = ssize(floor.floored()) - 1;
  found.notes.push_back(
      {"covariance-floor",
       {"the rows of {} hardly spread in one direction, mostly that of '{}': the variance there, "
        "{} of the column's, was raised to tol^2 = {} of it{}. Classes of few rows, and columns "
        "that depend on each other or are constant in a class, do this; shrinkage, pooling or {} "
        "above 0 help",
        shared ? std::string("all classes")
               : fmt::format("class '{}'", label_name(schema, worst->component)),
        schema.name(worst->column), fmt::format("{:.2g}", std::max(0.0, worst->eigenvalue)),
        fmt::format("{:.2g}", tol * tol), others == 0 ? "" : fmt::format(" (and {} more)", others),
        Ref::option("reg_param")}});
}

}  // namespace

ClassCovariances full_covariances(const ClassScatter& sums, const CovarianceRule& rule, bool shared,
                                  const Schema& schema) {
  const Index k = sums.classes(), d = sums.columns(), size = d * d;
  const std::vector<double>& n = sums.class_weight();
  const double f = static_cast<double>(rule.ddof);
  const Index g = shared ? 1 : k;
  ClassCovariances result{{{k, d}, std::vector<double>(usize(k * d))},
                          {{g, d, d}, std::vector<double>(usize(g * size))},
                          {{k, d, d}, std::vector<double>(usize(k * size))}};
  std::vector<double> scatter(usize(k * size)), all(usize(size));
  double weight = 0;
  for (Index c = 0; c < k; ++c) {
    if (n[usize(c)] == 0) continue;
    weight += n[usize(c)] - f;
    const std::vector<double> mean = sums.mean(c);
    std::copy(mean.begin(), mean.end(), &result.means.values[usize(c * d)]);
    std::vector<double> covariance = sums.scatter(c);
    for (double& v : covariance) v /= n[usize(c)];
    for (Index j = 0; j < d; ++j) check_spread(covariance[usize(j * d + j)], rule, schema, j);
    std::copy(covariance.begin(), covariance.end(), &result.own.values[usize(c * size)]);
    shrink(covariance, rule.shrinkage, rule.amount, sums, c);
    for (std::size_t i = 0; i < usize(size); ++i) {
      scatter[usize(c * size) + i] = covariance[i] * n[usize(c)];
      all[i] += scatter[usize(c * size) + i];
    }
  }
  fill_means(result.means, n);
  for (Index c = 0; c < g; ++c) {
    const double pooling = n[usize(c)] == 0 || shared ? 1 : rule.pooling;
    check_divisor(n[usize(c)] - f, weight, pooling, schema, c);
    double* const out = &result.covariance.values[usize(c * size)];
    for (std::size_t i = 0; i < usize(size); ++i) {
      const Pool own{scatter[usize(c * size) + i], n[usize(c)] - f};
      const bool diagonal = i % usize(d + 1) == 0;
      out[i] = (1 - rule.reg_param) * pooled(own, {all[i], weight}, pooling) +
               (diagonal ? rule.reg_param : 0);
    }
  }
  std::vector<double> units;
  for (std::size_t j = 0; j < usize(d); ++j) {
    units.push_back(unit_of(all[j * usize(d + 1)] / weight, result, n, j));
  }
  raise(result, rule, std::move(units), shared, schema);
  return result;
}

ClassCovariances diagonal_covariances(const ClassMoments& sums, const CovarianceRule& rule,
                                      bool shared, const Schema& schema) {
  const Index k = sums.classes(), d = sums.columns(), g = shared ? 1 : k;
  const double f = static_cast<double>(rule.ddof);
  ClassCovariances result{{{k, d}, std::vector<double>(usize(k * d))},
                          {{g, d}, std::vector<double>(usize(g * d))},
                          {{k, d}, std::vector<double>(usize(k * d))}};
  std::vector<Pool> of_column(usize(d)), of_value(usize(k * d));
  for (Index j = 0; j < d; ++j) {
    const Moments whole = sums.of_column(j);
    if (whole.weight == 0) {
      throw InputError(Code::kNotFinite, {.column = schema.name(j)},
                       "no row that counts has a value: all are missing (NaN)",
                       "Leave the column out.");
    }
    check_spread(whole.variance(), rule, schema, j);
    for (Index c = 0; c < k; ++c) {
      const Moments m = sums.of(c, j);
      const std::size_t at = usize(c * d + j);
      result.means.values[at] = (m.weight > 0 ? m : whole).mean();
      if (m.weight == 0) continue;
      result.own.values[at] = m.variance();
      const bool fourth = rule.order() == MomentOrder::kFourth;
      if (fourth && !std::isfinite(sums.fourth_power(c, j))) fail_too_wide(schema, j);
    }
  }
  std::vector<double> variances = result.own.values;
  for (Index c = 0; c < k; ++c) {
    if (rule.type == CovarianceType::kDiag) {
      shrink_variances(std::span(variances).subspan(usize(c * d), usize(d)), rule.shrinkage,
                       rule.amount, sums, c);
    }
    for (Index j = 0; j < d; ++j) {
      const double n = sums.of(c, j).weight;
      if (n == 0) continue;
      Pool& own = of_value[usize(c * d + j)];
      own = {n * variances[usize(c * d + j)], n - f};
      of_column[usize(j)].scatter += own.scatter;
      of_column[usize(j)].weight += own.weight;
    }
  }
  for (Index c = 0; c < g; ++c) {
    double* const out = &result.covariance.values[usize(c * d)];
    Pool sphere, ball;  // of all columns together
    const auto pooling_of = [&](Index j) {
      return shared || sums.of(c, j).weight == 0 ? 1 : rule.pooling;
    };
    for (Index j = 0; j < d; ++j) {
      const Pool &own = of_value[usize(c * d + j)], &all = of_column[usize(j)];
      check_divisor(own.weight, all.weight, pooling_of(j), schema, c);
      out[j] = pooled(own, all, pooling_of(j));
      sphere = {sphere.scatter + own.scatter, sphere.weight + own.weight};
      ball = {ball.scatter + all.scatter, ball.weight + all.weight};
    }
    const double mean = pooled(sphere, ball, shared || sphere.weight <= 0 ? 1 : rule.pooling);
    for (Index j = 0; j < d; ++j) {
      const double v = rule.type == CovarianceType::kSpherical ? mean : out[j];
      out[j] = (1 - rule.reg_param) * v + rule.reg_param;
    }
  }
  if (rule.type == CovarianceType::kSpherical) {
    Array each{{g}, {}};
    for (Index c = 0; c < g; ++c) each.values.push_back(result.covariance.values[usize(c * d)]);
    result.covariance = std::move(each);
  }
  std::vector<double> units;
  for (std::size_t j = 0; j < usize(d); ++j) {
    const Pool& all = of_column[j];
    units.push_back(unit_of(all.scatter / all.weight, result, sums.class_weight(), j));
  }
  raise(result, rule, std::move(units), shared, schema);
  return result;
}

}  // namespace craton
