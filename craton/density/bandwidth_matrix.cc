#include "craton/density/bandwidth_matrix.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"

namespace craton {
namespace {

constexpr double kSymmetric = 1e-12;  // of the larger diagonal element

Ref name() { return Ref::option("bandwidth_matrix"); }

std::vector<double> weighted_covariance(const Points& points) {
  const Index d = points.columns;
  const double n = points.weight();
  std::vector<double> mean(usize(d)), covariance(usize(d * d)), gap(usize(d));
  const double* const first = points.view().row(0);
  for (Index i = 0; i < points.size(); ++i) {
    const double* const row = points.view().row(i);
    for (Index j = 0; j < d; ++j) {
      mean[usize(j)] += points.weights[usize(i)] / n * (row[j] - first[j]);
    }
  }
  for (Index i = 0; i < points.size(); ++i) {
    const double* const row = points.view().row(i);
    for (Index j = 0; j < d; ++j) gap[usize(j)] = row[j] - first[j] - mean[usize(j)];
    for (Index j = 0; j < d; ++j) {
      const double part = points.weights[usize(i)] / (n - 1) * gap[usize(j)];
      for (Index k = 0; k <= j; ++k) covariance[usize(j * d + k)] += part * gap[usize(k)];
    }
  }
  for (Index j = 0; j < d; ++j) {
    for (Index k = 0; k < j; ++k) covariance[usize(k * d + j)] = covariance[usize(j * d + k)];
  }
  return covariance;
}

}  // namespace

std::vector<double> given_matrix(const Array& given, Index columns) {
  const std::size_t d = usize(columns);
  const std::vector<double>& values = given.values;
  if (values.size() == d) {
    std::vector<double> matrix(d * d);
    for (std::size_t j = 0; j < d; ++j) matrix[j * d + j] = values[j];
    return matrix;
  }
  if (values.size() != d * d) {
    throw InputError(Code::kBadOption, {},
                     {"{} has {} values for {} columns", name(), ssize(values), columns},
                     "Give a row and a column for each, or the diagonal alone.");
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double gap = std::abs(values[i * d + j] - values[j * d + i]);
      const double size = std::max(std::abs(values[i * d + i]), std::abs(values[j * d + j]));
      if (gap <= kSymmetric * size) continue;
      throw InputError(Code::kBadOption, {},
                       {"{} is not symmetric at row {}, column {}", name(), static_cast<Index>(i),
                        static_cast<Index>(j)},
                       "Give a symmetric one.");
    }
  }
  return values;
}

std::vector<double> covariance_matrix(BandwidthRule rule, double number, const Points& points,
                                      const Schema& schema) {
  std::vector<Note> notes;
  double factor = number;
  if (rule != BandwidthRule::kNumber) {
    if (rule != BandwidthRule::kScott && rule != BandwidthRule::kSilverman) {
      throw InputError(Code::kBadOption, {},
                       {"{} takes a number or {} or {} as its factor",
                        Ref::option("bandwidth_matrix", "covariance"),
                        Ref::option("bandwidth", "scott"), Ref::option("bandwidth", "silverman")},
                       {"Give one of them, or {}.", Ref::option("bandwidth_matrix", "none")});
    }
    const auto d = static_cast<double>(points.columns);
    const double gaussian = rule == BandwidthRule::kSilverman ? 4 / (d + 2) : 1;
    factor = std::pow(gaussian / points.weight(), 1 / (d + 4));
  }
  find_bandwidths(BandwidthRule::kScott, points, schema, notes);  // refuses what has no spread
  std::vector<double> matrix = weighted_covariance(points);
  for (double& v : matrix) v *= factor * factor;
  return matrix;
}

void set_matrix(std::vector<double> matrix, const Schema& schema, KernelShape& shape) {
  const Index d = schema.size();
  bool more = false;
  for (Index i = 0; i < d * d; ++i) more = more || (i / d != i % d && matrix[usize(i)] != 0);
  bool positive = true;
  for (Index j = 0; j < d; ++j) positive = positive && matrix[usize(j * d + j)] > 0;
  std::vector<double> factor = matrix;
  if (!positive || !cholesky(factor, d)) {
    throw InputError(Code::kBadOption, {}, {"{} is not positive definite", name()},
                     "Give one that is, or its diagonal alone. The covariance of columns is not "
                     "where one of them follows from others.");
  }
  shape.bandwidth = diagonal_of(factor, d);
  if (more) shape.factor = std::move(factor);
}

std::vector<double> product_of(std::span<const double> factor, Index columns) {
  std::vector<double> matrix;
  for (Index i = 0; i < columns; ++i) {
    for (Index j = 0; j < columns; ++j) {
      double sum = 0;
      for (Index k = 0; k <= std::min(i, j); ++k) {
        sum += factor[usize(i * columns + k)] * factor[usize(j * columns + k)];
      }
      matrix.push_back(sum);
    }
  }
  return matrix;
}

std::vector<double> diagonal_of(std::span<const double> factor, Index columns) {
  std::vector<double> roots;
  for (Index j = 0; j < columns; ++j) {
    double square = 0;
    for (Index k = 0; k <= j; ++k) {
      square += factor[usize(j * columns + k)] * factor[usize(j * columns + k)];
    }
    roots.push_back(std::sqrt(square));
  }
  return roots;
}

}  // namespace craton
