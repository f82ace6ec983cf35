#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "craton/families/family.h"
#include "tests/family_cases.h"
#include "tests/refused.h"

// Estimates against tests/reference/families_mle.txt, against closed forms, and of data that have
// no maximum.

using namespace craton;

namespace {

using Numbers = std::vector<double>;

double log_likelihood(const Family& family, const Numbers& x, const Parameters& p) {
  Numbers out(x.size());
  family.log_density(x, p, out);
  double sum = 0;
  for (const double v : out) sum += v;
  return sum;
}

}  // namespace

TEST_CASE("maximum likelihood estimates agree with mpmath to 1e-10") {
  std::ifstream file(CRATON_REFERENCE "/families_mle.txt");
  Index sets = 0;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream words(text);
    std::string name, word;
    std::size_t count = 0;
    words >> name >> count;
    Numbers numbers;
    while (words >> word) numbers.push_back(std::strtod(word.c_str(), nullptr));
    const Numbers x(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count));
    const Parameters expected(numbers.begin() + static_cast<std::ptrdiff_t>(count), numbers.end());
    CAPTURE(name);
    CAPTURE(expected[0]);
    const Family& family = get_family(name);
    const Parameters found = estimate(family, x);
    const Parameters errors = family.standard_errors(expected, static_cast<double>(count));
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(found[i] - expected[i]) <= 1e-10 * (std::abs(expected[i]) + errors[i]));
    }
    ++sets;
  }
  CHECK(sets == 25);
}

TEST_CASE("no parameters nearby are more likely than the estimate") {
  for (const FamilyCase& c : family_cases()) {
    if (c.name == "uniform" || c.name == "categorical") continue;
    CAPTURE(c.name);
    const Family& family = c.family();
    const Numbers x = c.draw(500, 9);
    const Parameters best = estimate(family, x, c.told());
    const Parameters errors = family.standard_errors(best, 500);
    const double top = log_likelihood(family, x, best);
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (std::isnan(errors[i])) continue;
      for (const double step : {-1.0, -1e-2, 1e-2, 1.0}) {
        Parameters near = best;
        near[i] += step * errors[i];
        if (family.valid(near)) CHECK(log_likelihood(family, x, near) < top);
      }
    }
  }
}

TEST_CASE("standard errors are those that many samples show") {
  // 400 estimates of 400 rows; their deviation has a standard error of 3.5 per cent itself.
  for (const FamilyCase& c : family_cases()) {
    if (c.name == "uniform" || c.name == "student-t" || c.parameters[0] == 5e4) continue;
    if (c.family().info().keeps_values) continue;  // it has none
    CAPTURE(c.name);
    CAPTURE(c.parameters[0]);
    const Family& family = c.family();
    std::vector<Moments> moments(c.parameters.size());
    for (std::uint64_t seed = 100; seed < 500; ++seed) {
      const Parameters p = estimate(family, c.draw(400, seed), c.told(), c.levels());
      for (std::size_t i = 0; i < p.size(); ++i) moments[i].add(std::span(&p[i], 1));
    }
    const Parameters told = family.standard_errors(c.parameters, 400);
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (std::isnan(told[i])) continue;
      CHECK(std::abs(std::sqrt(moments[i].variance()) / told[i] - 1) < 0.15);
    }
  }
}

TEST_CASE("a parameter that is known stays, and the other is the best beside it") {
  const Numbers x{1, 2, 4, 7};
  Estimation how;
  how.known = {NAN, 9};
  check_near(estimate(get_family("gaussian"), x, how), {3.5, 9}, 1e-15);
  how.known = {2, NAN};
  check_near(estimate(get_family("gaussian"), x, how), {2, 7.5}, 1e-15);
  how.known = {3};
  check_near(estimate(get_family("gamma"), x, how), {3, 3 / 3.5}, 1e-15);
  how.known = {2};
  check_near(estimate(get_family("weibull"), x, how), {2, std::sqrt(70 / 4.0)}, 1e-14);
  how.known = {NAN, 5};
  check_near(estimate(get_family("negative-binomial"), x, how), {3.5, 5}, 1e-15);
  how.known = {NAN, NAN, 3};
  const Parameters t = estimate(get_family("student-t"), x, how);
  CHECK(t[2] == 3);
  how.known = {10};
  check_near(estimate(get_family("binomial"), x, how), {10, 0.35}, 1e-15);
  check_refused([&] { estimate(get_family("binomial"), x); }, Code::kBadOption, -1, "trials");
}

TEST_CASE("equal values, or one, give finite parameters and a density that is highest there") {
  for (const FamilyCase& c : family_cases()) {
    const Family& family = c.family();
    CAPTURE(c.name);
    for (const double x : {0.0, 1.0, 0.25, 3.0, 1e-200, 1e12, -7.5}) {
      if (!holds(family.info().support, x)) continue;
      if (c.name == "binomial" && x > c.parameters[0]) continue;
      if (c.name == "categorical" && x > 3) continue;
      CAPTURE(x);
      for (const std::size_t n : {1U, 10U}) {
        const Parameters p = estimate(family, Numbers(n, x), c.told(), c.levels());
        for (const double v : p) CHECK(std::isfinite(v));
        CHECK(family.valid(p));
        CHECK(std::isfinite(log_likelihood(family, Numbers(n, x), p)));
      }
    }
  }
}

