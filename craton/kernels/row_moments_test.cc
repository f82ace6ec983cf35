#include "craton/kernels/row_moments.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/base/value_hash.h"

namespace craton {
namespace {

template <class T>
void check_columns(Index d) {
  std::vector<double> shift, sum(usize(d)), square(usize(d)), expected_sum(usize(d)),
      expected_square(usize(d));
  std::vector<std::uint64_t> keys;
  Random random(1, Purpose::kTest);
  for (Index j = 0; j < d; ++j) {
    shift.push_back(1e8 + random.normal());
    keys.push_back(mix(0, usize(j)));
  }
  for (const double w : {1.0, 0.25, 3.5}) {
    std::vector<T> row;
    std::uint64_t hash = 0;
    for (std::size_t j = 0; j < usize(d); ++j) {
      row.push_back(static_cast<T>(1e8 + 100 * random.normal()));
      if (j == 3) row.back() = T(-0.0);
      const double value = static_cast<double>(row.back()), y = value - shift[j];
      expected_sum[j] += w * y;
      expected_square[j] += w * y * y;
      hash += hash_value(value, keys[j]);
    }
    CHECK(add_row_moments(row.data(), d, w, shift.data(), keys.data(), sum.data(), square.data()) ==
          hash);
  }
  for (std::size_t j = 0; j < usize(d); ++j) {
    CHECK(sum[j] == expected_sum[j]);
    CHECK(square[j] == doctest::Approx(expected_square[j]).epsilon(1e-15));  // fused or not
  }
}

TEST_CASE("moments of a row are those of a loop, and its hash the sum over the columns") {
  for (const Index d : {1, 2, 3, 4, 7, 8, 9, 16, 33, 50}) {
    check_columns<float>(d);
    check_columns<double>(d);
  }
}

TEST_CASE("what is not finite stays in the sums of its column") {
  for (const double bad : std::vector<double>{NAN, INFINITY, -INFINITY}) {
    const std::vector<double> shift(5), fine{1, 2, 3, 4, 5}, row{1, 2, bad, 4, 5};
    std::vector<double> sum(5), square(5);
    const std::vector<std::uint64_t> keys(5);
    for (const auto* x : {&row, &fine}) {
      add_row_moments(x->data(), 5, 1, shift.data(), keys.data(), sum.data(), square.data());
    }
    for (std::size_t j = 0; j < 5; ++j) CHECK(std::isfinite(square[j]) == (j != 2));
  }
}

// Every set of instructions gives the bits of the plain loop.
template <class T>
void check_moments(Index d) {
  const std::size_t n = usize(d);
  Random random(2, Purpose::kTest);
  std::vector<std::uint64_t> keys;
  for (std::size_t j = 0; j < n; ++j) keys.push_back(mix(0, j));
  std::vector<double> mean(n), scatter(n), low(n, INFINITY), high(n, -INFINITY);
  auto expected_mean = mean, expected_scatter = scatter, expected_low = low, expected_high = high;
  double all = 0;
  for (const Index count : {1, 4, 4, 1}) {
    std::vector<std::vector<T>> values(usize(count), std::vector<T>(n));
    std::vector<const T*> rows;
    std::vector<double> weights, shares;
    std::vector<std::uint64_t> hashes(usize(count)), expected_hashes(usize(count));
    for (std::size_t r = 0; r < usize(count); ++r) {
      weights.push_back(0.5 + random.uniform());
      all += weights[r];
      shares.push_back(weights[r] / all);
      for (std::size_t j = 0; j < n; ++j) {
        const double value = static_cast<double>(values[r][j] = static_cast<T>(random.normal()));
        const double delta = value - expected_mean[j];
        expected_mean[j] += shares[r] * delta;
        expected_scatter[j] += weights[r] * delta * (value - expected_mean[j]);
        expected_low[j] = std::min(expected_low[j], value);
        expected_high[j] = std::max(expected_high[j], value);
        expected_hashes[r] += hash_value(value, keys[j]);
      }
      rows.push_back(values[r].data());
    }
    add_to_moments(rows.data(), {count, weights.data(), shares.data(), hashes.data()}, d,
                   keys.data(), {mean.data(), scatter.data(), low.data(), high.data()});
    CHECK(hashes == expected_hashes);
  }
  CHECK(mean == expected_mean);
  CHECK(scatter == expected_scatter);
  CHECK(low == expected_low);
  CHECK(high == expected_high);
}

TEST_CASE("moments of columns have the bits of a plain loop") {
  for (const Index d : {1, 2, 3, 4, 7, 8, 9, 16, 33}) {
    check_moments<double>(d);
    check_moments<float>(d);
  }
}

}  // namespace
}  // namespace craton
