#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/families/counts.h"
#include "tests/family_cases.h"

// What holds for every distribution: cdf and quantile are inverse, the density sums to 1 and has
// the mean and variance it says, draws follow the cdf, and exponential families are what they say.

using namespace craton;

namespace {

// At significance 0.001 for all 27 of them together: 2 exp(-2 x^2) = 0.001 / 27.
constexpr double kKolmogorov = 2.3342;

double one(const Family& family, const char* what, double x, const Parameters& p) {
  double out = 0;
  const std::span<const double> in(&x, 1);
  const std::span<double> to(&out, 1);
  if (what[0] == 'c') family.cdf(in, p, to);
  if (what[0] == 'q') family.quantile(in, p, to);
  if (what[0] == 'd') family.log_density(in, p, to);
  return out;
}

// E f(x): sums for counts; for numbers the integral over 400 pieces with equal probability, and the
// tails by pieces whose probability halves.
template <class F>
double expectation(const FamilyCase& c, const F& f) {
  const Family& family = c.family();
  const auto q = [&](double p) { return one(family, "quantile", p, c.parameters); };
  const auto mass = [&](double x) {
    const double density = std::exp(one(family, "density", x, c.parameters));
    return density == 0 ? 0 : density * f(x);
  };
  double sum = 0;
  if (counted(family)) {
    const double last = q(1 - 1e-15);
    for (double x = q(1e-30); x <= last + 5; ++x) sum += mass(x);
    return sum;
  }
  std::vector<double> edges;
  for (double p = 0x1p-200; p < 0.25; p *= 2) edges.push_back(q(p));
  for (int i = 0; i <= 100; ++i) edges.push_back(q(0.25 + i / 200.0));
  for (double p = 0.125; p > 1e-16; p /= 2) edges.push_back(q(1 - p));
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (edges[i] > edges[i - 1]) sum += integrate(mass, edges[i - 1], edges[i]);
  }
  return sum;
}

bool heavy(const FamilyCase& c) { return c.name == "student-t"; }

}  // namespace

TEST_CASE("quantile and cdf are inverse") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    for (const double p : {1e-12, 1e-5, 0.03, 0.25, 0.5, 0.77, 0.999, 1 - 1e-9}) {
      CAPTURE(p);
      const double x = one(c.family(), "quantile", p, c.parameters);
      const double back = one(c.family(), "cdf", x, c.parameters);
      if (counted(c.family())) {
        CHECK(back >= p);
        if (x > 0) CHECK(one(c.family(), "cdf", x - 1, c.parameters) < p);
      } else {
        // Rounding of x moves p by the density times the last place of x.
        const double last = std::exp(one(c.family(), "density", x, c.parameters)) * std::abs(x);
        CHECK(std::abs(back - p) <= 1e-11 * p + 4e-16 * (1 + last));
      }
    }
  }
}

TEST_CASE("quantiles of the smallest probabilities of a beta are found") {
  const Family& family = get_family("beta");
  for (const double p :
       {1e-307, 1e-300, 1e-200, 1e-165, 1e-150, 1e-99, 1e-50, 1e-20, 1e-14, 1e-10}) {
    for (const double a : {0.6, 1.5, 2.0, 3.0, 10.0, 80.0, 2000.0}) {
      CAPTURE(p);
      CAPTURE(a);
      // I_x(a, 1) = x^a.
      const double root = std::pow(p, 1 / a);
      if (root > 1e-307) CHECK(std::abs(one(family, "quantile", p, {a, 1}) / root - 1) < 1e-11);
      for (const double b : {0.3, 0.9, 5.0, 30.0, 1e3, 1e6}) {
        CAPTURE(b);
        if (p < 1e-290 && a > 10) continue;  // the cdf itself underflows on its way
        const double x = one(family, "quantile", p, {a, b});
        if (x > 1e-307) CHECK(std::abs(one(family, "cdf", x, {a, b}) / p - 1) < 1e-8);
      }
    }
  }
}

