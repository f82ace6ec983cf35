#include "craton/kernels/gaussian.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/base/random.h"
#include "craton/kernels/scratch.h"

using namespace craton;

namespace {

constexpr double kEps = 2.2204460492503131e-16;

struct Problem {
  std::size_t d, rows;
  Scratch x, by_row, r, w, work;
  std::vector<double> mean, lower;  // lower: d x d

  Problem(std::size_t columns, std::size_t count, double offset)
      : d(columns),
        rows(count),
        x(d * kBlockRows),
        by_row(by_row_size(d)),
        r(kBlockRows),
        w(kBlockRows),
        work(work_size(d)),
        mean(d) {
    Random random(d * 100 + rows, Purpose::kTest, 8);
    lower.resize(d * d);
    for (std::size_t i = 0; i < d; ++i) {
      mean[i] = offset + random.normal();
      for (std::size_t j = 0; j <= i; ++j) lower[i * d + j] = random.normal();
    }
    for (std::size_t b = 0; b < kBlockRows; ++b) {
      r.data()[b] = b % 7 == 0 ? NAN : random.uniform();
      w.data()[b] = b % 7 == 0 ? 0 : 2 * random.uniform();
      double* row = by_row.data() + b * row_stride(d);
      std::fill(row, row + row_stride(d), 0.0);
      for (std::size_t j = 0; j < d; ++j) row[j] = at(j, b) = offset + random.normal();
    }
  }
  double& at(std::size_t j, std::size_t b) { return x.data()[j * kBlockRows + b]; }
  long double y(std::size_t j, std::size_t b) {
    return static_cast<long double>(at(j, b)) - mean[j];
  }
};

const std::vector<std::size_t> kWidths{1, 2, 3, 4, 5, 8, 11, 12, 13, 16, 31, 32, 33, 64, 130};

}  // namespace

// Error: about (d + 2) eps times 1 + sum_i (sum_j |A_ij| |y_j|)^2.
TEST_CASE("log densities are the formula's, with any offset") {
  for (const std::size_t d : kWidths) {
    for (const double offset : {0.0, 1e8}) {
      Problem p(d, 48, offset);
      std::vector<double> packed(packed_size(d)), diagonal(d);
      pack_lower(p.lower.data(), d, packed.data());
      for (std::size_t j = 0; j < d; ++j) diagonal[j] = p.lower[j * d + j];
      Scratch full(kBlockRows), diag(kBlockRows);
      full_log_density(p.x.data(), p.mean.data(), packed.data(), 0.5, d, p.rows, p.work.data(),
                       full.data());
      diagonal_log_density(p.x.data(), p.mean.data(), diagonal.data(), 0.5, d, p.rows, diag.data());
      for (std::size_t b = 0; b < p.rows; ++b) {
        long double expected = 0, size = 0, of_diagonal = 0;
        for (std::size_t i = 0; i < d; ++i) {
          long double sum = 0, absolute = 0;
          for (std::size_t j = 0; j <= i; ++j) {
            sum += p.lower[i * d + j] * p.y(j, b);
            absolute += std::abs(p.lower[i * d + j] * p.y(j, b));
          }
          expected += sum * sum;
          size += absolute * absolute;
          of_diagonal += diagonal[i] * p.y(i, b) * diagonal[i] * p.y(i, b);
        }
        const double bound = 2 * static_cast<double>(d + 2) * kEps;
        CHECK(std::abs(full.data()[b] - static_cast<double>(0.5 - expected / 2)) <=
              bound * static_cast<double>(1 + size));
        CHECK(std::abs(diag.data()[b] - static_cast<double>(0.5 - of_diagonal / 2)) <=
              bound * static_cast<double>(1 + of_diagonal));
      }
    }
  }
}

