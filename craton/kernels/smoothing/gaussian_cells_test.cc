#include "craton/kernels/smoothing/gaussian_cells.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"

using namespace craton;

namespace {

long double exact_sum(const std::vector<double>& y, const std::vector<double>& w, double h,
                      double x) {
  long double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const long double u = (static_cast<long double>(x) - y[i]) / h;
    sum += w[i] * std::exp(-u * u / 2);
  }
  return sum;
}

}  // namespace

TEST_CASE("no bound of a sum over cells is broken, and in the bulk it is near rounding") {
  for (std::uint64_t problem = 0; problem < 60; ++problem) {
    CAPTURE(problem);
    Random random(problem, Purpose::kTest, 9);
    const double offsets[] = {0, 1e3, 1e9}, widths[] = {0.003, 0.1, 0.7, 4};
    const double offset = offsets[random.below(3)], h = widths[random.below(4)];
    std::vector<double> y, w;
    for (int i = 0; i < 3000; ++i) {
      y.push_back(offset + random.normal() + (i % 3 == 0 ? 5 : 0) + (i % 997 == 0 ? 1e9 * h : 0));
      w.push_back(problem % 2 == 0 ? 1 : random.uniform());
    }
    std::sort(y.begin(), y.end());
    const GaussianCells cells(h, y, w);
    Index found = 0, close = 0;
    for (int q = 0; q < 200; ++q) {
      const double x = y[static_cast<std::size_t>(random.below(3000))] + 6 * h * random.normal();
      const auto sum = cells.at(x);
      if (!sum) continue;
      ++found;
      const long double expected = exact_sum(y, w, h, x);
      CHECK(std::abs(static_cast<double>(sum->value - expected)) <= sum->error);
      close += sum->error < 1e-10 * sum->value ? 1 : 0;
    }
    if (h > 0.05) CHECK(found > 100);
    if (h > 0.05) CHECK(close > 50);
  }
}

TEST_CASE("a point far away is one cell, and a line without cells has no sums") {
  std::vector<double> y(1000), w(1000, 1.0);
  for (std::size_t i = 0; i < 1000; ++i) y[i] = 1e-3 * static_cast<double>(i);
  y.back() = 1e12;
  const GaussianCells cells(1, y, w);
  CHECK(cells.at(0.5));
  CHECK_FALSE(cells.at(1e12));
  y.back() = 1e100;
  CHECK_FALSE(GaussianCells(1, y, w).at(0.5));
}