TEST_CASE("the least spread is kept when it is told") {
  Estimation how;
  how.least_spread = 0.5;
  for (const char* name :
       {"gaussian", "gamma", "lognormal", "beta", "uniform", "weibull", "laplace"}) {
    CAPTURE(name);
    const Family& family = get_family(name);
    const Parameters p = estimate(family, {0.75, 0.75}, how);
    CHECK(std::sqrt(family.variance(p)) >= 0.3);
    CHECK(std::sqrt(family.variance(p)) <= 1.1);
  }
}

TEST_CASE("many equal values make Student's t no narrower than its bound") {
  const Family& t = get_family("student-t");
  for (const std::size_t n : {4U, 8U, 20U, 200U}) {
    CAPTURE(n);
    Numbers x(n, 7.0);
    x.insert(x.end(), {8, 6.5});
    const double distance = 1.5 / static_cast<double>(n + 2);  // from the median, in the mean
    for (const Estimation& how : {Estimation{}, Estimation{{}, {NAN, NAN, 0.2}}}) {
      const Parameters p = estimate(t, x, how);
      CHECK(p[0] == 7);
      CHECK(p[1] == doctest::Approx(1e-4 * distance));
      CHECK(p[2] >= 0.1);
      CHECK(t.valid(p));
    }
  }
}

TEST_CASE("normal data give Student's t its most degrees, and a normal scale") {
  const Numbers x = FamilyCase{"uniform", {-1, 1}}.draw(3'000, 51);
  const Parameters p = estimate(get_family("student-t"), x);
  CHECK(p[2] == doctest::Approx(1e6));
  CHECK(p[1] == doctest::Approx(std::sqrt(estimate(get_family("gaussian"), x)[1])).epsilon(1e-5));
}

TEST_CASE("parameters are valid where they should be and nowhere else") {
  struct Row {
    const char* family;
    std::vector<Parameters> good, bad;
  };
  const double inf = INFINITY, nan = NAN;
  const std::vector<Row> rows{
      {"gaussian",
       {{0, 1}, {-1e300, 1e-300}},
       {{0, 0}, {0, -1}, {inf, 1}, {nan, 1}, {0, inf}, {0}}},
      {"laplace", {{0, 1}}, {{0, 0}, {0, -1}, {nan, 1}, {0, inf}}},
      {"student-t", {{0, 1, 0.1}}, {{0, 1, 0}, {0, 0, 1}, {nan, 1, 1}, {0, 1, inf}, {0, 1}}},
      {"uniform", {{-1, 1}}, {{1, 1}, {2, 1}, {-inf, 1}, {0, nan}}},
      {"von-mises", {{0, 0}, {7, 1e6}}, {{0, -1}, {nan, 1}, {0, inf}}},
      {"exponential", {{1e-300}}, {{0}, {-1}, {inf}, {nan}}},
      {"gamma", {{0.1, 3}}, {{0, 1}, {1, 0}, {inf, 1}, {1, nan}}},
      {"lognormal", {{-5, 1}}, {{0, 0}, {inf, 1}}},
      {"weibull", {{0.1, 3}}, {{0, 1}, {1, -1}, {1, inf}}},
      {"beta", {{0.1, 3}}, {{0, 1}, {1, 0}, {nan, 1}}},
      {"bernoulli", {{0}, {1}, {0.5}}, {{-0.1}, {1.1}, {nan}, {0.5, 0.5}}},
      {"binomial", {{1, 0}, {7, 1}}, {{0, 0.5}, {2.5, 0.5}, {3, -0.1}, {3, 1.1}, {nan, 0.5}}},
      {"poisson", {{0}, {1e9}}, {{-1}, {inf}, {nan}}},
      {"geometric", {{1}, {1e-9}}, {{0}, {1.1}, {nan}}},
      {"negative-binomial", {{0, 1}, {5, 0.1}}, {{-1, 1}, {1, 0}, {1, inf}}},
      {"categorical", {{1}, {0.5, 0, 0.5}}, {{}, {0.5, 0.4}, {1.5, -0.5}, {nan, 1}}},
      {"kde",
       {{1, 0, 1}, {1e-120, -1e120, 1e120, 0.1, 1e300 - 1e290}},
       {{},
        {1},
        {1, 0},
        {0, 0, 1},
        {nan, 0, 1},
        {1, nan, 1},
        {1, inf, 1},
        {1, 0, 0},
        {1, 0, -1},
        {1, 0, inf},
        {1, 0, 0, 1, 1},
        {1, 2, 0, 1, 1}}},
  };
  CHECK(std::ssize(rows) == std::ssize(families()));
  for (const Row& row : rows) {
    CAPTURE(row.family);
    for (const Parameters& p : row.good) CHECK(get_family(row.family).valid(p));
    for (const Parameters& p : row.bad) CHECK_FALSE(get_family(row.family).valid(p));
  }
}
