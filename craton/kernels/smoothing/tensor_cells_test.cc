#include "craton/kernels/smoothing/tensor_cells.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/kernels/smoothing/gaussian_series.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "tests/each_target.h"
#include "tests/kernel_problems.h"

using namespace craton;
using namespace craton::kernel_test;

namespace {

constexpr double kTolerances[] = {0.3, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10};

// Clumps, equal points, points far away in one column or all, an offset, weights; queries among
// them, at the borders of cells and outside.
KernelProblem tensor_problem(std::uint64_t number, Index points) {
  Random random(number, Purpose::kTest, 11);
  KernelProblem p;
  p.kernel = SmoothingKernel::kGaussian;
  p.columns = 2 + random.below(2);
  const auto pick = [&](std::vector<double> from) {
    return from[static_cast<std::size_t>(random.below(std::ssize(from)))];
  };
  const double scale = pick({1, 1e-9, 1e7}), offset = pick({0, 1e3, 1e9}) * scale;
  const double h = scale * (p.columns == 2 ? pick({0.1, 0.4, 2}) : pick({0.7, 2}));
  const bool weighted = random.below(2) == 0;
  for (Index j = 0; j < p.columns; ++j) p.bandwidths.push_back(h * (0.5 + random.uniform()));
  for (Index i = 0; i < points; ++i) {
    const bool again = i > 0 && random.below(8) == 0;
    const double far = random.below(200) == 0 ? pick({1e3, 1e6, 1e12, 1e60}) : 0;
    const Index column = random.below(p.columns + 1);
    for (Index j = 0; j < p.columns; ++j) {
      const double value = (random.normal() + (i % 3 == 0 ? 3 : 0)) * scale + offset +
                           (j == column || column == p.columns ? far * h : 0);
      p.points.push_back(again ? p.points[usize((i - 1) * p.columns + j)] : value);
    }
    p.weights.push_back(weighted ? std::exp(6 * random.uniform() - 3) : 1);
  }
  sort_points(p);
  for (int q = 0; q < 40; ++q) {
    const Index near = random.below(points);
    const double step = pick({0, 0.3, 1, 3});
    for (Index j = 0; j < p.columns; ++j) {
      const double h_j = p.bandwidths[usize(j)], y = p.points[usize(near * p.columns + j)];
      p.queries.push_back(q % 4 == 0 ? std::floor(y / h_j) * h_j
                                     : y + step * h_j * random.normal());
    }
  }
  return p;
}

Index queries_of(const KernelProblem& p) { return std::ssize(p.queries) / p.columns; }

// As many standard normal points as queries.
KernelProblem normal_problem(Index columns, Index points, double h) {
  KernelProblem p;
  p.kernel = SmoothingKernel::kGaussian;
  p.columns = columns;
  p.points = some_numbers(points * columns, 1);
  p.queries = some_numbers(points * columns, 2);
  p.weights.assign(usize(points), 1);
  p.bandwidths.assign(usize(columns), h);
  sort_points(p);
  return p;
}

}  // namespace

TEST_CASE("no bound of a sum over cells of columns is broken") {
  Index found = 0, close = 0, columns[] = {0, 0};
  for (std::uint64_t number = 0; number < 150; ++number) {
    CAPTURE(number);
    const KernelProblem p = tensor_problem(number, 2500);
    const double rtol = kTolerances[number % std::size(kTolerances)];
    CAPTURE(rtol);
    const TensorCells cells(p.bandwidths, p.view(), p.weights, rtol, run_in_order);
    for (Index q = 0; q < queries_of(p); ++q) {
      CAPTURE(q);
      const double* const x = &p.queries[usize(q * p.columns)];
      const auto sum = cells.at(x);
      if (!sum) continue;
      ++found;
      ++columns[p.columns - 2];
      const long double expected = std::exp(exact_log_sum(p, x));
      CHECK(std::abs(static_cast<double>(sum->value - expected)) <= sum->error);
      close += sum->error < rtol * sum->value ? 1 : 0;
    }
  }
  CHECK(found > 1500);
  CHECK(10 * close > 7 * found);
  CHECK(columns[0] > 500);
  CHECK(columns[1] > 500);
}

