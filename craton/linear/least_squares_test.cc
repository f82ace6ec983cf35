#include "craton/linear/least_squares.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/linear/inference.h"
#include "craton/linear/precise_squares.h"
#include "craton/linear/triangles.h"
#include "tests/regression_tables.h"

namespace craton::least_squares_test {
namespace {

TriangularSums sums_of(const RegressionTable& table, SumBy by = SumBy::kReflections) {
  MemorySource x = table.source();
  return sum_triangles(x, check_regression(x, {}), {}, by);
}

LeastSquares fitted(const RegressionTable& table, Intercept intercept = Intercept::kFree,
                    const CoefficientPrior& prior = {}) {
  MemorySource x = table.source();
  return solve(sum_triangles(x, check_regression(x, {}), {}), intercept, prior);
}

Intercept intercept_of(const ReferenceProblem& p) {
  return p.intercept ? Intercept::kFree : Intercept::kNone;
}

// The largest relative error of several numbers.
double error_of(const std::vector<double>& found, const std::vector<double>& exact) {
  REQUIRE(found.size() == exact.size());
  double most = 0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    const double gap = std::abs(found[j] - exact[j]);
    if (gap > 0) most = std::max(most, exact[j] == 0 ? 1.0 : gap / std::abs(exact[j]));
  }
  return most;
}

// What others do: Householder's QR with pivoting of [1 x], as it is.
std::vector<double> by_pivoted_qr(const ReferenceProblem& p) {
  const Index d = p.table.cols, k = p.intercept ? d + 1 : d;
  std::vector<double> rows;
  for (Index i = 0; i < p.table.rows(); ++i) {
    const double root = std::sqrt(p.table.weights[usize(i)]);
    if (p.intercept) rows.push_back(root);
    for (Index j = 0; j < d; ++j) rows.push_back(root * p.table.x[usize(i * d + j)]);
    rows.push_back(root * p.table.y[usize(i)]);
  }
  const PivotedTriangle t = pivoted_triangle(std::move(rows), p.table.rows(), k + 1, k, 0);
  std::vector<double> b(usize(k)), result(usize(k));
  for (Index j = 0; j < k; ++j) b[usize(j)] = t.r[usize(j * (k + 1) + k)];
  solve_upper(t.r.data(), k, k + 1, b.data());
  for (Index j = 0; j < k; ++j) result[usize(t.order[usize(j)])] = b[usize(j)];
  return result;
}

std::vector<double> errors_of(const TriangularSums& sums, const LeastSquares& fit,
                              Intercept intercept) {
  const double sigma = fit_statistics(sums, fit, intercept, WeightKind::kCopies).sigma;
  const CoefficientCovariance v(sums, intercept, {});
  const std::vector<double> inverse = v.inverse();
  std::vector<double> errors;
  for (Index j = 0; j < v.size(); ++j) {
    errors.push_back(sigma * std::sqrt(inverse[usize(j * v.size() + j)]));
  }
  return errors;
}

}  // namespace

TEST_CASE("coefficients of hard tables are as good as those of a QR with pivoting, or better") {
  for (const ReferenceProblem& p : reference_problems()) {
    CAPTURE(p.name);
    const std::vector<double>& exact = p.answers.at("coef");
    const double by_qr = error_of(by_pivoted_qr(p), exact);
    for (const SumBy by : {SumBy::kReflections, SumBy::kProducts}) {
      const TriangularSums sums = sums_of(p.table, by);
      MemorySource x = p.table.source();
      const LeastSquares fit =
          refined(x, sums, intercept_of(p), {}, solve(sums, intercept_of(p), {}), {});
      const double own = error_of(estimates_of(fit, intercept_of(p)), exact);
      CHECK(own <= std::max(by_qr, 1e-13));
      const double errors = error_of(errors_of(sums, fit, intercept_of(p)), p.answers.at("error"));
      if (p.answers.at("rss")[0] > 1e-20) CHECK(errors <= std::max(by_qr, 1e-11));
    }
  }
}

