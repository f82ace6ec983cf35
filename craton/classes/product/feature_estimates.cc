#include "craton/classes/product/feature_estimates.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/classes/product/feature_likelihood.h"
#include "craton/families/prior.h"

namespace craton {
namespace {

// The same rows, each with its weight times a factor.
template <class S>
S scaled(S s, double factor) {
  s.weight *= factor;
  if constexpr (requires { s.sum; }) s.sum *= factor;
  if constexpr (requires { s.square; }) s.square *= factor;
  if constexpr (requires { s.log_sum; }) s.log_sum *= factor;
  if constexpr (requires { s.log_square; }) s.log_square *= factor;
  if constexpr (requires { s.log_complement; }) s.log_complement *= factor;
  if constexpr (requires { s.cosine; }) s.cosine *= factor;
  if constexpr (requires { s.sine; }) s.sine *= factor;
  return s;
}

// What a few rows of the whole column tell. Of a range, one row would tell all; and the values of a
// column are too many to repeat for each class.
Prior rows_of(const Statistics& column, double rows) {
  if (rows == 0 || std::holds_alternative<Range>(column) ||
      std::holds_alternative<Values>(column)) {
    return {};
  }
  const double factor = rows / weight(column);
  return {.rows =
              std::visit([&](const auto& s) -> Statistics { return scaled(s, factor); }, column)};
}

// To stand for a column without values.
std::array<double, 2> two_values(Support support) {
  if (support == Support::kCounts) return {0, 1};
  return {0.5, support == Support::kUnit ? 0.75 : 1};
}

// Rules for bandwidths take weights as copies of rows.
bool has_bandwidth(const Statistics& statistics) {
  const Values& seen = std::get<Values>(statistics);
  return seen.weight > 1 && seen.values.front().x < seen.values.back().x;
}

double variance_of(const Statistics& column) {
  const auto* moments = std::get_if<Moments>(&column);
  return moments == nullptr ? 0 : moments->variance();
}

// Summed squares about the mean: of the values, of their logarithms, or, around the circle, twice
// what is missing of the length of their sum. Nothing for statistics that give no prior.
double squares_of(const Statistics& statistics) {
  struct {
    double operator()(const Moments& s) const { return s.weight * s.variance(); }
    double operator()(const LogMoments& s) const { return s.weight * s.log_variance(); }
    double operator()(const UnitMoments& s) const { return s.weight * s.variance(); }
    double operator()(const Directions& s) const {
      return 2 * (s.weight - std::hypot(s.cosine, s.sine));
    }
    double operator()(const Range&) const { return 0; }
    double operator()(const Counts&) const { return 0; }
    double operator()(const Values&) const { return 0; }
  } squares;
  return weight(statistics) > 0 ? std::visit(squares, statistics) : 0;
}

}  // namespace

double spread_within(const Feature& feature, const ClassStatistics& seen, std::size_t f) {
  if (feature.categories() || feature.family->free_parameters(feature.levels) < 2) return 1;
  const Statistics all = seen.of_all_classes(f);
  constexpr double kRounding = 1e-13;
  const double whole = squares_of(all), n = weight(all);
  double within = 0, classes = 0;
  for (std::size_t c = 0; c < usize(seen.classes()); ++c) {
    within += squares_of(seen.of(f, c));
    classes += weight(seen.of(f, c)) > 0 ? 1 : 0;
  }
  if (!(within > kRounding * whole && n > classes)) return 1;
  return std::min(1.0, within / whole * (n - 1) / (n - classes));
}

FeatureEstimator::FeatureEstimator(const Feature& feature, Statistics column,
                                   const Smoothing& smoothing, double within)
    : feature_(feature),
      family_(feature.family),
      column_(feature.column),
      levels_(feature.categories() ? feature.levels : 2),
      alpha_(smoothing.alpha),
      all_(std::move(column)) {
  const bool none = weight(all_) == 0;
  if (outcomes()) {
    if (alpha_ > 0) how_.prior = lidstone(*family_, alpha_, levels_);
    if (none) all_ = *lidstone(*family_, 1, levels_).rows;
    const double p = 1 / static_cast<double>(levels_);
    top_ = without_constant(
        Parameters(family_->info().support == Support::kBinary ? 1 : usize(levels_), p));
    return;
  }
  if (none) family_->accumulate(two_values(family_->info().support), {}, all_);
  how_.prior = rows_of(all_, smoothing.prior_rows * within);
  how_.least_spread = std::sqrt(smoothing.var_smoothing * variance_of(all_));
  if (family_->info().keeps_values) {
    how_.bandwidth = smoothing.bandwidth.rule;
    if (how_.bandwidth == BandwidthRule::kNumber) how_.known = {smoothing.bandwidth.number};
  }
  if (family_->terms().empty()) return;
  const Parameters column_estimate = family_->estimate(all_, how_);
  const double one = 1;
  if (family_->valid(column_estimate)) {
    at_ = coordinate_of(*family_, {&one, 1}, {&column_estimate, 1});
    top_ = without_constant(column_estimate);
  }
}

bool FeatureEstimator::outcomes() const {
  const Support support = family_->info().support;
  return support == Support::kCategory || support == Support::kBinary;
}

Parameters FeatureEstimator::estimate(const Statistics& of_class, std::vector<Note>* notes) const {
  const bool some = weight(of_class) > 0 || (how_.prior.rows && weight(*how_.prior.rows) > 0);
  Estimation how = how_;
  how.notes = notes;
  if (family_->info().keeps_values && some && how.known.empty() && !has_bandwidth(of_class)) {
    how.known = {family_->estimate(all_, how_)[0]};
  }
  Parameters parameters = family_->estimate(some ? of_class : all_, how);
  if (family_->valid(parameters)) return parameters;
  throw InputError(Code::kNotFinite, {.column = std::to_string(column_ + 1)},
                   fmt::format("the values are too large, or lie too far apart, for the {} family",
                               family_->name()),
                   "Give the column in other units, or another family.");
}

double FeatureEstimator::log_prior(const Parameters& parameters) const {
  return without_constant(parameters) - top_;
}

double FeatureEstimator::without_constant(const Parameters& parameters) const {
  if (!outcomes()) {
    return how_.prior.rows ? expected_log_density(feature_, *how_.prior.rows, parameters, at_) : 0;
  }
  if (alpha_ == 0) return 0;
  double sum = 0;
  // A p so small that it is 0 is the least number: alpha is smaller still.
  const auto log_of = [](double p) {
    return std::log(std::max(p, std::numeric_limits<double>::denorm_min()));
  };
  for (const double p : parameters) sum += log_of(p);
  if (family_->info().support == Support::kBinary) {
    sum += parameters[0] < 1 ? std::log1p(-parameters[0]) : log_of(0);
  }
  return alpha_ * sum;
}

std::vector<Parameters> estimate_features(std::span<const Feature> features,
                                          const ClassStatistics& statistics,
                                          const Smoothing& smoothing, std::vector<Note>* notes,
                                          const Schema& schema) {
  std::vector<Parameters> result;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const FeatureEstimator estimator(features[f], statistics.of_all_classes(f), smoothing,
                                     spread_within(features[f], statistics, f));
    for (std::size_t c = 0; c < usize(statistics.classes()); ++c) {
      const std::size_t told = notes == nullptr ? 0 : notes->size();
      result.push_back(estimator.estimate(statistics.of(f, c), notes));
      if (notes != nullptr) {
        name_notes(std::span(*notes).subspan(told),
                   {"{}, class '{}'", Ref::column(schema.name(features[f].column)),
                    label_name(schema, static_cast<Index>(c))});
      }
    }
  }
  return result;
}

}  // namespace craton
