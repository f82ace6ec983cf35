#include "craton/classes/product/buckets.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton {
namespace {

using Cuts = std::vector<double>;

TEST_CASE("buckets of equal width") {
  CHECK(equal_width_cuts(0, 10, 5) == Cuts{2, 4, 6, 8});
  CHECK(equal_width_cuts(0, 10, 1).empty());
  CHECK(equal_width_cuts(3, 3, 4).empty());
  CHECK(equal_width_cuts(1, std::nextafter(1, 2), 4).empty());  // no room
  for (const double cut : equal_width_cuts(-1e308, 1e308, 7)) CHECK(std::isfinite(cut));
}

TEST_CASE("buckets of equal frequency, by values that differ") {
  const std::vector<double> values{5, 1, 2, NAN, 4, 3, 6};
  CHECK(equal_frequency_cuts(values, {}, 3) == Cuts{2.5, 4.5});
  CHECK(equal_frequency_cuts(values, {}, 100).size() == 5);
  const std::vector<double> ties{0, 0, 0, 0, 0, 0, 1, 2};
  CHECK(equal_frequency_cuts(ties, {}, 4) == Cuts{0.5});
  // A weight of 2 is the same value twice.
  const std::vector<double> once{1, 2, 3}, weights{2, 1, 1}, twice{1, 1, 2, 3};
  CHECK(equal_frequency_cuts(once, weights, 2) == equal_frequency_cuts(twice, {}, 2));
  CHECK(equal_frequency_cuts(std::vector<double>{NAN, NAN}, {}, 3).empty());
}

TEST_CASE("buckets by labels: where they change, and only if it is worth it") {
  std::vector<double> values;
  std::vector<std::int32_t> labels, noise;
  for (int i = 0; i < 60; ++i) {
    values.push_back(i);
    labels.push_back(i < 20 ? 0 : i < 40 ? 1 : 0);
    noise.push_back(i % 2);
  }
  CHECK(label_cuts(values, {}, labels, 2) == Cuts{19.5, 39.5});
  CHECK(label_cuts(values, {}, noise, 2).empty());
  // What is missing is left aside: a value, a label, a weight.
  values[0] = NAN;
  labels[1] = -1;
  std::vector<double> weights(60, 1);
  values[2] = 55;
  weights[2] = 0;
  CHECK(label_cuts(values, weights, labels, 2) == Cuts{19.5, 39.5});
}

// By hand, 1 + 3 rows against 4: gain = 1 - (4/8) H(1/4), and the cost of the cut is
// (log2(7) + log2(3^2 - 2) - (2 - 2 H(1/4) - 0)) / 8, H(1/4) = 0.8113.
TEST_CASE("the description length of a cut") {
  std::vector<double> values;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 8; ++i) {
    values.push_back(i);
    labels.push_back(i == 1 ? 1 : i < 4 ? 0 : 1);
  }
  const double h = -0.25 * std::log2(0.25) - 0.75 * std::log2(0.75);
  const double gain = -0.625 * std::log2(0.625) - 0.375 * std::log2(0.375) - 0.5 * h;
  const double delta = std::log2(7) - (2 * (gain + 0.5 * h) - 2 * h - 0);
  const bool worth = gain > (std::log2(7) + delta) / 8;
  CHECK(label_cuts(values, {}, labels, 2).empty() == !worth);
}

}  // namespace
}  // namespace craton