// Error: about rows eps times the sum of the absolute terms.
TEST_CASE("moments are the formula's, are added, and leave other rows alone") {
  for (const std::size_t d : kWidths) {
    for (const double offset : {0.0, 1e8}) {
      Problem p(d, 72, offset);
      std::vector<double> sum(d, 1), scatter(d * (d + 1) / 2, 2), sum2(d, 1), diagonal(d, 2);
      const double n =
          add_full_scatter(p.x.data(), p.by_row.data(), p.mean.data(), p.r.data(), p.w.data(), d,
                           p.rows, p.work.data(), sum.data(), scatter.data());
      CHECK(add_diagonal_scatter(p.x.data(), p.by_row.data(), p.mean.data(), p.r.data(), p.w.data(),
                                 d, p.rows, sum2.data(), diagonal.data()) == n);
      std::vector<double> r(p.rows);
      for (std::size_t b = 0; b < p.rows; ++b)
        r[b] = b % 7 == 0 ? 0 : p.r.data()[b] * p.w.data()[b];
      const double bound = static_cast<double>(p.rows) * kEps;
      double weight = 0;
      for (std::size_t b = 0; b < p.rows; ++b) weight += r[b];
      CHECK(std::abs(n - weight) <= bound * weight);
      for (std::size_t i = 0; i < d; ++i) {
        long double first = 1, size = 1;
        for (std::size_t b = 0; b < p.rows; ++b) {
          first += r[b] * p.y(i, b), size += std::abs(r[b] * p.y(i, b));
        }
        CHECK(std::abs(sum[i] - static_cast<double>(first)) <= bound * static_cast<double>(size));
        CHECK(std::abs(sum2[i] - static_cast<double>(first)) <= bound * static_cast<double>(size));
        for (std::size_t j = 0; j <= i; ++j) {
          long double second = 2, absolute = 2;
          for (std::size_t b = 0; b < p.rows; ++b) {
            second += r[b] * p.y(i, b) * p.y(j, b);
            absolute += std::abs(r[b] * p.y(i, b) * p.y(j, b));
          }
          const double allowed = bound * static_cast<double>(absolute);
          CHECK(std::abs(scatter[i * (i + 1) / 2 + j] - static_cast<double>(second)) <= allowed);
          if (i == j) CHECK(std::abs(diagonal[i] - static_cast<double>(second)) <= allowed);
        }
      }
    }
  }
}

// What is spared must not show: against all rows, in long double.
TEST_CASE("rows of negligible responsibility are spared, small ones are not") {
  constexpr std::size_t d = 40;
  Problem p(d, 72, 0);
  for (std::size_t b = 0; b < p.rows; ++b) {
    p.w.data()[b] = 1;
    p.r.data()[b] = std::pow(10.0, -static_cast<double>(b % 40));
  }
  for (const double scale : {1.0, 1e-200}) {  // relative to the largest, however small that is
    std::vector<double> r(p.r.data(), p.r.data() + p.rows);
    for (double& v : r) v *= scale;
    Scratch scaled(kBlockRows);
    std::copy(r.begin(), r.end(), scaled.data());
    std::vector<double> sum(d), scatter(d * (d + 1) / 2), sum2(d), diagonal(d);
    const double n =
        add_full_scatter(p.x.data(), p.by_row.data(), p.mean.data(), scaled.data(), p.w.data(), d,
                         p.rows, p.work.data(), sum.data(), scatter.data());
    add_diagonal_scatter(p.x.data(), p.by_row.data(), p.mean.data(), scaled.data(), p.w.data(), d,
                         p.rows, sum2.data(), diagonal.data());
    long double weight = 0;
    for (const double v : r) weight += v;
    CHECK(std::abs(n / static_cast<double>(weight) - 1) < 8 * kEps);
    for (std::size_t i = 0; i < d; ++i) {
      long double second = 0;
      for (std::size_t b = 0; b < p.rows; ++b) second += r[b] * p.y(i, b) * p.y(i, b);
      const double expected = static_cast<double>(second);
      CHECK(std::abs(scatter[i * (i + 3) / 2] / expected - 1) < 32 * kEps);
      CHECK(std::abs(diagonal[i] / expected - 1) < 32 * kEps);
      CHECK(std::abs(sum[i] - sum2[i]) <=
            32 * kEps * std::sqrt(expected) * std::sqrt(static_cast<double>(weight)));
    }
  }
}
