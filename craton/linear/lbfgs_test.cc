#include "craton/linear/lbfgs.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/linear/large_likelihood.h"

namespace craton::lbfgs_test {
namespace {

// sum_i a_i cosh(x_i - i), with widely different a.
struct Bowls final : LargeFunction {
  std::vector<double> a{1, 1e3, 1e-3, 50, 7};
  bool rough = false;  // the curvature is known

  Index size() const override { return std::ssize(a); }
  Evaluation at(std::span<const double> x) override {
    Evaluation result;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double from = x[i] - static_cast<double>(i);
      result.value += a[i] * std::cosh(from);
      result.gradient.push_back(a[i] * std::sinh(from));
    }
    return result;
  }
  void learn_curvature(std::span<const double>) override {}
  void precondition(std::span<double> v) const override {
    for (std::size_t i = 0; rough && i < a.size(); ++i) v[i] /= a[i];
  }
};

struct Rows {
  Index rows = 500, columns = 5;
  std::vector<double> x;
  std::vector<std::int32_t> labels;

  explicit Rows(Index classes) {
    for (Index i = 0; i < rows; ++i) {
      Random random(4, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
      labels.push_back(static_cast<std::int32_t>(random.below(classes)));
      for (Index j = 0; j < columns; ++j) {
        x.push_back(random.normal() + (j == labels.back() ? 0.7 : 0.0));
      }
    }
  }
  MemorySource source() const {
    return MemorySource({.x = Dense<double>{x.data(), rows, columns, columns}, .labels = labels});
  }
};

}  // namespace

TEST_CASE("bowls of unlike depth are found, sooner where their curvature is known") {
  Index steps[2] = {};
  for (const bool rough : {false, true}) {
    Bowls f;
    f.rough = rough;
    const NewtonResult found = minimise(f, std::vector<double>(5), LbfgsOptions{}, {});
    CHECK(found.converged);
    for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(found.x[i] - static_cast<double>(i)) < 1e-4);
    for (std::size_t i = 1; i < found.trace.size(); ++i)
      CHECK(found.trace[i] >= found.trace[i - 1]);
    steps[rough ? 1 : 0] = found.iterations;
  }
  CHECK(steps[1] < steps[0]);
}

TEST_CASE("L-BFGS ends where Newton's method does") {
  for (const Index classes : {2, 4}) {
    CAPTURE(classes);
    const Rows rows(classes);
    MemorySource x = rows.source();
    LogisticTerms terms{.columns = rows.columns, .classes = classes};
    for (Index c = 0; c < classes; ++c) terms.class_of.push_back(static_cast<std::int32_t>(c));
    terms.centre = {0, 0.5, 0, -1, 0};
    terms.unit = {1, 2, 0.5, 1, 1};
    terms.words = terms.pairs() * terms.terms() * terms.terms();
    const LogisticPenalty penalty{{1, 0.5, 2, 1, 0}};
    const std::vector<double> start(usize(terms.size()));
    PenalisedLikelihood small(x, terms, penalty, {});
    LargeLikelihood large(x, terms, penalty, {});
    const NewtonResult newton = minimise(small, start, NewtonOptions{}, {});
    const NewtonResult lbfgs = minimise(large, large.beta_of(start), LbfgsOptions{.tol = 1e-9}, {});
    CHECK(newton.converged);
    CHECK(lbfgs.converged);
    CHECK(lbfgs.last.value == doctest::Approx(newton.last.value).epsilon(1e-13));
    const std::vector<double> theta = large.theta_of(lbfgs.x);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      CHECK(theta[i] == doctest::Approx(newton.x[i]).epsilon(1e-7));
    }
  }
}

}  // namespace craton::lbfgs_test
