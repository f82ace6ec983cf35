#include "craton/kernels/algebra/qr.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "tests/each_target.h"

namespace craton::qr_test {
namespace {

using kernel_test::for_each_target;
using kernel_test::some_numbers;

// The largest |R'R - sum_i w_i x_i x_i'|, in long double, over the product of the columns' norms.
double gap(const std::vector<double>& r, Index d, const std::vector<double>& x, Index n,
           const double* weights = nullptr) {
  std::vector<long double> gram(usize(d * d)), other(usize(d * d));
  const auto add = [&](const std::vector<double>& rows, Index count, const double* w,
                       std::vector<long double>& sum) {
    for (Index i = 0; i < count; ++i) {
      for (Index u = 0; u < d; ++u) {
        const long double left =
            static_cast<long double>(rows[usize(i * d + u)]) * (w ? w[i] : 1.0);
        for (Index v = 0; v <= u; ++v) {
          sum[usize(u * d + v)] += left * static_cast<long double>(rows[usize(i * d + v)]);
        }
      }
    }
  };
  add(r, d, nullptr, gram);
  add(x, n, weights, other);
  long double worst = 0;
  for (Index u = 0; u < d; ++u) {
    for (Index v = 0; v <= u; ++v) {
      const long double size = std::sqrt(other[usize(u * (d + 1))] * other[usize(v * (d + 1))]);
      const long double off = std::abs(gram[usize(u * d + v)] - other[usize(u * d + v)]);
      worst = std::max(worst, size > 0 ? off / size : off);
    }
  }
  return static_cast<double>(worst);
}

bool upper(const std::vector<double>& r, Index d) {
  for (Index i = 0; i < d; ++i) {
    if (r[usize(i * (d + 1))] < 0) return false;
    for (Index j = 0; j < i; ++j) {
      if (r[usize(i * d + j)] != 0) return false;
    }
  }
  return true;
}

std::vector<double> factor(std::vector<double> x, Index n, Index d,
                           const double* weights = nullptr) {
  std::vector<double> r(usize(d * d));
  add_rows(r, d, x, n, weights);
  return r;
}

// A bound of Householder QR (Higham, Accuracy and Stability, 19.3) with a small constant.
double bound(Index n, Index d) {
  return 4 * std::sqrt(static_cast<double>((n + d) * d)) * std::numeric_limits<double>::epsilon();
}

}  // namespace

TEST_CASE("rows that are added give the factor of their Gram matrix, on every target") {
  for_each_target([] {
    for (const Index d : {1, 2, 15, 16, 17, 33, 100}) {
      for (const Index n : {1, 5, 256, 600}) {
        CAPTURE(d);
        CAPTURE(n);
        const std::vector<double> x = some_numbers(n * d, 1);
        const std::vector<double> r = factor(x, n, d);
        CHECK(upper(r, d));
        CHECK(gap(r, d, x, n) < bound(n, d));
      }
    }
  });
}

TEST_CASE("a weight counts as so many copies of a row") {
  const Index n = 300, d = 12;
  const std::vector<double> x = some_numbers(n * d, 1);
  std::vector<double> weights(usize(n));
  for (Index i = 0; i < n; ++i) weights[usize(i)] = static_cast<double>(i % 4);
  CHECK(gap(factor(x, n, d, weights.data()), d, x, n, weights.data()) < bound(n, d));
}

TEST_CASE("rows may come in any number of calls that are cut at whole blocks") {
  const Index n = 1000, d = 70;
  const std::vector<double> x = some_numbers(n * d, 1), whole = factor(x, n, d);
  std::vector<double> r(usize(d * d));
  for (Index first = 0; first < n; first += 2 * kRowsOfQr) {
    const Index count = std::min(2 * kRowsOfQr, n - first);
    std::vector<double> part(x.begin() + first * d, x.begin() + (first + count) * d);
    add_rows(r, d, part, count);
  }
  CHECK(r == whole);
}

TEST_CASE("two factors merged are the factor of all rows") {
  for_each_target([] {
    for (const Index d : {1, 8, 65, 270}) {
      CAPTURE(d);
      const Index n = d + 50, m = 30;
      const std::vector<double> x = some_numbers((n + m) * d, 1);
      const std::vector<double> rest(x.begin() + n * d, x.end());
      std::vector<double> r = factor({x.begin(), x.begin() + n * d}, n, d);
      merge_triangles(r, factor(rest, m, d), d);
      CHECK(upper(r, d));
      CHECK(gap(r, d, x, n + m) < 2 * bound(n + m, d));
      std::vector<double> other = factor(rest, m, d);  // the other way round: as good
      merge_triangles(other, factor({x.begin(), x.begin() + n * d}, n, d), d);
      CHECK(gap(other, d, x, n + m) < 2 * bound(n + m, d));
    }
  });
}

TEST_CASE("the factor has the digits of the rows where the Gram matrix has lost them") {
  // Laeuchli's matrix: columns (1, e, 0, 0), (1, 0, e, 0), (1, 0, 0, e): R_22^2 = 2 e^2 / (1 +
  // e^2).
  const double e = 1e-10;
  const std::vector<double> x{1, 1, 1, e, 0, 0, 0, e, 0, 0, 0, e}, r = factor(x, 4, 3);
  CHECK(r[4] == doctest::Approx(std::sqrt(2.0) * e).epsilon(1e-12));
  CHECK(r[8] == doctest::Approx(std::sqrt(1.5) * e).epsilon(1e-6));
}

TEST_CASE("squares that over- or underflow do no harm") {
  for (const double scale : {1e-300, 1e-160, 1e160, 1e300}) {
    CAPTURE(scale);
    const Index n = 40, d = 10;
    std::vector<double> x = some_numbers(n * d, 1);
    const std::vector<double> plain = factor(x, n, d);
    for (double& v : x) v *= scale;
    const std::vector<double> r = factor(x, n, d);
    for (std::size_t i = 0; i < r.size(); ++i) {
      CHECK(r[i] / scale == doctest::Approx(plain[i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("numbers that are not finite are refused") {
  for (const double bad : {std::nan(""), static_cast<double>(INFINITY), -1.7e308}) {
    std::vector<double> x = some_numbers(60 * 20, 1), r(400);
    if (std::isfinite(bad)) std::fill(x.begin(), x.end(), bad);  // their sum of squares is infinite
    x[777] = bad;
    CHECK_THROWS_AS(add_rows(r, 20, x, 60), InputError);
  }
  std::vector<double> a(12, 1.0);
  a[5] = std::nan("");
  CHECK_THROWS_AS(pivoted_qr(a, 4, 3), InputError);
}

TEST_CASE("columns in the order of pivots are Q R, and R has a falling diagonal") {
  for_each_target([] {
    for (const Index d : {1, 5, 40, 150}) {
      for (const Index n : {d, d + 1, 3 * d}) {
        CAPTURE(d);
        CAPTURE(n);
        const std::vector<double> a = some_numbers(n * d, 1);
        const PivotedQr qr = pivoted_qr(a, n, d);
        REQUIRE(qr.rank == d);
        std::vector<double> turned(a.size());
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < d; ++j) {
            turned[usize(i * d + j)] = a[usize(i * d + qr.pivots[usize(j)])];
          }
        }
        CHECK(gap(qr.r, d, turned, n) < bound(n, d));
        Index further = 0;  // columns that are left, and further away than the one chosen
        for (Index i = 0; i < d; ++i) {
          for (Index j = i; j < d; ++j) {
            double left = 0;
            for (Index l = i; l <= j; ++l) left += std::pow(qr.r[usize(l * d + j)], 2);
            further += std::sqrt(left) > std::abs(qr.r[usize(i * (d + 1))]) * (1 + 1e-7);
          }
        }
        CHECK(further == 0);
      }
    }
  });
}

TEST_CASE("the rank is found, and dependent columns are told as combinations of the others") {
  for_each_target([] {
    for (const Index d : {6, 60, 120}) {
      CAPTURE(d);
      const Index n = 2 * d, rank = 2 * d / 3;
      const std::vector<double> base = some_numbers(n * rank, 1), mix = some_numbers(rank * d, 2);
      std::vector<double> a(usize(n * d));
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < d; ++j) {
          for (Index l = 0; l < rank; ++l) {
            a[usize(i * d + j)] += base[usize(i * rank + l)] * mix[usize(l * d + j)];
          }
        }
      }
      const PivotedQr qr = pivoted_qr(a, n, d, 0, 1e-12);
      REQUIRE(qr.rank == rank);
      double worst = 0;
      for (Index i = 0; i < n; ++i) {
        for (Index j = rank; j < d; ++j) {
          double sum = a[usize(i * d + qr.pivots[usize(j)])];
          for (Index l = 0; l < rank; ++l) {
            sum -= qr.combinations[usize(l * (d - rank) + j - rank)] *
                   a[usize(i * d + qr.pivots[usize(l)])];
          }
          worst = std::max(worst, std::abs(sum));
        }
      }
      CHECK(worst < 1e-10 * static_cast<double>(d));
    }
  });
}

TEST_CASE("a column that repeats another comes last, and says which it is") {
  const std::vector<double> a{1, 2, 1, 0, 5, 0, 3, 1, 3, 4, 4, 4};  // the third is the first
  const PivotedQr qr = pivoted_qr(a, 4, 3);
  REQUIRE(qr.rank == 2);
  CHECK(qr.pivots == std::vector<Index>{1, 0, 2});  // of equals the lower index is taken
  CHECK(std::abs(qr.combinations[0]) < 1e-15);
  CHECK(qr.combinations[1] == doctest::Approx(1).epsilon(1e-15));
  const PivotedQr nothing = pivoted_qr(std::vector<double>(12), 4, 3);
  CHECK(nothing.rank == 0);
}

TEST_CASE("of columns that are the same, the first is chosen") {
  for_each_target([] {
    const Index n = 90, half = 33, d = 2 * half;
    const std::vector<double> base = some_numbers(n * half, 1);
    std::vector<double> a(usize(n * d));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) a[usize(i * d + j)] = base[usize(i * half + j % half)];
    }
    const PivotedQr qr = pivoted_qr(a, n, d);
    REQUIRE(qr.rank == half);
    for (Index j = 0; j < half; ++j) CHECK(qr.pivots[usize(j)] < half);
  });
  const std::vector<double> moved{1, 1, 0,
                                  0, 0, 3};  // the last is chosen first, and takes its place
  CHECK(pivoted_qr(moved, 2, 3).pivots == std::vector<Index>{2, 0, 1});
}

TEST_CASE("a carried column becomes Q'b, with the distance from the span of the columns") {
  for (const Index d : {3, 50}) {
    const Index n = 90, all = d + 1;
    std::vector<double> a = some_numbers(n * all, 3);
    const PivotedQr qr = pivoted_qr(a, n, d, 1);
    REQUIRE(qr.rank == d);
    std::vector<double> x(usize(d));  // R x = Q'b
    for (Index i = d - 1; i >= 0; --i) {
      double sum = qr.r[usize(i * all + d)];
      for (Index j = i + 1; j < d; ++j) sum -= qr.r[usize(i * all + j)] * x[usize(j)];
      x[usize(i)] = sum / qr.r[usize(i * all + i)];
    }
    std::vector<double> residual(usize(n));
    double square = 0;
    for (Index i = 0; i < n; ++i) {
      double sum = a[usize(i * all + d)];
      for (Index j = 0; j < d; ++j) {
        sum -= x[usize(j)] * a[usize(i * all + qr.pivots[usize(j)])];
      }
      residual[usize(i)] = sum;
      square += sum * sum;
    }
    CHECK(qr.rest[0] == doctest::Approx(std::sqrt(square)).epsilon(1e-12));
    for (Index j = 0; j < d; ++j) {  // least squares: the residual is orthogonal to every column
      double product = 0;
      for (Index i = 0; i < n; ++i) product += residual[usize(i)] * a[usize(i * all + j)];
      CHECK(std::abs(product) < 1e-11);
    }
  }
}

}  // namespace craton::qr_test
