#include "craton/kernels/distance_sums.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "craton/base/random.h"

namespace craton {
namespace {

TEST_CASE("sums of distances equal the plain loop, for any number of rows and columns") {
  for (const Index columns : {1, 3, 8, 17}) {
    for (const Index rows : {1, 7, 8, 9, 40}) {
      Random random(static_cast<std::uint64_t>(rows * 100 + columns), Purpose::kTest);
      std::vector<double> x(usize(kDistanceRows * columns)), y(usize(rows * columns));
      for (double& v : x) v = 1e6 + random.normal();
      for (double& v : y) v = 1e6 + random.normal();
      std::vector<double> group(usize(distance_blocks(rows) * kDistanceLanes * columns), NAN);
      for (Index j = 0; j < rows; ++j) {
        for (Index c = 0; c < columns; ++c) {
          group[usize((j / 8 * columns + c) * 8 + j % 8)] = y[usize(j * columns + c)];
        }
      }
      const double* from[kDistanceRows];
      double out[kDistanceRows];
      for (Index r = 0; r < kDistanceRows; ++r) from[r] = x.data() + r * columns;
      distance_sums(from, group.data(), rows, columns, out);
      for (Index r = 0; r < kDistanceRows; ++r) {
        double sum = 0;
        for (Index j = 0; j < rows; ++j) {
          double square = 0;
          for (Index c = 0; c < columns; ++c) {
            square += std::pow(from[r][c] - y[usize(j * columns + c)], 2);
          }
          sum += std::sqrt(square);
        }
        CHECK(std::abs(out[r] - sum) <= 1e-14 * sum);
      }
    }
  }
}

}  // namespace
}  // namespace craton