TEST_CASE("precise coefficients are right to the last digits of a double") {
  for (const ReferenceProblem& p : reference_problems()) {
    CAPTURE(p.name);
    MemorySource x = p.table.source();
    const auto precise = solve_precisely(x, check_regression(x, {}), intercept_of(p), {}, {});
    REQUIRE(precise);
    CHECK(error_of(estimates_of(precise->fit, intercept_of(p)), p.answers.at("coef")) <= 2.3e-16);
    const double rss = p.answers.at("rss")[0];
    CHECK(std::abs(precise->fit.residual - rss) <= 1e-14 * rss + 1e-45 * precise->fit.total);
    if (rss == 0) continue;
    const double n = sums_of(p.table).weight(),
                 k = static_cast<double>(p.answers.at("coef").size());
    std::vector<double> errors;
    for (std::size_t j = 0; j < usize(static_cast<Index>(k)); ++j) {
      const double inverse = precise->inverse[j * usize(static_cast<Index>(k)) + j];
      errors.push_back(std::sqrt(precise->fit.residual / (n - k) * inverse));
    }
    CHECK(error_of(errors, p.answers.at("error")) <= 1e-14);
  }
}

TEST_CASE("with a prior the gradient vanishes, for any shape of the table") {
  for (const Index cols : {1, 4, 30}) {  // 30: more than rows
    for (const Intercept intercept : {Intercept::kNone, Intercept::kFree, Intercept::kPenalised}) {
      for (int kind = 0; kind < 4; ++kind) {
        CAPTURE(cols);
        CAPTURE(kind);
        RegressionTable table = random_regression(20, cols, 11 + static_cast<std::uint64_t>(kind));
        for (Index i = 0; i < 20; ++i) table.weights.push_back(static_cast<double>(1 + i % 3));
        const std::size_t d = usize(cols);
        CoefficientPrior prior{.alpha = 0.7};
        std::vector<double> p(d * d);  // the precision
        for (std::size_t j = 0; j < d; ++j) p[j * d + j] = 1;
        if (kind == 1) {
          for (std::size_t j = 0; j < d; ++j) {  // some are free
            prior.precision.push_back(p[j * d + j] = j % 4 == 1 ? 0 : 1 + static_cast<double>(j));
          }
        }
        if (kind >= 2) {
          for (std::size_t j = 0; j < d; ++j)
            prior.mean.push_back(0.3 * static_cast<double>(j) - 1);
        }
        if (kind == 3) {  // S = I + 0.5 of neighbours; P by Gauss and Jordan
          prior.covariance = p;
          for (std::size_t j = 0; j + 1 < d; ++j) {
            prior.covariance[j * d + j + 1] = prior.covariance[(j + 1) * d + j] = 0.4;
          }
          std::vector<double> s = prior.covariance;
          for (std::size_t k = 0; k < d; ++k) {
            const double pivot = s[k * d + k];
            for (std::size_t j = 0; j < d; ++j) s[k * d + j] /= pivot, p[k * d + j] /= pivot;
            for (std::size_t i = 0; i < d; ++i) {
              const double f = s[i * d + k];
              if (i == k) continue;
              for (std::size_t j = 0; j < d; ++j) {
                s[i * d + j] -= f * s[k * d + j];
                p[i * d + j] -= f * p[k * d + j];
              }
            }
          }
        }
        // Residuals leave a fit that is right where it is.
        MemorySource x = table.source();
        const LeastSquares fit =
            refined(x, sums_of(table), intercept, prior, fitted(table, intercept, prior), {});
        std::vector<double> gradient(d + 1);
        double penalty = 0;
        for (Index i = 0; i < 20; ++i) {
          double e = table.y[usize(i)] - fit.intercept;
          for (std::size_t j = 0; j < d; ++j) e -= table.x[usize(i) * d + j] * fit.coefficients[j];
          gradient[d] += table.weights[usize(i)] * e;
          for (std::size_t j = 0; j < d; ++j) {
            gradient[j] += table.weights[usize(i)] * e * table.x[usize(i) * d + j];
          }
        }
        for (std::size_t j = 0; j < d; ++j) {
          for (std::size_t k = 0; k < d; ++k) {
            const auto away = [&](std::size_t at) {
              return fit.coefficients[at] - (prior.mean.empty() ? 0 : prior.mean[at]);
            };
            gradient[j] -= prior.alpha * p[j * d + k] * away(k);
            penalty += prior.alpha * away(j) * p[j * d + k] * away(k);
          }
        }
        if (intercept == Intercept::kPenalised) {
          gradient[d] -= prior.alpha * fit.intercept;
          penalty += prior.alpha * fit.intercept * fit.intercept;
        }
        if (intercept == Intercept::kNone) gradient[d] = 0;
        for (const double v : gradient) CHECK(std::abs(v) < 1e-11);
        CHECK(fit.penalty == doctest::Approx(penalty).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("ridge with alpha = lambda sigma^2 is the mode of the posterior") {
  // Rows of the prior, sqrt(lambda) b_j = 0 with noise of variance 1, beside rows of noise sigma.
  const double lambda = 3, sigma = 0.5;
  const RegressionTable table = random_regression(40, 3, 12);
  RegressionTable both{3, {}, {}, {}};
  for (const double v : table.x) both.x.push_back(v / sigma);
  for (const double v : table.y) both.y.push_back(v / sigma);
  for (Index j = 0; j < 3; ++j) {
    for (Index k = 0; k < 3; ++k) both.x.push_back(j == k ? std::sqrt(lambda) : 0);
    both.y.push_back(0);
  }
  const LeastSquares map = fitted(both, Intercept::kNone);
  const LeastSquares ridge = fitted(table, Intercept::kNone, {.alpha = lambda * sigma * sigma});
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(ridge.coefficients[j] == doctest::Approx(map.coefficients[j]).epsilon(1e-12));
  }
}

TEST_CASE("columns that depend on others are named, and the shortest coefficients taken") {
  RegressionTable table = random_regression(60, 6, 13);
  for (Index i = 0; i < 60; ++i) {
    double* const x = table.x.data() + i * 6;
    x[2] = 7;
    x[4] = 2 * x[0] - 1000 * x[1] + 5;
  }
  const LeastSquares fit = fitted(table);
  CHECK(fit.rank == 4);
  REQUIRE(fit.dependences.size() == 2);
  CHECK(fit.dependences[0].column == 2);
  CHECK(fit.dependences[0].columns.empty());
  CHECK(fit.dependences[1].column == 4);
  CHECK(fit.dependences[1].columns == std::vector<Index>{0, 1});
  CHECK(fit.dependences[1].times[0] == doctest::Approx(2).epsilon(1e-9));
  CHECK(fit.dependences[1].times[1] == doctest::Approx(-1000).epsilon(1e-9));
  CHECK(fit.coefficients[2] == 0);
  // At right angles to the null space (2, -1000, 0, 0, -1, 0), and as a small penalty has it.
  const std::vector<double>& b = fit.coefficients;
  CHECK(std::abs(2 * b[0] - 1000 * b[1] - b[4]) < 1e-9);
  const LeastSquares small = fitted(table, Intercept::kFree, {.alpha = 1e-6});
  CHECK(b[0] == doctest::Approx(small.coefficients[0]).epsilon(1e-5));
  const CoefficientCovariance v(sums_of(table), Intercept::kFree, {});
  const bool told[] = {false, false, false, false, true, false, true};  // the intercept first
  for (Index j = 0; j < 7; ++j) CHECK(v.told(j) == told[j]);
}

TEST_CASE("columns of levels beside an intercept depend on each other, in large tables too") {
  RegressionTable table{4, {}, {}, {}};
  for (Index i = 0; i < 30000; ++i) {
    Random random(23, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index level = random.below(3);
    const double value = 1e-3 * random.normal() + 500;
    for (Index j = 0; j < 3; ++j) table.x.push_back(j == level ? 1 : 0);
    table.x.push_back(value);
    table.y.push_back(static_cast<double>(level) + 40 * (value - 500) + random.normal());
  }
  const LeastSquares fit = solve(sums_of(table, SumBy::kProducts), Intercept::kFree, {});
  CHECK(fit.rank == 3);
  REQUIRE(fit.dependences.size() == 1);
  CHECK(fit.dependences[0].column == 2);
  CHECK(fit.dependences[0].columns == std::vector<Index>{0, 1});
  CHECK(fit.dependences[0].times[0] == doctest::Approx(-1).epsilon(1e-9));
  const std::vector<double>& b = fit.coefficients;
  CHECK(std::abs(b[0] + b[1] + b[2]) < 1e-10);
  const LeastSquares other = solve(sums_of(table), Intercept::kFree, {});
  CHECK(error_of(b, other.coefficients) < 1e-9);
}

TEST_CASE("columns of any size have the coefficients of their units") {
  const RegressionTable table = random_regression(200, 3, 24);
  const LeastSquares plain = fitted(table);
  RegressionTable scaled = table;
  const double size[] = {1e-90, 1, 1e90};
  for (std::size_t i = 0; i < scaled.x.size(); ++i) scaled.x[i] *= size[i % 3];
  for (const SumBy by : {SumBy::kProducts, SumBy::kReflections}) {
    const LeastSquares fit = solve(sums_of(scaled, by), Intercept::kFree, {});
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(fit.coefficients[j] * size[j] ==
            doctest::Approx(plain.coefficients[j]).epsilon(1e-12).scale(0));
    }
  }
}

TEST_CASE("more columns than rows fit exactly, and shortest") {
  for (const Intercept intercept : {Intercept::kFree, Intercept::kNone}) {
    const RegressionTable table = random_regression(12, 50, 14);
    const LeastSquares fit = fitted(table, intercept);
    CHECK(fit.rank == (intercept == Intercept::kFree ? 11 : 12));
    CHECK(fit.residual < 1e-20);
    const LeastSquares small = fitted(table, intercept, {.alpha = 1e-9});
    for (std::size_t j = 0; j < 50; ++j) {
      CHECK(fit.coefficients[j] == doctest::Approx(small.coefficients[j]).epsilon(1e-6));
    }
  }
}

TEST_CASE("tables that say little have fits that say little") {
  RegressionTable one{2, {3, 4}, {5}, {}};
  const LeastSquares single = fitted(one);
  CHECK(single.intercept == 5);
  CHECK(single.coefficients == std::vector<double>{0, 0});
  RegressionTable constant = random_regression(30, 2, 15);
  std::fill(constant.y.begin(), constant.y.end(), 4.0);
  const LeastSquares flat = fitted(constant);
  CHECK(flat.intercept == 4);
  CHECK(flat.coefficients == std::vector<double>{0, 0});
  CHECK(flat.total == 0);
  RegressionTable still = random_regression(30, 2, 16);
  std::fill(still.x.begin(), still.x.end(), 2.0);
  const LeastSquares mean = fitted(still);
  CHECK(mean.rank == 0);
  double sum = 0;
  for (const double y : still.y) sum += y;
  CHECK(mean.intercept == doctest::Approx(sum / 30).epsilon(1e-14));
  RegressionTable weightless = random_regression(30, 2, 17);
  weightless.weights.assign(30, 0.0);
  CHECK_THROWS_AS(fitted(weightless), InputError);
}

TEST_CASE("a weight is so many copies, and a row of weight 0 is not there") {
  RegressionTable table = random_regression(50, 3, 18), copies{3, {}, {}, {}};
  for (Index i = 0; i < 50; ++i) {
    table.weights.push_back(static_cast<double>(i % 3));
    for (Index k = 0; k < i % 3; ++k) {
      const auto row = table.x.begin() + i * 3;
      copies.x.insert(copies.x.end(), row, row + 3);
      copies.y.push_back(table.y[usize(i)]);
    }
  }
  const LeastSquares a = fitted(table), b = fitted(copies);
  CHECK(error_of(a.coefficients, b.coefficients) < 1e-13);
  CHECK(a.residual == doctest::Approx(b.residual).epsilon(1e-13));
}

TEST_CASE("a prior that is none is refused") {
  const RegressionTable table = random_regression(20, 2, 19);
  const auto refused = [&](const CoefficientPrior& prior) {
    CHECK_THROWS_AS(fitted(table, Intercept::kFree, prior), InputError);
  };
  refused({.alpha = -1});
  refused({.alpha = std::nan("")});
  refused({.alpha = 1, .precision = {1}});
  refused({.alpha = 1, .precision = {1, -1}});
  refused({.alpha = 1, .mean = {1, std::nan("")}});
  refused({.alpha = 1, .covariance = {1, 2, 2, 1}});
  refused({.alpha = 1, .covariance = {1, 0.5, 0.4, 1}});
}

}  // namespace craton::least_squares_test
