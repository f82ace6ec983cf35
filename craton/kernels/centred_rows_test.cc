#include "craton/kernels/centred_rows.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"

namespace craton {
namespace {

template <class T>
void check_rows(Index rows, Index cols, Index forms) {
  Random random(3, Purpose::kTest, static_cast<std::uint32_t>(rows),
                static_cast<std::uint64_t>(cols));
  const Index stride = cols + 2;
  std::vector<T> x;
  std::vector<double> centre, unit, theta, factors;
  for (Index i = 0; i < rows * cols; ++i) x.push_back(static_cast<T>(1e6 + random.normal()));
  for (Index j = 0; j < cols; ++j) {
    centre.push_back(1e6 + random.normal());
    unit.push_back(random.uniform());
  }
  for (Index i = 0; i < forms * cols; ++i) theta.push_back(random.normal());
  for (Index i = 0; i < forms * rows; ++i) factors.push_back(random.normal());
  std::vector<double> z(usize(rows * stride), 7.0), dots(usize(rows * forms)),
      sums(usize(forms * cols), 0.5);
  std::vector<float> floats(z.size());
  centre_rows(Dense<T>{x.data(), rows, cols, cols}, centre.data(), unit.data(), z.data(), stride);
  dot_rows(z.data(), rows, stride, cols, theta.data(), forms, dots.data());
  add_rows(z.data(), rows, stride, cols, factors.data(), forms, sums.data());
  to_floats(z.data(), std::ssize(z), floats.data());
  std::vector<double> expected(sums.size(), 0.5), sizes(sums.size(), 0.5);
  for (Index i = 0; i < rows; ++i) {
    CHECK(z[usize(i * stride + cols)] == 7);  // what lies behind the columns
    for (Index r = 0; r < forms; ++r) {
      double dot = 0, size = 0;
      for (Index j = 0; j < cols; ++j) {
        const double value = static_cast<double>(x[usize(i * cols + j)]);
        const double at = z[usize(i * stride + j)], weight = theta[usize(r * cols + j)];
        CHECK(at == (value - centre[usize(j)]) * unit[usize(j)]);
        dot += at * weight;
        size += std::abs(at * weight);
        const double part = factors[usize(i * forms + r)] * at;
        expected[usize(r * cols + j)] += part;
        sizes[usize(r * cols + j)] += std::abs(part);
      }
      CHECK(std::abs(dots[usize(i * forms + r)] - dot) <= 1e-15 * static_cast<double>(cols) * size);
    }
  }
  for (std::size_t j = 0; j < sums.size(); ++j) {
    CHECK(std::abs(sums[j] - expected[j]) <= 1e-15 * static_cast<double>(rows) * sizes[j]);
  }
  for (std::size_t i = 0; i < z.size(); ++i) CHECK(floats[i] == static_cast<float>(z[i]));
}

}  // namespace

TEST_CASE("centred rows, their products and their sums are those of plain loops") {
  for (const Index rows : {1, 3, 8, 21}) {
    for (const Index cols : {1, 2, 7, 8, 9, 33}) {
      check_rows<double>(rows, cols, 1);
      check_rows<float>(rows, cols, 3);
    }
  }
}

}  // namespace craton
