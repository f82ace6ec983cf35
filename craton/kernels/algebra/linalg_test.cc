#include "craton/kernels/algebra/linalg.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "tests/each_target.h"

using namespace craton;

namespace craton::linalg_test {
namespace {

using kernel_test::for_each_target;
using kernel_test::some_numbers;

constexpr double kUnit = 0x1p-53;

// X'X of d + 5 rows: positive definite.
std::vector<double> some_covariance(Index d) {
  const Index n = d + 5;
  const std::vector<double> x = some_numbers(n * d, 1);
  std::vector<double> a(usize(d * d));
  for (Index i = 0; i < n; ++i) {
    for (Index u = 0; u < d; ++u) {
      for (Index v = 0; v < d; ++v)
        a[usize(u * d + v)] += x[usize(i * d + u)] * x[usize(i * d + v)];
    }
  }
  return a;
}

}  // namespace

TEST_CASE("a large matrix is L L' to rounding, on every target") {
  for (const Index d : {kLargeMatrix - 1, kLargeMatrix, kLargeMatrix + 1, Index{300}}) {
    CAPTURE(d);
    const std::vector<double> a = some_covariance(d);
    for_each_target([&] {
      std::vector<double> lower = a;
      REQUIRE(cholesky(lower, d));
      double worst = 0;  // |A - L L'|_ij <= (d + 1) u sqrt(a_ii a_jj) (Higham, 10.3)
      bool zeros = true;
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j <= i; ++j) {
          long double sum = a[usize(i * d + j)];
          for (Index l = 0; l <= j; ++l) {
            sum -= static_cast<long double>(lower[usize(i * d + l)]) * lower[usize(j * d + l)];
          }
          const double size = std::sqrt(a[usize(i * (d + 1))] * a[usize(j * (d + 1))]);
          worst = std::max(worst, static_cast<double>(std::abs(sum)) / size);
          zeros = zeros && (i == j || lower[usize(j * d + i)] == 0);
        }
      }
      CHECK(worst < static_cast<double>(d + 1) * kUnit);
      CHECK(zeros);
    });
  }
}

TEST_CASE("a large matrix that is not positive definite, or not finite, is refused") {
  const Index d = 200;
  const std::vector<double> a = some_covariance(d);
  for (const Index at : {0, 31, 32, 150, 199}) {
    for (const double bad : {-1.0, 0.0, std::nan(""), static_cast<double>(INFINITY)}) {
      std::vector<double> b = a;
      b[usize(at * (d + 1))] = bad;
      CHECK_FALSE(cholesky(b, d));
    }
  }
  std::vector<double> b = a;
  b[usize(170 * d + 12)] = std::nan("");
  CHECK_FALSE(cholesky(b, d));
}

TEST_CASE("triangular systems are solved to rounding, and each column as if it were alone") {
  for (const Index d : {1, 5, 32, 33, 150}) {
    for (const Index columns : {1, 3, 16, 50}) {
      CAPTURE(d);
      CAPTURE(columns);
      std::vector<double> lower = some_covariance(d);
      REQUIRE(cholesky(lower, d));
      const std::vector<double> b = some_numbers(d * columns, 2);
      for_each_target([&] {
        for (const bool turned : {false, true}) {
          const auto solve = turned ? solve_lower_transposed : solve_lower;
          std::vector<double> x = b;
          solve(lower, d, x, columns);
          double worst = 0;  // |b - L x|_i <= d u (|L| |x|)_i (Higham, 8.2)
          bool alone = true;
          for (Index c = 0; c < columns; ++c) {
            std::vector<double> one(usize(d));
            for (Index i = 0; i < d; ++i) {
              one[usize(i)] = b[usize(i * columns + c)];
              long double sum = one[usize(i)], size = 0;
              for (Index l = 0; l < d; ++l) {
                const long double term =
                    static_cast<long double>(lower[usize(turned ? l * d + i : i * d + l)]) *
                    x[usize(l * columns + c)];
                sum -= term;
                size += std::abs(term);
              }
              worst = std::max(worst, static_cast<double>(std::abs(sum) / size));
            }
            solve(lower, d, one, 1);
            for (Index i = 0; i < d; ++i)
              alone = alone && one[usize(i)] == x[usize(i * columns + c)];
          }
          CHECK(worst <= static_cast<double>(d + 1) * kUnit);
          CHECK(alone);
        }
      });
    }
  }
}

TEST_CASE("a large factor times its inverse is the identity, on every target") {
  for (const Index d : {kLargeMatrix, Index{131}, Index{260}}) {
    CAPTURE(d);
    std::vector<double> lower = some_covariance(d);
    REQUIRE(cholesky(lower, d));
    for_each_target([&] {
      std::vector<double> inverse = lower;
      inverse[1] = 7;  // above the diagonal nothing is read
      invert_lower(inverse, d);
      double worst = 0;  // |M L - I| <= c d u |M| |L| (Higham, 14.2)
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j < d; ++j) {
          long double sum = i == j ? -1 : 0, size = 0;
          for (Index l = 0; l < d; ++l) {
            const long double term =
                static_cast<long double>(inverse[usize(i * d + l)]) * lower[usize(l * d + j)];
            sum += term;
            size += std::abs(term);
          }
          if (size > 0) worst = std::max(worst, static_cast<double>(std::abs(sum) / size));
        }
      }
      CHECK(worst <= 2 * static_cast<double>(d) * kUnit);
      CHECK(inverse[1] == 0);
    });
  }
}

