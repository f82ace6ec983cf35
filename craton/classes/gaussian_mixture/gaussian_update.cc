#include "craton/classes/gaussian_mixture/gaussian_update.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace craton {
namespace {

using Statistics = GaussianMixture::Statistics;
using Weights = GaussianMixture::Weights;

// Below this share of the rows a component's statistics are all rounding.
constexpr double kLeastWeight = 1e-150;
// A scatter about a point this many squared standard deviations from the mean has lost too many
// digits to give the scatter about the mean.
constexpr double kFarStart = 1e8;

// From the packed lower half to the whole matrix, or the diagonal as it is.
std::vector<double> unpacked(std::span<const double> scatter, std::size_t d) {
  if (scatter.size() == d) return {scatter.begin(), scatter.end()};
  std::vector<double> whole(d * d);
  const double* s = scatter.data();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) whole[i * d + j] = whole[j * d + i] = *s++;
  }
  return whole;
}

// m += scale (u v' + v u') / 2, or its diagonal.
void add_product(std::vector<double>& m, double scale, std::span<const double> u,
                 std::span<const double> v) {
  const std::size_t d = u.size();
  if (m.size() == d) {
    for (std::size_t j = 0; j < d; ++j) m[j] += scale * u[j] * v[j];
    return;
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) m[i * d + j] += scale * 0.5 * (u[i] * v[j] + v[i] * u[j]);
  }
}

}  // namespace

GaussianUpdate::GaussianUpdate(const GaussianMixture::Options& options,
                               const ColumnStatistics& columns)
    : options_(options), prior_(options, columns), floor_(options, columns.variance()) {}

double GaussianUpdate::operator()(GaussianMixture& model, const Statistics& statistics) {
  const std::size_t d = usize(model.columns()), covariances = usize(model.covariances_.rows());
  floor_.clear();
  empty_.clear();
  std::vector<Moments> moments(covariances);
  for (std::size_t f = 0; f < covariances; ++f) {
    moments[f].scatter = unpacked(statistics.scatter(static_cast<Index>(f)), d);
    moments[f].pseudo = prior_.scatter();
    moments[f].jump.resize(d);
  }
  double change = move_means(model, statistics, moments);
  for (std::size_t f = 0; f < covariances && options_.known_covariances.empty(); ++f) {
    change = std::max(change, set_covariance(model, f, moments[f]));
  }
  model.prepare();

  // sum_c n_c (log w_c + log N(mu_c | mu_c, Sigma_c)) - tr(Sigma^-1 S) / 2
  expected_ = prior_.log_density(model);
  for (std::size_t c = 0; c < usize(model.classes()); ++c) {
    const double n = statistics.weight(static_cast<Index>(c));
    if (n > 0 && model.weights_.values[c] > 0) expected_ += n * model.constant_[c];
  }
  for (std::size_t f = 0; f < covariances; ++f) {
    const std::vector<double>& scatter = moments[f].scatter;
    const std::span<const double> whiten =
        std::span(model.whiten_).subspan(f * scatter.size(), scatter.size());
    expected_ -= 0.5 * whitened_trace(whiten, scatter, d);
  }
  expected_ /= statistics.total();
  return change;
}

// The prior is kappa more rows at its mean: with y = x - mu_old and v = m - mu_old the mean moves
// by delta = (sum r y + kappa v) / (n + kappa).
double GaussianUpdate::move_means(GaussianMixture& model, const Statistics& statistics,
                                  std::vector<Moments>& moments) {
  const std::size_t d = usize(model.columns());
  const double kappa = prior_.rows();
  double change = 0;
  for (Index c = 0; c < model.classes(); ++c) {
    Moments& of = moments[model.covariance_of(usize(c))];
    const double n = statistics.weight(c), weight = n / statistics.total();
    if (options_.weights == Weights::kEstimated && options_.known_weights.empty()) {
      double& old = model.weights_.values[usize(c)];
      change = std::max(change, std::abs(weight - std::exchange(old, weight)));
    }
    of.components += 1;
    // A component that has lost its rows keeps its place, or goes where the prior is.
    if (weight < kLeastWeight) empty_.push_back(c);
    if (weight < kLeastWeight && kappa == 0) continue;

    of.weight += n;
    double* mean = &model.means_.values[usize(c) * d];
    const std::span<const double> sum = statistics.sum(c);
    std::vector<double> delta(d), pull(d);
    for (std::size_t j = 0; j < d; ++j) {
      pull[j] = kappa > 0 ? prior_.mean()[j] - mean[j] : 0;
      delta[j] = (sum[j] + kappa * pull[j]) / (n + kappa);
      pull[j] -= delta[j];
    }
    add_product(of.scatter, n, delta, delta);
    add_product(of.scatter, -2, delta, sum);
    add_product(of.pseudo, kappa, pull, pull);
    for (std::size_t j = 0; j < d; ++j) {
      of.jump[j] = std::max(of.jump[j], delta[j] * delta[j]);
      const double deviation = std::sqrt(model.variance(c, static_cast<Index>(j)));
      change = std::max(change, std::abs(delta[j]) / deviation);
      mean[j] += delta[j];
    }
  }
  return change;
}

double GaussianUpdate::set_covariance(GaussianMixture& model, std::size_t f,
                                      const Moments& moments) {
  const std::size_t d = usize(model.columns());
  const bool spherical = model.covariances_.shape.size() == 1;
  const std::size_t size = spherical ? 1 : moments.scatter.size();
  const double divisor = moments.weight + prior_.divisor(moments.components);
  if (moments.weight == 0 && !prior_.given()) return 0;
  const std::size_t row = moments.scatter.size() > d ? d + 1 : 1;
  // Far from the old means, only the means move, which raises the likelihood too; the next pass,
  // about the new means, has all the digits.
  for (std::size_t j = 0; j < d; ++j) {
    const double spread = std::max(moments.scatter[j * row] / moments.weight, floor_.least(j));
    if (moments.jump[j] > kFarStart * spread) return 0;
  }

  std::vector<double> covariance(moments.scatter.size());
  for (std::size_t i = 0; i < covariance.size(); ++i) {
    covariance[i] = (moments.scatter[i] + moments.pseudo[i]) / divisor;
  }
  if (spherical) {
    const double sum = std::accumulate(covariance.begin(), covariance.end(), 0.0);
    covariance.assign(1, sum / static_cast<double>(d));
  }
  floor_.apply(static_cast<Index>(f), covariance);
  double* old = &model.covariances_.values[f * size];
  const std::size_t step = size > d ? d + 1 : 1;
  double change = 0;
  for (std::size_t i = 0; i < size; i += step) {
    change = std::max(change, std::abs(covariance[i] / old[i] - 1));
  }
  std::copy(covariance.begin(), covariance.end(), old);
  return change;
}

std::vector<Note> GaussianUpdate::notes(const Schema& schema) const {
  std::vector<Note> result = floor_.notes(schema);
  if (empty_.empty()) return result;
  const bool kept = options_.weights != Weights::kEstimated || !options_.known_weights.empty();
  result.push_back(
      {"empty-component",
       fmt::format("{} of {} components lost all their rows (component {}{}): {}", empty_.size(),
                   options_.n_components, empty_[0], empty_.size() == 1 ? "" : ", ...",
                   kept ? "they stay where they were" : "their weight is 0")});
  return result;
}

}  // namespace craton
