#include "craton/classes/gaussian_mixture/gaussian_floor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "craton/kernels/algebra/linalg.h"

namespace craton {

using Covariance = GaussianMixture::Covariance;

GaussianFloor::GaussianFloor(const GaussianMixture::Options& o, std::vector<double> variance)
    : type_(o.covariance_type),
      floor_(o.reg_covar > 0 ? 0 : o.covariance_floor),
      reg_covar_(o.reg_covar),
      variance_(std::move(variance)) {
  if (type_ != Covariance::kSpherical) return;
  const double mean = std::accumulate(variance_.begin(), variance_.end(), 0.0) /
                      static_cast<double>(variance_.size());
  std::fill(variance_.begin(), variance_.end(), mean);
}

double GaussianFloor::least(std::size_t column) const {
  return std::max(floor_, 1e-16) * variance_[column] + reg_covar_;
}

void GaussianFloor::apply(Index component, std::span<double> covariance) {
  const bool full = covariance.size() > variance_.size();
  if (reg_covar_ > 0) {
    const std::size_t step = full ? variance_.size() + 1 : 1;
    for (std::size_t i = 0; i < covariance.size(); i += step) covariance[i] += reg_covar_;
  } else if (floor_ > 0) {
    full ? clip_full(component, covariance) : clip_diagonal(component, covariance);
  }
}

void GaussianFloor::clip_diagonal(Index component, std::span<double> covariance) {
  for (std::size_t j = 0; j < covariance.size(); ++j) {
    const double floor = floor_ * variance_[j];
    if (covariance[j] >= floor) continue;
    floored_.push_back({component, static_cast<Index>(j), covariance[j] / variance_[j]});
    covariance[j] = floor;
  }
}

void GaussianFloor::clip_full(Index component, std::span<double> covariance) {
  const std::size_t d = variance_.size();
  std::vector<double> scaled(d * d), sd(d);
  for (std::size_t j = 0; j < d; ++j) sd[j] = std::sqrt(variance_[j]);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) scaled[i * d + j] = covariance[i * d + j] / sd[i] / sd[j];
  }
  // All eigenvalues are above the floor exactly when this is positive definite.
  std::vector<double> shifted = scaled;
  for (std::size_t j = 0; j < d; ++j) shifted[j * d + j] -= floor_;
  if (d == 1 ? shifted[0] >= 0 : cholesky(shifted, static_cast<Index>(d))) return;

  SymmetricEigen eigen = eigen_symmetric(scaled, static_cast<Index>(d));
  std::size_t column = 0;  // the one that the smallest eigenvector leans on most
  for (std::size_t j = 1; j < d; ++j) {
    if (std::abs(eigen.vectors[j * d]) > std::abs(eigen.vectors[column * d])) column = j;
  }
  floored_.push_back({component, static_cast<Index>(column), eigen.values[0]});
  for (double& value : eigen.values) value = std::max(value, floor_);
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

std::vector<Note> GaussianFloor::notes(const Schema& schema) const {
  if (floored_.empty()) return {};
  const Floored& worst = *std::min_element(
      floored_.begin(), floored_.end(),
      [](const Floored& a, const Floored& b) { return a.eigenvalue < b.eigenvalue; });
  std::set<Index> components;
  for (const Floored& f : floored_) components.insert(f.component);
  const std::string others =
      components.size() == 1 ? "" : fmt::format(" (and {} others)", components.size() - 1);
  const std::string subject = type_ == Covariance::kTied
                                  ? "the shared covariance"
                                  : fmt::format("component {}{}", worst.component, others);
  const double share = std::max(0.0, worst.eigenvalue);
  const std::string what =
      type_ == Covariance::kSpherical
          ? fmt::format("has shrunk to a point: its variance, {:.2g} of the data's,", share)
          : fmt::format(
                "is flat in one direction, mostly that of '{}': its variance there, {:.2g} "
                "of the column's,",
                schema.name(worst.column), share);
  return {{"covariance-floor",
           {"{} {} was raised to {}. Repeated rows, columns that depend on each other, or more "
            "components than the data bear do this.",
            subject, what, Ref::option("covariance_floor", fmt::format("{:g}", floor_))}}};
}

}  // namespace craton
