#include "craton/classes/gaussian_update.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "craton/kernels/linalg.h"

namespace craton {
namespace {

// Below this share of the rows a component's statistics are all rounding.
constexpr double kLeastWeight = 1e-150;
// A scatter about a point this many squared standard deviations from the mean has lost too many
// digits to give the scatter about the mean.
constexpr double kFarStart = 1e8;

// S / n - delta delta', from the packed lower half of S to the whole matrix.
void full_covariance(std::span<const double> scatter, std::span<const double> delta, double n,
                     std::span<double> out) {
  const std::size_t d = delta.size();
  const double* s = scatter.data();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      out[i * d + j] = out[j * d + i] = *s++ / n - delta[i] * delta[j];
    }
  }
}

void diagonal_covariance(std::span<const double> scatter, std::span<const double> delta, double n,
                         std::span<double> out) {
  for (std::size_t j = 0; j < delta.size(); ++j) out[j] = scatter[j] / n - delta[j] * delta[j];
}

}  // namespace

GaussianUpdate::GaussianUpdate(const GaussianMixture::Options& options,
                               std::vector<double> variance)
    : options_(options), variance_(std::move(variance)) {}

double GaussianUpdate::operator()(GaussianMixture& model,
                                  const GaussianMixture::Statistics& statistics) {
  const bool full = model.covariance_type() == GaussianMixture::Covariance::kFull;
  const std::size_t d = variance_.size(), size = full ? d * d : d;
  double change = 0;
  floored_.clear();
  empty_.clear();
  for (Index c = 0; c < model.classes(); ++c) {
    const double n = statistics.weight(c), weight = n / statistics.total();
    change =
        std::max(change, std::abs(weight - std::exchange(model.weights_.values[usize(c)], weight)));
    // A component that has lost its rows keeps its place, with weight 0.
    if (weight < kLeastWeight) {
      empty_.push_back(c);
      continue;
    }
    std::vector<double> delta(d), covariance(size);
    for (std::size_t j = 0; j < d; ++j) delta[j] = statistics.sum(c)[j] / n;
    (full ? full_covariance : diagonal_covariance)(statistics.scatter(c), delta, n, covariance);
    double* mean = &model.means_.values[usize(c) * d];
    double* old = &model.covariances_.values[usize(c) * size];
    // Then only the mean moves, which raises the likelihood too; the next pass, about the new mean,
    // has all the digits.
    bool far = false;
    for (std::size_t j = 0; j < d; ++j) {
      const double least = std::max(options_.covariance_floor, 1e-16) * variance_[j];
      const double spread = std::max(covariance[full ? j * d + j : j], least);
      far = far || delta[j] * delta[j] > kFarStart * spread;
    }
    if (far) {
      covariance.assign(old, old + size);
    } else {
      regularise(c, covariance);
    }
    for (std::size_t j = 0; j < d; ++j) {
      const std::size_t diagonal = full ? j * d + j : j;
      change = std::max({change, std::abs(delta[j]) / std::sqrt(old[diagonal]),
                         std::abs(covariance[diagonal] / old[diagonal] - 1)});
      mean[j] += delta[j];
    }
    std::copy(covariance.begin(), covariance.end(), old);
  }
  model.prepare();
  return change;
}

void GaussianUpdate::regularise(Index component, std::span<double> covariance) {
  const bool full = covariance.size() > variance_.size();
  if (options_.reg_covar > 0) {
    const std::size_t step = full ? variance_.size() + 1 : 1;
    for (std::size_t i = 0; i < covariance.size(); i += step) covariance[i] += options_.reg_covar;
  } else if (options_.covariance_floor > 0) {
    full ? clip_full(component, covariance) : clip_diagonal(component, covariance);
  }
}

void GaussianUpdate::clip_diagonal(Index component, std::span<double> covariance) {
  for (std::size_t j = 0; j < variance_.size(); ++j) {
    const double floor = options_.covariance_floor * variance_[j];
    if (covariance[j] >= floor) continue;
    floored_.push_back({component, static_cast<Index>(j), covariance[j] / variance_[j]});
    covariance[j] = floor;
  }
}

void GaussianUpdate::clip_full(Index component, std::span<double> covariance) {
  const std::size_t d = variance_.size();
  std::vector<double> scaled(d * d), sd(d);
  for (std::size_t j = 0; j < d; ++j) sd[j] = std::sqrt(variance_[j]);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) scaled[i * d + j] = covariance[i * d + j] / sd[i] / sd[j];
  }
  // All eigenvalues are above the floor exactly when this is positive definite.
  std::vector<double> shifted = scaled;
  for (std::size_t j = 0; j < d; ++j) shifted[j * d + j] -= options_.covariance_floor;
  if (d == 1 ? shifted[0] >= 0 : cholesky(shifted, static_cast<Index>(d))) return;

  SymmetricEigen eigen = eigen_symmetric(scaled, static_cast<Index>(d));
  std::size_t column = 0;  // the one that the smallest eigenvector leans on most
  for (std::size_t j = 1; j < d; ++j) {
    if (std::abs(eigen.vectors[j * d]) > std::abs(eigen.vectors[column * d])) column = j;
  }
  floored_.push_back({component, static_cast<Index>(column), eigen.values[0]});
  for (double& value : eigen.values) value = std::max(value, options_.covariance_floor);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < d; ++l) {
        sum += eigen.vectors[i * d + l] * eigen.values[l] * eigen.vectors[j * d + l];
      }
      covariance[i * d + j] = covariance[j * d + i] = sum * sd[i] * sd[j];
    }
  }
}

std::vector<Note> GaussianUpdate::notes(const Schema& schema) const {
  std::vector<Note> result;
  if (!floored_.empty()) {
    const Floored& worst = *std::min_element(
        floored_.begin(), floored_.end(),
        [](const Floored& a, const Floored& b) { return a.eigenvalue < b.eigenvalue; });
    std::set<Index> components;
    for (const Floored& f : floored_) components.insert(f.component);
    const std::string others =
        components.size() == 1 ? "" : fmt::format(" (and {} others)", components.size() - 1);
    result.push_back(
        {"covariance-floor",
         fmt::format(
             "component {}{} is flat in one direction, mostly that of '{}': its variance "
             "there, {:.2g} of the column's, was raised to covariance_floor = {:g}. Repeated "
             "rows, columns that depend on each other, or more components than the data "
             "bear do this.",
             worst.component, others, schema.name(worst.column), std::max(0.0, worst.eigenvalue),
             options_.covariance_floor)});
  }
  if (!empty_.empty()) {
    result.push_back({"empty-component",
                      fmt::format("{} of {} components lost all their rows (component {}{}): their "
                                  "weight is 0",
                                  empty_.size(), options_.n_components, empty_[0],
                                  empty_.size() == 1 ? "" : ", ...")});
  }
  return result;
}

}  // namespace craton
