#include "craton/classes/discriminant/whitening.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"

using namespace craton;

namespace {

// G G' of a random d x r matrix, with columns in very different units.
std::vector<double> covariance(std::size_t d, std::size_t r) {
  std::vector<double> g(d * r), result(d * d);
  Random random(9, Purpose::kTest);
  for (double& v : g) v = random.normal();
  for (std::size_t i = 0; i < d * d; ++i) {
    for (std::size_t l = 0; l < r; ++l) result[i] += g[i / d * r + l] * g[i % d * r + l];
    result[i] *= std::pow(100.0, static_cast<double>(i / d % 4 + i % d % 4));
  }
  return result;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b,
                            std::size_t d, bool transpose_a) {
  std::vector<double> result(d * d);
  for (std::size_t i = 0; i < d * d; ++i) {
    for (std::size_t l = 0; l < d; ++l) {
      result[i] += (transpose_a ? a[l * d + i / d] : a[i / d * d + l]) * b[l * d + i % d];
    }
  }
  return result;
}

}  // namespace

TEST_CASE("L'L is the inverse, or that of the space the rows span") {
  for (const std::size_t d : {1u, 2u, 7u, 20u}) {
    for (const std::size_t r : {d, (d + 1) / 2}) {
      CAPTURE(d);
      CAPTURE(r);
      const std::vector<double> sigma = covariance(d, r);
      const Whitening w = whiten(sigma, static_cast<Index>(d), 1e-4);
      CHECK(w.rank == static_cast<Index>(r));
      for (std::size_t i = 0; i < d * d; ++i) {
        if (i % d > i / d) CHECK(w.lower[i] == 0);
      }
      // Sigma P Sigma = Sigma, whatever the rank.
      const std::vector<double> p = product(w.lower, w.lower, d, true);
      const std::vector<double> back = product(product(sigma, p, d, false), sigma, d, false);
      for (std::size_t i = 0; i < d * d; ++i) {
        const double scale = std::sqrt(sigma[i / d * (d + 1)] * sigma[i % d * (d + 1)]);
        CHECK(std::abs(back[i] - sigma[i]) <= 1e-9 * scale);
      }
    }
  }
}

TEST_CASE("log_scale is that of the determinant, and of a constant column none") {
  const std::vector<double> two{4, 0, 0, 9};
  CHECK(whiten(two, 2, 1e-4).log_scale == doctest::Approx(-std::log(6)));
  const std::vector<double> flat{4, 0, 0, 0};
  const Whitening w = whiten(flat, 2, 1e-4);
  CHECK(w.rank == 1);
  CHECK(w.column == 1);
  CHECK(w.least == 0);
  CHECK(w.log_scale == doctest::Approx(-std::log(2)));
  CHECK(whiten(std::vector<double>{0, 0, 0, 0}, 2, 1e-4).rank == 0);
}
