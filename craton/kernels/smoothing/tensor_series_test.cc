#include "craton/kernels/smoothing/tensor_series.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/matrix.h"
#include "tests/each_target.h"

using namespace craton;
using namespace craton::kernel_test;

namespace {

constexpr std::size_t kOrders[] = {8, 12, 16, 20};

std::size_t tensor_size(std::size_t order, std::size_t columns) {
  return columns == 2 ? order * order : order * order * order;
}

// prod_j u_j^k_j / k_j!, k the digits of `at` in base p.
long double power(std::size_t order, std::size_t columns, const double* u, std::size_t at) {
  long double product = 1;
  for (std::size_t j = columns; j-- > 0; at /= order) {
    for (std::size_t k = 1; k <= at % order; ++k) product *= u[j] / static_cast<long double>(k);
  }
  return product;
}

}  // namespace

TEST_CASE("moments and values of tensors are sums of products of powers") {
  for_each_target([] {
    for (const std::size_t columns : {2u, 3u}) {
      for (const std::size_t order : kOrders) {
        CAPTURE(order);
        const std::size_t size = tensor_size(order, columns);
        std::vector<double> moments(2 * size);
        std::vector<PointOfCell> points;
        const auto numbers = some_numbers(4 * 7, order);
        for (std::size_t i = 0; i < 7; ++i) {
          const double* const z = &numbers[4 * i];
          points.push_back({{z[0], z[1], z[2]}, z[3] * z[3], &moments[i % 2 * size]});
        }
        add_moments(order, columns, points);
        long double sum = 0, all = 0;
        for (std::size_t at = 0; at < size; ++at) {
          long double expected = 0, scale = 0;
          for (std::size_t i = 0; i < 7; i += 2) {
            const long double term = points[i].weight * power(order, columns, points[i].z, at);
            expected += term;
            scale += std::abs(term);
          }
          CHECK(std::abs(static_cast<double>(moments[at] - expected)) <=
                static_cast<double>(scale) * 200 * 0x1p-53);
          const long double term = moments[at] * power(order, columns, points[1].z, at);
          sum += term;
          all += std::abs(term);
        }
        const double value = series_value(order, columns, points[1].z, moments.data());
        CHECK(std::abs(static_cast<double>(value - sum)) <=
              static_cast<double>(all) * 200 * 0x1p-53);
      }
    }
  });
}

TEST_CASE("contracting tensors sums over the first index and puts a new one last") {
  for_each_target([] {
    for (const std::size_t columns : {2u, 3u}) {
      for (const std::size_t order : kOrders) {
        CAPTURE(order);
        const std::size_t size = tensor_size(order, columns), rest = size / order;
        const auto tensors = some_numbers(static_cast<Index>(3 * size), 1);
        const auto tables = some_numbers(static_cast<Index>(3 * order * order), 2);
        std::vector<SeriesPart> parts;
        for (std::size_t k = 0; k < 3; ++k) {
          parts.push_back({&tensors[k * size], &tables[k * order * order]});
        }
        std::vector<double> out(size);
        contract(order, columns, parts, out.data());
        for (std::size_t r = 0; r < rest; r += 7) {
          for (std::size_t a = 0; a < order; ++a) {
            long double expected = 0, scale = 0;
            for (const SeriesPart& part : parts) {
              for (std::size_t b = 0; b < order; ++b) {
                const long double term =
                    static_cast<long double>(part.tensor[b * rest + r]) * part.table[b * order + a];
                expected += term;
                scale += std::abs(term);
              }
            }
            CHECK(std::abs(static_cast<double>(out[r * order + a] - expected)) <=
                  static_cast<double>(scale) * 64 * 0x1p-53);
          }
        }
      }
    }
  });
}
