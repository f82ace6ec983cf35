#include "craton/linear/logistic_sums.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/linear/logistic_inference.h"

namespace craton::logistic_sums_test {
namespace {

// Rows with weights, some without a label, and a theta to look at them with.
struct Problem {
  Index rows = 700, columns = 4;
  std::vector<double> x, weights, theta;
  std::vector<float> x_float;
  std::vector<std::int32_t> labels;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> places;
  std::vector<double> values;
  LogisticTerms terms;

  Problem(Index classes, bool intercept) {
    Random random(5, Purpose::kTest, static_cast<std::uint32_t>(classes));
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(static_cast<std::int32_t>(random.below(classes + 1)) - 1);
      weights.push_back(static_cast<double>(random.below(4)) / 2);
      for (Index j = 0; j < columns; ++j) {
        const double v = random.below(3) == 0 ? 0 : std::round(1024 * random.normal()) / 1024;
        x.push_back(v);
        if (v == 0) continue;
        places.push_back(static_cast<std::int32_t>(j));
        values.push_back(v);
      }
      offsets.push_back(std::ssize(values));
    }
    x_float.assign(x.begin(), x.end());
    terms.columns = columns;
    terms.classes = classes;
    terms.intercept = intercept;
    for (Index c = 0; c < classes; ++c) terms.class_of.push_back(static_cast<std::int32_t>(c));
    terms.centre = {0.25, -0.5, 0, 1};
    if (!intercept) terms.centre.assign(4, 0.0);
    terms.unit = {0.5, 2, 1, 4};
    terms.words = terms.pairs() * terms.terms() * terms.terms();
    for (Index i = 0; i < terms.size(); ++i) theta.push_back(0.3 * random.normal());
  }
  LogisticSums sums(SumsOf what, std::span<const double> with = {}) const {
    return sums_at(theta, what, with);
  }
  LogisticSums sums_at(std::span<const double> at, SumsOf what,
                       std::span<const double> with = {}) const {
    MemorySource source({.x = Dense<double>{x.data(), rows, columns, columns},
                         .labels = labels,
                         .weights = weights});
    return fold(source, LogisticSums(terms, at, what, with), {.threads = 2});
  }
  LogisticSums sparse(SumsOf what, std::span<const double> with = {}) const {
    MemorySource source(
        {.x = Sparse<double>{offsets.data(), places.data(), values.data(), rows, columns},
         .labels = labels,
         .weights = weights});
    return fold(source, LogisticSums(terms, theta, what, with), {.threads = 2});
  }
};

// The same by the formulas, row by row.
struct Plain {
  double loss = 0;
  std::vector<double> gradient, curvature, meat;

  explicit Plain(const Problem& p) {
    const std::size_t q = usize(p.terms.terms()), k = usize(p.terms.forms()), size = q * k;
    gradient.resize(size);
    curvature.resize(size * size);
    meat.resize(size * size);
    for (Index i = 0; i < p.rows; ++i) {
      const double w = p.labels[usize(i)] < 0 ? 0 : p.weights[usize(i)];
      if (w == 0) continue;
      std::vector<double> z, e(k + 1, 1.0), r(k);
      for (std::size_t j = 0; j < usize(p.columns); ++j) {
        z.push_back((p.x[usize(i * p.columns) + j] - p.terms.centre[j]) * p.terms.unit[j]);
      }
      if (p.terms.intercept) z.push_back(1);
      double sum = 1;
      for (std::size_t a = 0; a < k; ++a) {
        double eta = 0;
        for (std::size_t j = 0; j < q; ++j) eta += z[j] * p.theta[a * q + j];
        sum += e[a + 1] = std::exp(eta);
      }
      for (double& v : e) v /= sum;
      const std::size_t y = usize(p.labels[usize(i)]);
      loss -= w * std::log(e[y]);
      for (std::size_t a = 0; a < k; ++a) r[a] = e[a + 1] - (y == a + 1 ? 1 : 0);
      for (std::size_t u = 0; u < size; ++u) {
        gradient[u] += w * r[u / q] * z[u % q];
        for (std::size_t v = 0; v < size; ++v) {
          const double a = e[u / q + 1], b = e[v / q + 1], zz = w * z[u % q] * z[v % q];
          curvature[u * size + v] += zz * (u / q == v / q ? a - a * b : -a * b);
          meat[u * size + v] += zz * r[u / q] * r[v / q];
        }
      }
    }
  }
};

void check_near(std::span<const double> a, std::span<const double> b, double tolerance) {
  REQUIRE(a.size() == b.size());
  double scale = 0, gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    scale = std::max(scale, std::abs(b[i]));
    gap = std::max(gap, std::abs(a[i] - b[i]));
  }
  CHECK(gap <= tolerance * scale);
}