TEST_CASE("light points feel heavy ones as far as cells reach") {
  // 1200 points in one cell, and 300 that weigh 1e6 times as much so many cells away
  for (const double rtol : {1e-4, 1e-8}) {
    CAPTURE(rtol);
    for (double away = 0; away < 10; away += 0.2) {
      CAPTURE(away);
      KernelProblem p;
      p.kernel = SmoothingKernel::kGaussian;
      p.columns = 2;
      p.bandwidths = {1, 1};
      for (int i = 0; i < 1500; ++i) {
        p.points.push_back(i < 1200 ? 0.4 + 1e-6 * i : 0.5 + away + 1e-6 * i);
        p.points.push_back(0.4 + 1e-6 * (i % 40));
        p.weights.push_back(i < 1200 ? 1 : 1e6);
      }
      sort_points(p);
      const TensorCells cells(p.bandwidths, p.view(), p.weights, rtol, run_in_order);
      for (const double along : {0.02, 0.85}) {
        const double x[] = {along, 0.7};
        const auto sum = cells.at(x);
        REQUIRE(sum);
        const long double expected = std::exp(exact_log_sum(p, x));
        CHECK(std::abs(static_cast<double>(sum->value - expected)) <= sum->error);
      }
    }
  }
}

TEST_CASE("the bound of a sum over cells is that of its formula") {
  for (const double rtol : {1e-2, 1e-4}) {
    CAPTURE(rtol);
    KernelProblem p;
    p.columns = 2;
    p.bandwidths = {1, 1};
    for (int i = 0; i < 3000; ++i) {
      p.points.push_back((i < 2000 ? 0.3 : 3.3) + 1e-6 * i);
      p.points.push_back(0.3);
      p.weights.push_back(1);
    }
    const TensorCells cells(p.bandwidths, p.view(), p.weights, rtol, run_in_order);
    const double x[] = {0.3, 0.3};
    const auto sum = cells.at(x);
    REQUIRE(sum);
    // For some order and side of cells: the side is as large as this bound of the series allows.
    double nearest = INFINITY;
    for (const std::size_t order : {8u, 12u}) {
      for (double side = 0.9; side <= 2; side += 1e-3) {
        const double e = series_rest(order, side);
        if (!(e < rtol / 24 * 1.02 && e > rtol / 24 * 0.9)) continue;
        const double apart = std::floor(3.302 / side) - std::floor(0.3 / side);
        const double u = std::max(0.0, apart - 1) * side;
        const double expected = (2000 + 1000 * std::exp(-u * u / 4)) * e * (2 + e);
        nearest = std::min(nearest, std::abs(std::log(sum->error / expected)));
      }
    }
    CHECK(nearest < 0.1);
  }
}