TEST_CASE("quantiles of 0 and 1 are the ends of the support") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    const double low = one(c.family(), "quantile", 0, c.parameters);
    const double high = one(c.family(), "quantile", 1, c.parameters);
    CHECK(low < high);
    CHECK(one(c.family(), "cdf", high, c.parameters) == doctest::Approx(1));
  }
}

TEST_CASE("the density sums to 1 and has the mean, variance and entropy that are told") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    CAPTURE(c.parameters[0]);
    const Family& family = c.family();
    CHECK(std::abs(expectation(c, [](double) { return 1.0; }) - 1) <= 1e-9);
    const double entropy = family.entropy(c.parameters);
    const double found =
        expectation(c, [&](double x) { return -one(family, "density", x, c.parameters); });
    CHECK(std::abs(found - entropy) <= (heavy(c) ? 1e-6 : 1e-8) * std::max(1.0, std::abs(entropy)));
    if (heavy(c)) continue;  // their moments lie in tails beyond all quadrature
    const double mean = family.mean(c.parameters);
    const auto spread = [&](double x) {
      return c.name == "von-mises" ? 1 - std::cos(x - mean) : (x - mean) * (x - mean);
    };
    const double variance = family.variance(c.parameters), deviation = std::sqrt(variance);
    CHECK(std::abs(expectation(c, [&](double x) { return x - mean; })) <= 1e-8 * deviation);
    CHECK(std::abs(expectation(c, spread) - variance) <= 1e-8 * variance);
  }
}

