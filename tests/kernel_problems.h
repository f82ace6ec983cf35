#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "craton/base/random.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"

// Random problems for sums of kernels, with the sums in extended precision: squared distances in
// 113 bits, profiles and sums in 64.

namespace craton {

__extension__ typedef __float128 Quad;

struct KernelProblem {
  SmoothingKernel kernel{};
  Index columns = 1;
  std::vector<double> bandwidths, points, weights, queries;

  Index size() const { return std::ssize(weights); }
  Dense<double> view() const { return {points.data(), size(), columns, columns}; }
};

// By their first coordinates, as points.h has rows.
inline void sort_points(KernelProblem& p) {
  std::vector<Index> order(p.weights.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::ranges::stable_sort(order, {}, [&](Index i) { return p.points[usize(i * p.columns)]; });
  KernelProblem sorted = p;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(&p.points[usize(order[i] * p.columns)], p.columns,
                &sorted.points[i * usize(p.columns)]);
    sorted.weights[i] = p.weights[usize(order[i])];
  }
  p = std::move(sorted);
}

// Clumps of points, some of them equal, some far away, with or without an offset; queries among
// them, at the ends of kernels, and up to 40 bandwidths outside. One problem in `large` has more
// than 60 points.
inline KernelProblem kernel_problem(std::uint64_t number, Index most_columns, Index most_points,
                                    Index large = 4) {
  Random random(number, Purpose::kTest, 7);
  KernelProblem p;
  p.kernel = static_cast<SmoothingKernel>(random.below(kSmoothingKernels));
  p.columns = 1 + random.below(most_columns);
  const auto pick = [&](std::vector<double> from) {
    return from[static_cast<std::size_t>(random.below(std::ssize(from)))];
  };
  const double scale = pick({1, 1e-9, 1e7}), offset = pick({0, 0, 1e3, 1e9}) * scale;
  const double h = scale * pick({0.02, 0.3, 1, 5});
  const bool weighted = random.below(2) == 0, grid = random.below(4) == 0;
  for (Index j = 0; j < p.columns; ++j) {
    p.bandwidths.push_back(random.below(2) == 0 ? h : h * (0.5 + random.uniform()));
  }
  const Index n = 1 + random.below(random.below(large) == 0 ? most_points : 60);
  for (Index i = 0; i < n; ++i) {
    const bool again = i > 0 && random.below(8) == 0;
    const double far = random.below(50) == 0 ? pick({1e3, 1e6, 1e12}) : 0;
    for (Index j = 0; j < p.columns; ++j) {
      double value = random.normal() * scale;
      if (grid) value = std::round(value / h) * h;
      value += offset + far * h;
      p.points.push_back(again ? p.points[usize((i - 1) * p.columns + j)] : value);
    }
    p.weights.push_back(weighted ? std::exp(6 * random.uniform() - 3) : 1);
  }
  sort_points(p);
  for (int q = 0; q < 12; ++q) {
    const Index near = random.below(n);
    const double step = pick({0, 0.3, 0.999999, 1, 1 + 1e-12, 1 - 1e-9, 1.5, 8, 40});
    for (Index j = 0; j < p.columns; ++j) {
      const double y = p.points[usize(near * p.columns + j)];
      const double direction = p.columns == 1 ? 1 : random.normal() / std::sqrt(p.columns);
      p.queries.push_back(y + direction * step * p.bandwidths[usize(j)]);
    }
  }
  return p;
}

inline long double profile_from_end(SmoothingKernel kernel, long double s, long double u) {
  if (!(s > 0)) return 0;
  const long double from_end = s / (1 + u);
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return s;
    case SmoothingKernel::kBiweight:
      return s * s;
    case SmoothingKernel::kTriweight:
      return s * s * s;
    case SmoothingKernel::kTricube:
      return std::pow(from_end * (1 + u + u * u), 3.0L);
    case SmoothingKernel::kLinear:
      return from_end;
    default:
      return std::sin(std::numbers::pi_v<long double> / 2 * from_end);
  }
}

// log sum_i w_i k(u_i). What lies inside a tophat is decided in double, as the header says.
inline long double exact_log_sum(const KernelProblem& p, const double* x) {
  std::vector<long double> logs;
  long double top = -INFINITY;
  for (Index i = 0; i < p.size(); ++i) {
    Quad square = 0;
    double rounded = 0;
    for (Index j = 0; j < p.columns; ++j) {
      const double y = p.points[usize(i * p.columns + j)], h = p.bandwidths[usize(j)];
      const Quad gap = (Quad(x[j]) - Quad(y)) / Quad(h);
      square += gap * gap;
      const double in_units = (x[j] - y) * (p.bandwidths[0] / h);
      rounded = std::fma(in_units, in_units, rounded);
    }
    const long double w = p.weights[usize(i)], u = std::sqrt(static_cast<long double>(square));
    long double log_term;
    if (p.kernel == SmoothingKernel::kTophat) {
      log_term = rounded < p.bandwidths[0] * p.bandwidths[0] ? 0.0L : -INFINITY;
    } else if (p.kernel == SmoothingKernel::kGaussian) {
      log_term = -static_cast<long double>(square) / 2;
    } else if (p.kernel == SmoothingKernel::kExponential) {
      log_term = -u;
    } else if (p.kernel == SmoothingKernel::kLogistic) {
      log_term = std::log(4.0L) - u - 2 * std::log1p(std::exp(-u));
    } else {
      log_term = std::log(profile_from_end(p.kernel, static_cast<long double>(1 - square), u));
    }
    logs.push_back(std::log(w) + log_term);
    top = std::max(top, logs.back());
  }
  if (top == -INFINITY) return top;
  long double sum = 0;
  for (const long double v : logs) sum += std::exp(v - top);
  return top + std::log(sum);
}

}  // namespace craton
