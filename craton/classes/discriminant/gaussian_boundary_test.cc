#include "craton/classes/discriminant/gaussian_boundary.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/refused.h"

using namespace craton;

namespace {

Array log_of(std::vector<double> p) {
  for (double& v : p) v = std::log(v);
  return {{ssize(p)}, p};
}

double joint_gap(const GaussianClasses& gaussians, std::vector<double> x) {
  std::vector<double> joint(usize(gaussians.classes()));
  const Dense<double> row{x.data(), 1, ssize(x), ssize(x)};
  MemorySource source({.x = row});
  Chunk chunk;
  chunk.x = row;
  gaussians.joint(chunk, source, joint);
  return joint[0] - joint[1];
}

double value_of(const Boundary& f, std::vector<double> x) {
  double sum = f.constant;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += f.linear.values[i] * x[i];
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += x[i] * f.quadratic.values[i * x.size() + j] * x[j];
    }
  }
  return sum;
}

GaussianClasses of_one(double p, double mean_a, double mean_b, double var_a, double var_b) {
  return {log_of({p, 1 - p}), {{2, 1}, {mean_a, mean_b}}, {{2, 1, 1}, {var_a, var_b}}, false, 0};
}

}  // namespace

TEST_CASE("the boundary of one feature has 0, 1 or 2 points, and there the classes are level") {
  // Equal means and a narrow class that is rare enough is never the more probable one.
  CHECK(find_boundaries(of_one(0.2, 0, 0, 1, 4))[0].points.empty());
  CHECK(find_boundaries(of_one(0.2, 0, 0, 1, 4))[0].shape == "nowhere");
  const std::vector<double> one = find_boundaries(of_one(0.5, -1, 3, 2, 2))[0].points;
  REQUIRE(one.size() == 1);
  CHECK(one[0] == 1);
  for (const double offset : {0.0, 1e7}) {
    const GaussianClasses gaussians = of_one(0.4, offset, offset + 2, 1, 9);
    const Boundary f = find_boundaries(gaussians)[0];
    REQUIRE(f.points.size() == 2);
    CHECK(f.points[0] < f.points[1]);
    for (const double x : f.points) CHECK(std::abs(joint_gap(gaussians, {x})) < 1e-7);
  }
  // (x^2 - 1)(1/4 - 1)/2... by hand: means 0, variances 1 and 4, equal priors:
  // log 2 - x^2 / 2 + x^2 / 8 = 0.
  const Boundary f = find_boundaries(of_one(0.5, 0, 0, 1, 4))[0];
  CHECK(f.quadratic.values[0] == doctest::Approx(-3.0 / 8));
  CHECK(f.constant == doctest::Approx(std::log(2)));
  CHECK(f.points[1] == doctest::Approx(std::sqrt(8 * std::log(2) / 3)));
}

TEST_CASE("the conic of two features is the difference of the log-probabilities") {
  const Array means{{2, 2}, {0, 0, 2, 1}};
  const Array own{{2, 2, 2}, {2, 0.5, 0.5, 1, 1, -0.3, -0.3, 3}};
  const GaussianClasses gaussians(log_of({0.3, 0.7}), means, own, false, 0);
  const Boundary f = find_boundaries(gaussians)[0];
  CHECK(f.shape == "hyperbola");
  for (const double x : {-2.0, 0.5, 3.0}) {
    for (const double y : {-1.0, 2.0}) {
      CHECK(value_of(f, {x, y}) == doctest::Approx(joint_gap(gaussians, {x, y})));
    }
  }
}

TEST_CASE("conics are called what they are") {
  const auto shape = [](std::vector<double> a, std::vector<double> b, double mean, double p) {
    a.insert(a.end(), b.begin(), b.end());
    const GaussianClasses g(log_of({p, 1 - p}), {{2, 2}, {0, 0, mean, mean}}, {{2, 2, 2}, a}, false,
                            0);
    return find_boundaries(g)[0].shape;
  };
  CHECK(shape({1, 0, 0, 1}, {4, 0, 0, 4}, 1, 0.5) == "ellipse");
  CHECK(shape({1, 0, 0, 1}, {4, 0, 0, 4}, 0, 0.01) == "nowhere");
  CHECK(shape({1, 0, 0, 4}, {4, 0, 0, 1}, 1, 0.5) == "hyperbola");
  CHECK(shape({1, 0, 0, 1}, {1, 0, 0, 4}, 1, 0.5) == "parabola");
  CHECK(shape({1, 0, 0, 1}, {1, 0, 0, 1}, 1, 0.5) == "line");
  CHECK(shape({1, 0, 0, 1}, {1, 0, 0, 1}, 0, 0.4) == "nowhere");
}

TEST_CASE(
    "classes without a probability have no boundary, and three features none in closed form") {
  const GaussianClasses two(log_of({0.5, 0.5, 0}), {{3, 1}, {0, 1, 2}}, {{1}, {1}}, true, 0);
  CHECK(find_boundaries(two).size() == 1);
  const GaussianClasses wide(log_of({0.5, 0.5}), {{2, 3}, {0, 1, 2, 3, 4, 5}}, {{1, 3}, {1, 1, 1}},
                             true, 0);
  check_refused([&] { find_boundaries(wide); }, Code::kNotAble, -1, "has 3");
}
