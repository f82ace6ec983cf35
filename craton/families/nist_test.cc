#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "craton/families/statistics.h"

// NIST's Statistical Reference Datasets, analysis of variance: SmLs04 and SmLs07, which Simon and
// Lesage, "Assessing the accuracy of ANOVA calculations in statistical software", Computational
// Statistics & Data Analysis 8 (1989), generate by a rule. (AtmWtAg is in python/tests.)

using namespace craton;

namespace {

// Nine treatments of 21 values about offset + 0.4, 0.3, 0.5, 0.3, 0.5, ...; within a treatment
// the centre, then by turns 0.1 below and 0.1 above. The decimals are read as a file's would be.
std::vector<std::vector<double>> simon_lesage(const std::string& offset) {
  const auto number = [&](int tenths) { return std::stod(offset + "." + std::to_string(tenths)); };
  std::vector<std::vector<double>> treatments;
  for (int i = 0; i < 9; ++i) {
    const int centre = i == 0 ? 4 : i % 2 == 1 ? 3 : 5;
    treatments.push_back({number(centre)});
    for (int j = 0; j < 10; ++j) {
      treatments.back().push_back(number(centre - 1));
      treatments.back().push_back(number(centre + 1));
    }
  }
  return treatments;
}

struct Variances {
  double f;      // the ratio of the mean squares
  double worst;  // error of a treatment's variance, relative to that of its doubles
};

Variances analyse(const std::vector<std::vector<double>>& treatments) {
  Moments all;
  double within = 0, worst = 0;
  for (const std::vector<double>& x : treatments) {
    Moments moments;
    moments.add(x);
    within += moments.variance() * moments.weight;
    all.merge(moments);
    // Differences of doubles that are near are exact, and so are their sums in long double.
    long double sum = 0, square = 0;
    for (const double v : x) {
      const long double d = v - x[0];
      sum += d;
      square += d * d;
    }
    const long double n = static_cast<long double>(x.size()), exact = (square - sum * sum / n) / n;
    const auto expected = static_cast<double>(exact);
    worst = std::max(worst, std::abs(moments.variance() / expected - 1));
    const auto mean = static_cast<double>(x[0] + sum / n);
    worst = std::max(worst, std::abs(moments.mean() / mean - 1));
  }
  const double between = all.variance() * all.weight - within;
  return {between / 8 / (within / 180), worst};
}

// Correct digits of the certified value 21.
double digits(double f) { return -std::log10(std::abs(f - 21) / 21); }

}  // namespace

TEST_CASE("means and variances of SmLs04 and SmLs07 are those of the doubles, to 1e-15") {
  for (const char* offset : {"1000000", "1000000000000"}) {
    CAPTURE(offset);
    CHECK(analyse(simon_lesage(offset)).worst <= 1e-15);
  }
}

// The limits are what exact arithmetic on the doubles reaches: the decimals themselves are rounded.
TEST_CASE("the certified F of SmLs04 and SmLs07 is reached to the attainable digits") {
  CHECK(digits(analyse(simon_lesage("1000000")).f) >= 10.3);
  CHECK(digits(analyse(simon_lesage("1000000000000")).f) >= 4.3);
}
