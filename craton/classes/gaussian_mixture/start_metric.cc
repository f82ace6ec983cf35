#include "craton/classes/gaussian_mixture/start_metric.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/linalg.h"

namespace craton {
namespace {

// Added to the diagonal of the correlations: columns that depend on each other are no trouble.
constexpr double kRidge = 1e-6;

}  // namespace

StartMetric::StartMetric(std::vector<double> mean, std::vector<double> variance)
    : mean_(std::move(mean)), lower_(std::move(variance)) {
  for (double& v : lower_) v = std::sqrt(v);
  // A column may have no spread beside a row that outweighs all others.
  for (const double v : lower_) inverse_.push_back(std::isfinite(1 / v) ? 1 / v : 0);
}

StartMetric StartMetric::whitening(const StartMetric& units, const Array& x,
                                   const std::vector<double>& weights) {
  const std::size_t d = units.mean_.size(), rows = usize(x.rows());
  std::vector<double> correlation(d * d), y(d);
  double total = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    total += weights[i];
    for (std::size_t j = 0; j < d; ++j) {
      y[j] = (x.values[i * d + j] - units.mean_[j]) * units.inverse_[j];
      for (std::size_t l = 0; l <= j; ++l) correlation[j * d + l] += weights[i] * y[j] * y[l];
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t l = 0; l <= j; ++l) {
      correlation[l * d + j] = correlation[j * d + l] /= total;
    }
    correlation[j * d + j] += kRidge;
  }
  if (!cholesky(correlation, static_cast<Index>(d)))
    return units;  // a weight beside which others vanish
  StartMetric result = units;
  result.lower_ = correlation;
  invert_lower(correlation, static_cast<Index>(d));
  result.inverse_ = std::move(correlation);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t l = 0; l <= j; ++l) {
      result.lower_[j * d + l] *= units.lower_[j];
      result.inverse_[j * d + l] *= units.inverse_[l];
    }
  }
  return result;
}

std::vector<float> StartMetric::coordinates(const Array& x, const Exec& exec) const {
  constexpr Index kRows = 256;
  const std::size_t d = mean_.size();
  std::vector<float> z(x.values.size());
  for_each((x.rows() + kRows - 1) / kRows, exec, [&](Index block) {
    const std::size_t last = usize(std::min(x.rows(), (block + 1) * kRows));
    std::vector<double> y(d);
    for (std::size_t i = usize(block * kRows); i < last; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        y[j] = x.values[i * d + j] - mean_[j];
        double sum = diagonal() ? inverse_[j] * y[j] : 0;
        for (std::size_t l = 0; l <= j && !diagonal(); ++l) sum += inverse_[j * d + l] * y[l];
        z[i * d + j] = static_cast<float>(sum);
      }
    }
  });
  return z;
}

Array StartMetric::restored(Array z) const {
  const std::size_t d = mean_.size();
  for (std::size_t first = 0; first < z.values.size(); first += d) {
    for (std::size_t j = d; j-- > 0;) {  // from the last: those before it are still coordinates
      double sum = diagonal() ? lower_[j] * z.values[first + j] : 0;
      for (std::size_t l = 0; l <= j && !diagonal(); ++l) {
        sum += lower_[j * d + l] * z.values[first + l];
      }
      z.values[first + j] = mean_[j] + sum;
    }
  }
  return z;
}

std::vector<double> StartMetric::covariance(bool whole) const {
  const std::size_t d = mean_.size();
  CRATON_ASSERT(whole || diagonal());
  std::vector<double> result(whole ? d * d : d);
  for (std::size_t i = 0; i < d; ++i) {
    if (diagonal()) result[whole ? i * d + i : i] = lower_[i] * lower_[i];
    for (std::size_t j = 0; j <= i && !diagonal(); ++j) {
      double sum = 0;
      for (std::size_t l = 0; l <= j; ++l) sum += lower_[i * d + l] * lower_[j * d + l];
      result[i * d + j] = result[j * d + i] = sum;
    }
  }
  return result;
}

}  // namespace craton
