#include "craton/kernels/special.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace craton;

namespace {

double call(const std::string& name, const std::vector<double>& x) {
  using One = double (*)(double);
  using Two = double (*)(double, double);
  static const std::map<std::string, One> ones{{"log_gamma", log_gamma},
                                               {"log_gamma_1p", log_gamma_1p},
                                               {"digamma", digamma},
                                               {"trigamma", trigamma},
                                               {"binet", binet},
                                               {"log_minus_digamma", log_minus_digamma},
                                               {"x_trigamma_minus_1", x_trigamma_minus_1},
                                               {"log1p_minus", log1p_minus},
                                               {"normal_cdf", normal_cdf},
                                               {"log_bessel_i0_scaled", log_bessel_i0_scaled},
                                               {"bessel_ratio", bessel_ratio},
                                               {"one_minus_bessel_ratio", one_minus_bessel_ratio}};
  static const std::map<std::string, Two> twos{
      {"deviance", deviance}, {"gamma_p", gamma_p}, {"gamma_q", gamma_q}, {"log_beta", log_beta}};
  if (name == "beta_i") return beta_i(x[0], x[1], {x[2], 1 - x[2]});
  if (const auto at = ones.find(name); at != ones.end()) return at->second(x[0]);
  return twos.at(name)(x[0], x[1]);
}

}  // namespace

// Relative, but for the last places of what cancels: these functions are added to numbers near 1.
// An incomplete function moves by its density times the last place of x, and 1 - x is rounded too.
TEST_CASE("special functions agree with mpmath to 1e-13") {
  std::ifstream file(CRATON_REFERENCE "/special.txt");
  constexpr double kBeside = 3e-15;
  int lines = 0;
  for (std::string text; std::getline(file, text);) {
    if (text[0] == '#') continue;
    std::istringstream words(text);
    std::string name, word;
    words >> name;
    std::vector<double> numbers;
    while (words >> word) numbers.push_back(std::strtod(word.c_str(), nullptr));
    const double expected = numbers.back();
    numbers.pop_back();
    const double error = std::abs(call(name, numbers) - expected);
    const bool huge = (name == "gamma_p" || name == "beta_i") && numbers[0] + numbers[1] > 1e5;
    const double bound = huge ? 1e-10 : 1e-13;
    CHECK_MESSAGE(error <= bound * std::abs(expected) + kBeside, text, ": error ",
                  error / std::abs(expected));
    ++lines;
  }
  CHECK(lines > 140);
}

TEST_CASE("inverses of the incomplete functions are inverse") {
  for (const double a : {0.01, 0.5, 3.0, 200.0, 1e5}) {
    for (const double p : {1e-10, 0.01, 0.5, 0.99}) {
      CAPTURE(a);
      CAPTURE(p);
      if (const double x = gamma_p_inverse(a, p); x > 1e-290) {
        CHECK(gamma_p(a, x) == doctest::Approx(p).epsilon(1e-11));
      }
      CHECK(gamma_q(a, gamma_q_inverse(a, p)) == doctest::Approx(p).epsilon(1e-11));
      for (const double b : {0.2, 1.0, 50.0}) {
        const Complements at = beta_i_inverse(a, b, p);
        if (at.x > 1e-290) CHECK(beta_i(a, b, at) == doctest::Approx(p).epsilon(1e-11));
        CHECK(std::abs(at.x + at.one_minus_x - 1) <= 3e-16);
      }
    }
  }
}

TEST_CASE("what has no value is an infinity or NaN, and nothing throws") {
  CHECK(deviance(0, 3) == 3);
  CHECK(deviance(3, 0) == INFINITY);
  CHECK(deviance(0, 0) == 0);
  CHECK(std::isnan(gamma_p(-1, 2)));
  CHECK(std::isnan(log_gamma(NAN)));
  CHECK(log1p_minus(0) == 0);
  CHECK(bessel_ratio(0) == 0);
  CHECK(one_minus_bessel_ratio(1e300) == doctest::Approx(0.5e-300));
}

TEST_CASE("no argument makes the inverses fail, and they are inverse") {
  const std::vector<double> shapes{1e-6, 1e-3, 0.5, 3, 1e3, 9e4, 1.1e5, 1e6, 1e9, 1e12, 1e15, 1e32};
  for (const double p : {1e-300, 1e-12, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-12}) {
    for (const double a : shapes) {
      CAPTURE(p);
      CAPTURE(a);
      const double x = gamma_p_inverse(a, p);
      CHECK(x >= 0);
      // Beyond, p hangs on places that x has not.
      if (x > 1e-300 && a < 1e7) CHECK(std::abs(gamma_p(a, x) - p) <= 1e-7 * p);
      for (const double b : shapes) {
        CAPTURE(b);
        const Complements at = beta_i_inverse(a, b, p);
        CHECK(at.x + at.one_minus_x == doctest::Approx(1));
        const bool inner = at.x > 1e-300 && at.one_minus_x > 1e-300;
        if (inner && a + b < 1e7) CHECK(std::abs(beta_i(a, b, at) - p) <= 1e-7 * p);
      }
    }
  }
}

TEST_CASE("what has no value is NaN, and nothing throws or aborts") {
  for (const double a : std::vector<double>{-1, 0, 1e-320, 1e308, INFINITY, NAN}) {
    for (const double b : std::vector<double>{-3, 0, 1e-320, 0.5, 1e308, INFINITY, NAN}) {
      for (const double p : std::vector<double>{-1, 0, 0.3, 1, 2, NAN}) {
        CAPTURE(a);
        CAPTURE(b);
        CHECK_NOTHROW(gamma_p(a, b), gamma_q(a, b), gamma_p_inverse(a, p), gamma_q_inverse(a, p));
        CHECK_NOTHROW(beta_i(a, b, {p, 1 - p}), beta_i_inverse(a, b, p), log_beta(a, b));
        CHECK_NOTHROW(log_gamma(a), log_gamma_1p(a), digamma(a), trigamma(a), deviance(a, b));
        CHECK_NOTHROW(log_bessel_i0_scaled(a), bessel_ratio(a), one_minus_bessel_ratio(a));
      }
    }
  }
}
