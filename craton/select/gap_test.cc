#include "craton/select/gap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"

namespace craton {
namespace {

// Rows about so many corners of a square, or about its middle.
Array rows_about(Index corners, Index rows, double spread) {
  Array x{{rows, 2}, {}};
  Random random(3, Purpose::kTest);
  for (Index i = 0; i < rows; ++i) {
    const Index corner = corners == 1 ? 0 : i % corners;
    x.values.push_back(10 * static_cast<double>(corner % 2) + spread * random.normal());
    x.values.push_back(10 * static_cast<double>(corner / 2) + spread * random.normal());
  }
  return x;
}

std::vector<Gap> gaps_of(const Array& x, int threads) {
  MemorySource source({.x = x.view()});
  std::vector<Gap> gaps;
  for (Index k = 1; k <= 6; ++k) {
    const std::vector<NamedOption> options{{"n_clusters", k}, {"n_init", Index{3}}};
    const Fitted fitted = find_model("kmeans").fit(source, options, {.threads = threads});
    gaps.push_back(find_gap(source, fitted, 10, 0, {.threads = threads}));
  }
  return gaps;
}

TEST_CASE("the gap finds clusters that are there, and none where there are none") {
  for (const Index corners : {1, 2, 3, 4}) {
    const std::vector<Gap> gaps = gaps_of(rows_about(corners, 300, 0.7), 2);
    CHECK(choose_by_gap(gaps) + 1 == corners);
  }
}

TEST_CASE("a gap of one cluster is what its formula says, on any number of threads") {
  // With one cluster W is the variance: of a uniform side of length a it is a^2 / 12.
  const Array x = rows_about(2, 1000, 0.1);
  double of_box = 0, spread = 0;
  for (std::size_t j = 0; j < 2; ++j) {
    double low = INFINITY, high = -INFINITY, mean = 0;
    for (std::size_t i = j; i < x.values.size(); i += 2) {
      low = std::min(low, x.values[i]), high = std::max(high, x.values[i]);
      mean += x.values[i] / 1000;
    }
    for (std::size_t i = j; i < x.values.size(); i += 2) {
      spread += std::pow(x.values[i] - mean, 2) / 1000;
    }
    of_box += std::pow(high - low, 2) / 12;
  }
  const std::vector<Gap> one = gaps_of(x, 1), seven = gaps_of(x, 7);
  CHECK(one[0].value == doctest::Approx(std::log(of_box / spread)).epsilon(0.05));
  for (std::size_t k = 0; k < one.size(); ++k) {
    CHECK(one[k].value == seven[k].value);
    CHECK(one[k].error == seven[k].error);
  }
}

TEST_CASE("the least number within the error of the next is chosen, else the largest gap") {
  CHECK(choose_by_gap(std::vector<Gap>{{0.1, 0}, {0.5, 0.1}, {0.55, 0.1}, {0.9, 0.1}}) == 1);
  CHECK(choose_by_gap(std::vector<Gap>{{0.1, 0}, {0.5, 0.1}, {0.9, 0.1}}) == 2);
  CHECK(choose_by_gap(std::vector<Gap>{{0.3, 0.1}}) == 0);
}

}  // namespace
}  // namespace craton
