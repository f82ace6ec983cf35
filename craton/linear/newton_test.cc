#include "craton/linear/newton.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton::newton_test {
namespace {

// A function of one number, with its derivatives.
struct OneNumber final : SmoothFunction {
  double (*value)(double);
  double (*slope)(double);
  double (*bend)(double);
  Index asked = 0;

  OneNumber(double (*f)(double), double (*g)(double), double (*c)(double))
      : value(f), slope(g), bend(c) {}
  Index size() const override { return 1; }
  Evaluation at(std::span<const double> x, Curvature wanted) override {
    ++asked;
    return {value(x[0]), value(x[0]), {slope(x[0])}, {bend(x[0])}, wanted};
  }
};

}  // namespace

TEST_CASE("a parabola takes one step") {
  OneNumber f([](double x) { return (x - 3) * (x - 3); }, [](double x) { return 2 * (x - 3); },
              [](double) { return 2.0; });
  const NewtonResult found = minimise(f, {-5}, {}, {});
  CHECK(found.x[0] == doctest::Approx(3).epsilon(1e-14));
  CHECK(found.converged);
  CHECK(found.iterations == 1);
  CHECK(found.trace[0] == -64);
}

// Newton's steps from 2 on go ever further out, and are halved.
TEST_CASE("steps that would rise are halved") {
  OneNumber f([](double x) { return std::sqrt(1 + x * x); },
              [](double x) { return x / std::sqrt(1 + x * x); },
              [](double x) { return std::pow(1 + x * x, -1.5); });
  const NewtonResult found = minimise(f, {2}, {}, {});
  CHECK(found.converged);
  CHECK(std::abs(found.x[0]) < 1e-9);
  for (std::size_t i = 1; i < found.trace.size(); ++i) CHECK(found.trace[i] >= found.trace[i - 1]);
}

TEST_CASE("where the digits end, so does the search") {
  OneNumber f([](double x) { return 1e6 + std::cosh(x - 0.1); },
              [](double x) { return std::sinh(x - 0.1); },
              [](double x) { return std::cosh(x - 0.1); });
  NewtonOptions options;
  options.tol = 0;
  const NewtonResult found = minimise(f, {1.5}, options, {});
  CHECK(found.converged);
  CHECK(found.iterations < 12);
  CHECK(found.x[0] == doctest::Approx(0.1).epsilon(1e-14));
}

TEST_CASE("max_iter steps and no more, and none of them after the last pass") {
  OneNumber f([](double x) { return std::cosh(x); }, [](double x) { return std::sinh(x); },
              [](double x) { return std::cosh(x); });
  NewtonOptions options;
  options.max_iter = 2;
  const NewtonResult found = minimise(f, {3}, options, {});
  CHECK_FALSE(found.converged);
  CHECK(found.iterations == 2);
  CHECK(found.trace.size() == 3);
  CHECK(found.last.value == std::cosh(found.x[0]));
}

}  // namespace craton::newton_test