TEST_CASE("draws of numbers follow the cdf") {
  for (const FamilyCase& c : family_cases()) {
    if (counted(c.family())) continue;
    CAPTURE(c.name);
    CAPTURE(c.parameters[0]);
    std::vector<double> x = c.draw(20'000, 6);
    std::sort(x.begin(), x.end());
    double gap = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double p = one(c.family(), "cdf", x[i], c.parameters), n = 20'000;
      const auto below = static_cast<double>(i);
      gap = std::max({gap, (below + 1) / n - p, p - below / n});
    }
    CHECK(std::sqrt(20'000) * gap < kKolmogorov);
  }
}

TEST_CASE("draws of counts follow their probabilities") {
  for (const FamilyCase& c : family_cases()) {
    if (!counted(c.family())) continue;
    CAPTURE(c.name);
    CAPTURE(c.parameters[0]);
    const std::vector<double> x = c.draw(20'000, 7);
    // At the steps of the cdf Kolmogorov and Smirnov's test is on the safe side.
    double gap = 0;
    for (double p = 0.005; p < 1; p += 0.005) {
      const double k = one(c.family(), "quantile", p, c.parameters);
      const auto below = std::count_if(x.begin(), x.end(), [&](double v) { return v <= k; });
      gap = std::max(gap, std::abs(static_cast<double>(below) / 20'000 -
                                   one(c.family(), "cdf", k, c.parameters)));
    }
    CHECK(std::sqrt(20'000) * gap < kKolmogorov);
  }
}

TEST_CASE("natural parameters give the density, and the gradient of A the mean of T") {
  Index exponential = 0;
  for (const FamilyCase& c : family_cases()) {
    const Family& family = c.family();
    const auto natural = family.natural(c.parameters);
    if (!natural) continue;
    ++exponential;
    CAPTURE(c.name);
    CAPTURE(c.parameters[0]);
    for (const double x : c.draw(20, 8)) {
      const auto t = family.sufficient(x, c.parameters);
      REQUIRE(t->sufficient.size() == natural->natural.size());
      double log = t->log_base - natural->log_partition;
      double size = 1 + std::abs(t->log_base) + std::abs(natural->log_partition);
      for (std::size_t i = 0; i < t->sufficient.size(); ++i) {
        const double term = t->sufficient[i] * natural->natural[i];
        log += term;
        size += std::abs(term);
      }
      CHECK(std::abs(log - one(family, "density", x, c.parameters)) <= 1e-14 * size);
    }
    const Parameters back = family.from_natural(natural->natural, c.parameters);
    for (std::size_t i = 0; i < back.size(); ++i) {
      CHECK(std::abs(back[i] - c.parameters[i]) <= 1e-12 * std::abs(c.parameters[i]));
    }
    if (c.name == "categorical" || std::abs(c.parameters[0]) > 1e4) continue;
    for (std::size_t i = 0; i < natural->natural.size(); ++i) {
      const auto a = [&](double step) {
        std::vector<double> eta = natural->natural;
        eta[i] += step;
        return family.natural(family.from_natural(eta, c.parameters))->log_partition;
      };
      const double h = 1e-4 * std::max(1e-2, std::abs(natural->natural[i]));
      const double slope = (8 * (a(h) - a(-h)) - (a(2 * h) - a(-2 * h))) / (12 * h);
      const double mean = expectation(
          c, [&](double x) { return family.sufficient(x, c.parameters)->sufficient[i]; });
      CHECK(std::abs(slope - mean) <= 1e-6 * std::max(1.0, std::abs(mean)));
    }
  }
  CHECK(exponential >= 15);
}

TEST_CASE("a missing value says nothing, and one outside the support is impossible") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    CHECK(one(c.family(), "density", NAN, c.parameters) == 0);
    CHECK(std::isnan(one(c.family(), "cdf", NAN, c.parameters)));
    for (const double x : {-1.0, 0.5, 0.0, 2.5}) {
      if (holds(c.family().info().support, x)) continue;
      CHECK(one(c.family(), "density", x, c.parameters) == -INFINITY);
    }
  }
}

TEST_CASE("families of counts go up to 2^53 and take no longer there") {
  for (const double count : {1e14, kGreatestCount}) {
    for (const FamilyCase& c : std::vector<FamilyCase>{{"poisson", {count}},
                                                       {"geometric", {1 / (1 + count)}},
                                                       {"binomial", {kGreatestCount, 1e-14}},
                                                       {"binomial", {count, 0.5}},
                                                       {"binomial", {count, 1 - 1e-15}},
                                                       {"negative-binomial", {count, 1e-12}},
                                                       {"negative-binomial", {count, 0.5}},
                                                       {"negative-binomial", {count, 1e30}}}) {
      CAPTURE(c.name);
      CAPTURE(count);
      const Family& family = c.family();
      REQUIRE(family.valid(c.parameters));
      CHECK(within_reach(family, c.parameters));
      for (const double p : {1e-12, 0.3, 0.5, 1 - 1e-9}) {
        const double x = one(family, "quantile", p, c.parameters);
        CHECK((x >= 0 && x <= kGreatestCount && x == std::floor(x)));
        const double below = x > 0 ? one(family, "cdf", x - 1, c.parameters) : 0;
        if (x < kGreatestCount) CHECK(one(family, "cdf", x, c.parameters) >= p * (1 - 1e-9));
        CHECK(below <= p * (1 + 1e-6));
      }
      CHECK(std::isfinite(family.entropy(c.parameters)));
      CHECK_FALSE(std::isnan(family.standard_errors(c.parameters, 10).back()));
      for (const double x : c.draw(20, 3)) CHECK(holds(family.info().support, x));
    }
  }
}

TEST_CASE("parameters beyond all reason are not valid, and draws are never infinite") {
  for (const FamilyCase& c : family_cases()) {
    if (c.name == "categorical" || c.name == "kde") continue;  // of any length
    CAPTURE(c.name);
    const Family& family = c.family();
    for (std::size_t i = 0; i < c.parameters.size(); ++i) {
      for (const double odd : Parameters{NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308}) {
        Parameters theta = c.parameters;
        theta[i] = odd;
        CHECK_FALSE(family.valid(theta));
      }
      for (const double bound :
           {family.info().parameters[i].low, family.info().parameters[i].high}) {
        Parameters theta = c.parameters;
        theta[i] = bound;
        if (!family.valid(theta)) continue;  // ends of an interval that are one
        Random random(4, Purpose::kTest);
        std::vector<double> x(50);
        family.sample(theta, random, x);
        CHECK(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
      }
    }
  }
}