TEST_CASE("a large symmetric matrix is Z diag(values) Z' to rounding, on every target") {
  for (const Index d : {kLargeMatrix, Index{161}, Index{300}}) {
    // Full; of low rank; graded; diagonal with repeats; of rank 1; 0; all values near 1.
    for (int kind = 0; kind < (d == 161 ? 7 : 4); ++kind) {
      CAPTURE(d);
      CAPTURE(kind);
      const std::vector<double> x = some_numbers(d * d, 3);
      std::vector<double> a(usize(d * d));
      double size = 0;
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j <= i; ++j) {
          const double grade = std::pow(0.9, static_cast<double>(i + j));
          double value = x[usize(i * d + j)];
          if (kind == 1) value = x[usize(i)] * x[usize(j)] + x[usize(d + i)] * x[usize(d + j)];
          if (kind == 2) value *= grade;
          if (kind == 3) value = i == j ? static_cast<double>(i % 3) : 0;
          if (kind == 4) value = x[usize(i)] * x[usize(j)];
          if (kind == 5) value = 0;
          if (kind == 6) value = (i == j ? 1 : 0) + 1e-14 * value;
          a[usize(i * d + j)] = a[usize(j * d + i)] = value;
          size += value * value * (i == j ? 1 : 2);
        }
      }
      size = std::sqrt(size);
      for_each_target([&] {
        const SymmetricEigen e = eigen_symmetric(a, d);
        CHECK(std::is_sorted(e.values.begin(), e.values.end()));
        double residual = 0, skew = 0;
        for (Index j = 0; j < d; ++j) {
          for (Index i = 0; i < d; ++i) {
            double left = -e.values[usize(j)] * e.vectors[usize(i * d + j)],
                   product = i == j ? -1 : 0;
            for (Index l = 0; l < d; ++l) {
              left += a[usize(i * d + l)] * e.vectors[usize(l * d + j)];
              product += e.vectors[usize(l * d + i)] * e.vectors[usize(l * d + j)];
            }
            residual = std::max(residual, std::abs(left));
            skew = std::max(skew, std::abs(product));
          }
        }
        CHECK(residual <= 4 * std::sqrt(static_cast<double>(d)) * kUnit * size);
        CHECK(skew <= static_cast<double>(d) * kUnit);
      });
    }
  }
}

TEST_CASE("eigenvalues of a large matrix are those known in closed form, at any scale") {
  const Index d = 200;  // 2 on the diagonal, -1 beside it: 2 - 2 cos(k pi / (d + 1))
  const double pi = std::acos(-1.0);
  for (const double scale : {1.0, 1e-300, 1e300}) {
    CAPTURE(scale);
    std::vector<double> a(usize(d * d));
    for (Index i = 0; i < d; ++i) {
      a[usize(i * (d + 1))] = 2 * scale;
      if (i > 0) a[usize(i * d + i - 1)] = a[usize((i - 1) * d + i)] = -scale;
    }
    const SymmetricEigen e = eigen_symmetric(a, d);
    double worst = 0;
    for (Index k = 1; k <= d; ++k) {
      const double half = std::sin(static_cast<double>(k) * pi / static_cast<double>(2 * (d + 1)));
      worst = std::max(worst, std::abs(e.values[usize(k - 1)] / scale - 4 * half * half));
    }
    CHECK(worst < 4 * 4 * std::sqrt(static_cast<double>(d)) * kUnit);  // |A| is 4
  }
}

TEST_CASE("large matrices with numbers that are not finite are refused") {
  std::vector<double> a(usize(kLargeMatrix * kLargeMatrix), 1.0);
  a[1000] = std::nan("");
  CHECK_THROWS_AS(eigen_symmetric(a, kLargeMatrix), InputError);
}

}  // namespace craton::linalg_test

TEST_CASE("cholesky gives the factor of a known matrix") {
  std::vector<double> a{4, 12, -16, 12, 37, -43, -16, -43, 98};  // L = [2 0 0; 6 1 0; -8 5 3]
  REQUIRE(cholesky(a, 3));
  CHECK(a == std::vector<double>{2, 0, 0, 6, 1, 0, -8, 5, 3});
}

TEST_CASE("cholesky refuses what is not positive definite") {
  std::vector<double> indefinite{1, 2, 2, 1}, singular{1, 1, 1, 1}, nan{NAN};
  CHECK_FALSE(cholesky(indefinite, 2));
  CHECK_FALSE(cholesky(singular, 2));
  CHECK_FALSE(cholesky(nan, 1));
}

TEST_CASE("the inverse of a lower factor times the factor is the identity") {
  const std::vector<double> lower{2, 0, 0, 6, 1, 0, -8, 5, 3};
  std::vector<double> inverse = lower;
  invert_lower(inverse, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t l = 0; l < 3; ++l) product += inverse[i * 3 + l] * lower[l * 3 + j];
      CHECK(product == doctest::Approx(i == j ? 1.0 : 0.0).epsilon(1e-14));
    }
  }
}

TEST_CASE("eigenvalues ascend and their vectors rebuild the matrix") {
  const std::vector<double> a{2, 1, 1, 2};
  const SymmetricEigen e = eigen_symmetric(a, 2);
  CHECK(e.values[0] == doctest::Approx(1).epsilon(1e-14));
  CHECK(e.values[1] == doctest::Approx(3).epsilon(1e-14));
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < 2; ++l) {
        sum += e.vectors[i * 2 + l] * e.values[l] * e.vectors[j * 2 + l];
      }
      CHECK(sum == doctest::Approx(a[i * 2 + j]).epsilon(1e-14));
    }
  }
}
