#include "craton/kernels/linalg.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace craton;

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
