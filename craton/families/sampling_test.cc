#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "tests/family_cases.h"

// Draws over the whole range of parameters, against the cdf by Kolmogorov and Smirnov's test (for
// counts it is on the safe side). Seeds are fixed, so each passes or fails for ever; the level is
// 0.001 for all cases together.

using namespace craton;

namespace {

std::vector<FamilyCase> wide_cases() {
  std::vector<FamilyCase> cases;
  for (const double shape : {1e-3, 0.1, 0.99, 1.0, 30.0, 1e6})
    cases.push_back({"gamma", {shape, 1}});
  for (const double rate : {1e-3, 0.5, 9.9, 10.1, 400.0, 1e6, 1e9})
    cases.push_back({"poisson", {rate}});
  for (const double n : {1.0, 30.0, 1e4, 1e9}) {
    for (const double p : {1e-9, 0.002, 0.3, 0.5, 0.9}) cases.push_back({"binomial", {n, p}});
  }
  for (const double p : {1e-9, 0.01, 0.6, 1.0}) cases.push_back({"geometric", {p}});
  for (const double r : {1e-3, 0.5, 20.0, 1e6}) {
    for (const double m : {0.01, 5.0, 1e5}) cases.push_back({"negative-binomial", {m, r}});
  }
  for (const double a : {1e-3, 0.5, 1e5}) {
    for (const double b : {0.3, 3.0}) cases.push_back({"beta", {a, b}});
  }
  for (const double k : {0.0, 1e-9, 1e-3, 1.0, 50.0, 1e5, 9e7, 1e12})
    cases.push_back({"von-mises", {0, k}});
  for (const double n : {0.2, 1.0, 7.0, 1e6}) cases.push_back({"student-t", {0, 1, n}});
  for (const double k : {0.1, 1.0, 100.0}) cases.push_back({"weibull", {k, 2}});
  return cases;
}

constexpr Index kDraws = 4'000;

// sqrt(n) times the largest gap between the draws and the cdf, from below and above at each value.
double kolmogorov(const FamilyCase& c, std::vector<double> x) {
  std::sort(x.begin(), x.end());
  std::vector<double> p(x.size());
  c.family().cdf(x, c.parameters, p);
  const auto n = static_cast<double>(x.size());
  double gap = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool last = i + 1 == x.size() || x[i + 1] > x[i];
    const auto upto = static_cast<double>(i + 1);
    if (last) gap = std::max(gap, std::abs(upto / n - p[i]));
    if (!counted(c.family())) gap = std::max(gap, p[i] - (upto - 1) / n);
  }
  return std::sqrt(n) * gap;
}

}  // namespace

TEST_CASE("draws follow the cdf over the whole range of parameters") {
  const std::vector<FamilyCase> cases = wide_cases();
  const double level = std::sqrt(-0.5 * std::log(0.0005 / static_cast<double>(cases.size())));
  for (const FamilyCase& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.parameters[0]);
    CAPTURE(c.parameters.back());
    const std::vector<double> x = c.draw(kDraws, 21);
    CHECK(std::all_of(x.begin(), x.end(),
                      [&](double v) { return holds(c.family().info().support, v); }));
    // What lies below the least positive number is drawn as that number: see the next tests.
    const bool tiny = c.parameters[0] < 0.01 && (c.name == "gamma" || c.name == "beta");
    if (!tiny) CHECK(kolmogorov(c, x) < level);
  }
}

TEST_CASE("logarithms of gamma numbers of tiny shape follow their distribution") {
  // P(log x <= u) = P(a, e^u), which is exp(a u - log Gamma(a + 1)) far below 0.
  const double a = 1e-3;
  Random random(22, Purpose::kTest);
  std::vector<double> p;
  for (Index i = 0; i < kDraws; ++i) {
    const double u = draw_log_gamma(random, a);
    double cdf = std::exp(a * u - std::lgamma(a + 1));
    if (u > -30) {
      const double x = std::exp(u);
      get_family("gamma").cdf(std::span(&x, 1), Parameters{a, 1}, std::span(&cdf, 1));
    }
    p.push_back(cdf);
  }
  CHECK(kolmogorov({"uniform", {0, 1}}, p) < 1.9494746);
}

TEST_CASE("beta numbers of tiny shapes have the right share at each end") {
  // Beta(a, b) for small a and b is near 0 with probability b / (a + b) and near 1 else.
  Random random(23, Purpose::kTest);
  Index high = 0;
  for (Index i = 0; i < kDraws; ++i) high += draw_beta(random, 1e-3, 3e-3) > 0.5;
  const double share = static_cast<double>(high) / kDraws;
  CHECK(std::abs(share - 0.25) < 3.29 * std::sqrt(0.25 * 0.75 / kDraws) + 1e-3);
}

TEST_CASE("draws depend on the stream's name alone") {
  for (const FamilyCase& c : family_cases()) CHECK(c.draw(100, 5) == c.draw(100, 5));
}

TEST_CASE("draws of simplex points and of count vectors have the right means") {
  const std::vector<double> alpha{0.5, 2, 1e-3, 7.5};
  Random random(24, Purpose::kTest);
  std::vector<double> x(4), mean(4), counts(4), count_mean(4);
  const std::vector<double> p{0.2, 0.5, 0, 0.3};
  for (Index i = 0; i < kDraws; ++i) {
    draw_dirichlet(random, alpha, x);
    draw_multinomial(random, 50, p, counts);
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      mean[k] += x[k] / kDraws;
      count_mean[k] += counts[k] / kDraws;
      sum += x[k];
      total += counts[k];
    }
    CHECK(std::abs(sum - 1) < 1e-12);
    CHECK(total == 50);
    CHECK(counts[2] == 0);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const double m = alpha[k] / 10.001, deviation = std::sqrt(m * (1 - m) / 11.001 / kDraws);
    CHECK(std::abs(mean[k] - m) < 4 * deviation);
    CHECK(std::abs(count_mean[k] - 50 * p[k]) <= 4 * std::sqrt(50 * p[k] * (1 - p[k]) / kDraws));
  }
}