template <class F>
void for_problems(const F& f) {
  for (const Index classes : {2, 3, 5}) {
    for (const bool intercept : {true, false}) {
      CAPTURE(classes);
      CAPTURE(intercept);
      f(Problem(classes, intercept));
    }
  }
}

}  // namespace

TEST_CASE("loss, gradient, curvature and meat are those of the formulas, dense and sparse") {
  for_problems([](const Problem& p) {
    const Plain plain(p);
    for (const auto& [sums, meat] :
         {std::pair(p.sums(SumsOf::kCurvature), p.sums(SumsOf::kMeat)),
          std::pair(p.sparse(SumsOf::kCurvature), p.sparse(SumsOf::kMeat))}) {
      CHECK(sums.loss() == doctest::Approx(plain.loss).epsilon(1e-13));
      check_near(sums.gradient(), plain.gradient, 1e-12);
      check_near(sums.curvature(), plain.curvature, 1e-12);
      check_near(meat.curvature(), plain.meat, 1e-12);
    }
    check_near(p.sums(SumsOf::kFloatCurvature).curvature(), plain.curvature, 1e-5);
    check_near(p.sums(SumsOf::kFloatCurvature).gradient(), plain.gradient, 1e-12);
  });
}

TEST_CASE("the curvature along a vector is the curvature times it") {
  for_problems([](const Problem& p) {
    const Plain plain(p);
    Random random(6, Purpose::kTest);
    std::vector<double> v, expected(p.theta.size());
    for (std::size_t i = 0; i < p.theta.size(); ++i) v.push_back(random.normal());
    for (std::size_t i = 0; i < v.size() * v.size(); ++i) {
      expected[i / v.size()] += plain.curvature[i] * v[i % v.size()];
    }
    check_near(p.sums(SumsOf::kAlong, v).gradient(), expected, 1e-12);
    check_near(p.sparse(SumsOf::kAlong, v).gradient(), expected, 1e-12);
  });
}

TEST_CASE("Firth's gradient is that of the loss less half the log determinant") {
  for_problems([](const Problem& p) {
    const Index size = p.terms.size();
    const auto value = [&](std::span<const double> at) {
      const LogisticSums sums = p.sums_at(at, SumsOf::kCurvature);
      // log det by elimination
      std::vector<double> a = sums.curvature();
      double log_det = 0;
      const std::size_t d = usize(size);
      for (std::size_t i = 0; i < d; ++i) {
        log_det += std::log(a[i * d + i]);
        for (std::size_t r = i + 1; r < d; ++r) {
          const double f = a[r * d + i] / a[i * d + i];
          for (std::size_t c = i; c < d; ++c) a[r * d + c] -= f * a[i * d + c];
        }
      }
      return sums.loss() - log_det / 2;
    };
    const auto inverse = inverse_of_symmetric(p.sums(SumsOf::kCurvature).curvature(), size);
    REQUIRE(inverse);
    const std::vector<double> gradient = p.sums(SumsOf::kFirth, *inverse).gradient();
    check_near(p.sparse(SumsOf::kFirth, *inverse).gradient(), gradient, 1e-12);
    constexpr double kStep = 1e-5;
    std::vector<double> differences;
    for (std::size_t i = 0; i < usize(size); ++i) {
      std::vector<double> up = p.theta, down = p.theta;
      up[i] += kStep;
      down[i] -= kStep;
      differences.push_back((value(up) - value(down)) / (2 * kStep));
    }
    check_near(gradient, differences, 1e-7);
  });
}

TEST_CASE("a label that is all but certain keeps the digits of its loss") {
  for (const double eta : {40.0, 700.0, -700.0, -5000.0}) {
    CAPTURE(eta);
    const double x = 1;
    const std::int32_t label = 1;
    MemorySource one({.x = Dense<double>{&x, 1, 1, 1}, .labels = {&label, 1}});
    const LogisticTerms terms{.columns = 1,
                              .intercept = false,
                              .class_of = {0, 1},
                              .centre = {0},
                              .unit = {1},
                              .words = 1};
    const LogisticSums sums =
        fold(one, LogisticSums(terms, std::vector<double>{eta}, SumsOf::kGradient), {});
    const double loss = eta > 0 ? std::exp(-eta) : -eta;  // log(1 + exp(-eta))
    CHECK(sums.loss() == doctest::Approx(loss).epsilon(1e-14));
    CHECK(sums.gradient()[0] == doctest::Approx(eta > 0 ? -std::exp(-eta) : -1).epsilon(1e-14));
    CHECK(sums.margin() == eta);
  }
}

}  // namespace craton::logistic_sums_test