TEST_CASE("of normal points nearly all sums are within the tolerance by cells, and far nearer") {
  for (const double rtol : {1e-2, 1e-6, 1e-8}) {
    CAPTURE(rtol);
    const KernelProblem p = normal_problem(2, 20'000, 0.2);
    const TensorCells cells(p.bandwidths, p.view(), p.weights, rtol, run_in_order);
    Index close = 0;
    for (Index q = 0; q < queries_of(p); ++q) {
      const double* const x = &p.queries[usize(2 * q)];
      const auto sum = cells.at(x);
      if (!sum || sum->error > rtol * (sum->value - sum->error)) continue;
      ++close;
      if (q % 200 > 0) continue;
      // Signs cancel, so that errors are far below their bounds.
      const long double expected = std::exp(exact_log_sum(p, x));
      CHECK(std::abs(static_cast<double>(sum->value - expected)) < 4e-4 * rtol * sum->value);
    }
    CHECK(close > 18'500);
  }
}

TEST_CASE("neither the order of tasks nor what else is asked for changes a sum by cells") {
  const KernelProblem p = normal_problem(3, 5000, 0.8);
  const TensorCells cells(p.bandwidths, p.view(), p.weights, 1e-3, run_in_order);
  const TensorCells backwards(p.bandwidths, p.view(), p.weights, 1e-3,
                              [](Index count, FunctionRef<void(Index)> task) {
                                while (count-- > 0) task(count);
                              });
  Index found = 0;
  for (Index q = queries_of(p); q-- > 0;) {
    const auto a = cells.at(&p.queries[usize(3 * q)]), b = backwards.at(&p.queries[usize(3 * q)]);
    REQUIRE(a.has_value() == b.has_value());
    if (!a) continue;
    ++found;
    CHECK(a->value == b->value);
    CHECK(a->error == b->error);
  }
  CHECK(found > 3000);
}

TEST_CASE("a point far away is one cell or none, and an offset costs no digits") {
  KernelProblem p = normal_problem(2, 4000, 0.25);
  for (double& y : p.points) y = std::round(y * 0x1p20) * 0x1p-20;  // exact with an offset of 2^30
  sort_points(p);
  const auto cells_of = [](const KernelProblem& q) {
    return TensorCells(q.bandwidths, q.view(), q.weights, 1e-8, run_in_order);
  };
  const TensorCells plain = cells_of(p);
  CHECK(plain.polynomials() > 50);
  const std::vector<double> before = p.points;
  const double x[] = {0.25, -0.5};
  REQUIRE(plain.at(x));
  for (const double far : {1e3, 1e11, 1e12, 1e100}) {
    CAPTURE(far);
    p.points[p.points.size() - 2] = far;  // the last point, which is near in the other column
    const auto sum = cells_of(p).at(x);
    REQUIRE(sum);
    CHECK(std::abs(sum->value - plain.at(x)->value) < 1e-9 * sum->value);
    CHECK(cells_of(p).polynomials() <= plain.polynomials());
    CHECK_FALSE(cells_of(p).at(&p.points[p.points.size() - 2]));
  }
  p.points = before;
  for (double& y : p.points) y += 0x1p30;
  const double there[] = {0x1p30 + 0.25, 0x1p30 - 0.5};
  const auto sum = cells_of(p).at(there);
  REQUIRE(sum);
  CHECK(std::abs(sum->value - plain.at(x)->value) < 1e-9 * sum->value);
}

TEST_CASE("there are no cells where they would hold about a point each, or of few points") {
  const auto polynomials = [](const KernelProblem& p) {
    return TensorCells(p.bandwidths, p.view(), p.weights, 1e-8, run_in_order).polynomials();
  };
  CHECK(polynomials(normal_problem(2, 20'000, 0.01)) == 0);
  CHECK(polynomials(normal_problem(3, 20'000, 0.1)) == 0);
  CHECK(polynomials(normal_problem(2, 500, 1)) == 0);
  CHECK(polynomials(normal_problem(2, 5000, 1)) > 10);
}

TEST_CASE("a sum of kernels is that of cells within the tolerance, or of all points") {
  for (std::uint64_t number = 100; number < 130; ++number) {
    CAPTURE(number);
    const KernelProblem p = tensor_problem(number, 2500);
    const double rtol = kTolerances[number % std::size(kTolerances)];
    const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights, rtol);
    for (Index q = 0; q < queries_of(p); ++q) {
      CAPTURE(q);
      const double* const x = &p.queries[usize(q * p.columns)];
      const KernelSum found = sums.at(x, rtol);
      const long double expected = exact_log_sum(p, x);
      if (found.error == INFINITY) continue;  // squares overflow
      CHECK(std::abs(static_cast<double>(std::expm1(found.log_sum - expected))) <= found.error);
      CHECK(found.error <= std::max(rtol, 1e-10));
      KernelProblem first = p;
      first.columns = 1;
      first.points.clear();
      for (Index i = 0; i < p.size(); ++i) first.points.push_back(p.view().row(i)[0]);
      if (q > 2) continue;
      const KernelSum along = sums.at(x, rtol, 1);
      if (along.error == INFINITY) continue;
      const long double line = exact_log_sum(first, x);
      CHECK(std::abs(static_cast<double>(std::expm1(along.log_sum - line))) <= along.error);
    }
  }
}
