#include "craton/linear/ridge_path.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "tests/regression_tables.h"

namespace craton::ridge_path_test {
namespace {

TriangularSums sums_of(const RegressionTable& table) {
  MemorySource x = table.source();
  return sum_triangles(x, check_regression(x, {}), {});
}

struct Path {
  RidgePath path;
  std::vector<double> errors;  // rows x alphas
};

Path path_of(const RegressionTable& table, Intercept intercept, const CoefficientPrior& prior,
             const std::vector<double>& alphas, int threads = 1) {
  MemorySource x = table.source();
  Path result;
  result.errors.resize(table.y.size() * alphas.size());
  result.path =
      ridge_path(x, sums_of(table), intercept, prior, alphas, {.threads = threads}, result.errors);
  return result;
}

bool same_rows(const RegressionTable& t, Index a, Index b) {
  const auto row = [&](Index i) { return t.x.begin() + i * t.cols; };
  return std::equal(row(a), row(a) + t.cols, row(b)) && t.y[usize(a)] == t.y[usize(b)];
}

double predicted(const LeastSquares& fit, const RegressionTable& table, Index row) {
  double y = fit.intercept;
  for (Index j = 0; j < table.cols; ++j) {
    y += fit.coefficients[usize(j)] * table.x[usize(row * table.cols + j)];
  }
  return y;
}

}  // namespace

TEST_CASE("leaving a row out is refitting without it, on 200 tables") {
  const std::vector<double> alphas{0, 1e-3, 1, 30};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed, Purpose::kTest, 1);
    const Index cols = 1 + random.below(12), rows = 3 + random.below(15);
    RegressionTable table = random_regression(rows, cols, 1000 + seed);
    const bool whole = seed % 3 == 0, weighted = seed % 2 == 0;
    for (double& v : table.x) v = whole ? std::round(2 * v) : v;
    if (seed % 5 == 0 && cols > 2) {  // columns that depend on others
      for (Index i = 0; i < rows; ++i) table.x[usize(i * cols + 2)] = table.x[usize(i * cols)] + 1;
    }
    for (Index i = 0; i < rows && weighted; ++i) {
      table.weights.push_back(static_cast<double>(1 + random.below(3)));
    }
    const Intercept intercept = seed % 4 == 1   ? Intercept::kNone
                                : seed % 7 == 2 ? Intercept::kPenalised
                                                : Intercept::kFree;
    CoefficientPrior prior;
    if (seed % 6 == 1) prior.mean.assign(usize(cols), 0.5);
    if (seed % 6 == 2) {
      for (Index j = 0; j < cols; ++j) prior.precision.push_back(1 + static_cast<double>(j));
    }
    const Path own = path_of(table, intercept, prior, alphas);
    for (std::size_t a = 0; a < alphas.size(); ++a) {
      double sum = 0, weight = 0;
      prior.alpha = alphas[a];
      // The limit of small alpha is towards the prior's mean; without a prior, towards 0.
      if (alphas[a] == 0 && !prior.mean.empty()) prior.alpha = 1e-9;
      const bool weak = alphas[a] == 0 && (!prior.mean.empty() || !prior.precision.empty());
      for (Index i = 0; i < rows; ++i) {
        RegressionTable others = table;  // without the row and those that are the same
        for (Index k = rows - 1; k >= 0; --k) {
          if (same_rows(table, i, k)) others = others.without(k);
        }
        const double e =
            table.y[usize(i)] - predicted(solve(sums_of(others), intercept, prior), table, i);
        const double found = own.errors[usize(i) * alphas.size() + a];
        if (weak) continue;  // where columns are many, fits of least length differ
        CHECK(found == doctest::Approx(e).epsilon(1e-7).scale(1));
        const double w = weighted ? table.weights[usize(i)] : 1;
        sum += w * e * e;
        weight += w;
      }
      if (!weak) {
        CHECK(own.path.leave_one_out[a] == doctest::Approx(sum / weight).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("copies of a row are left out together, whether they are rows or a weight") {
  RegressionTable table = random_regression(30, 4, 36), copies{4, {}, {}, {}};
  for (Index i = 0; i < 30; ++i) {
    table.weights.push_back(static_cast<double>(1 + i % 3));
    for (Index k = 0; k <= i % 3; ++k) {
      const auto row = table.x.begin() + i * 4;
      copies.x.insert(copies.x.end(), row, row + 4);
      copies.y.push_back(table.y[usize(i)]);
    }
  }
  const std::vector<double> alphas{0, 2};
  const Path a = path_of(table, Intercept::kFree, {}, alphas);
  const Path b = path_of(copies, Intercept::kFree, {}, alphas);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(a.path.leave_one_out[k] == doctest::Approx(b.path.leave_one_out[k]).epsilon(1e-11));
    CHECK(a.path.gcv[k] == doctest::Approx(b.path.gcv[k]).epsilon(1e-11));
  }
}

TEST_CASE("coefficients along the path are those of single fits") {
  for (const Index cols : {4, 40}) {
    for (const bool some_free : {false, true}) {
      RegressionTable table = random_regression(25, cols, 31);
      for (Index i = 0; i < 25; ++i) table.weights.push_back(static_cast<double>(i % 3 + 1));
      CoefficientPrior prior;
      for (Index j = 0; j < cols; ++j) {
        prior.precision.push_back(some_free && j % 9 == 1 ? 0 : 2);
      }
      const std::vector<double> alphas{0.01, 1, 100};
      const Path p = path_of(table, Intercept::kFree, prior, alphas);
      for (std::size_t a = 0; a < alphas.size(); ++a) {
        prior.alpha = alphas[a];
        const LeastSquares fit = solve(sums_of(table), Intercept::kFree, prior);
        CHECK(p.path.intercepts[a] == doctest::Approx(fit.intercept).epsilon(1e-10));
        CHECK(p.path.residual[a] == doctest::Approx(fit.residual).epsilon(1e-9));
        CHECK(p.path.effective[a] == doctest::Approx(fit.effective).epsilon(1e-9));
        for (Index j = 0; j < cols; ++j) {
          CHECK(p.path.coefficients.values[a * usize(cols) + usize(j)] ==
                doctest::Approx(fit.coefficients[usize(j)]).epsilon(1e-9).scale(1e-3));
        }
        const double n = 49, gone = n - fit.effective;
        CHECK(p.path.gcv[a] == doctest::Approx(n * fit.residual / gone / gone).epsilon(1e-8));
      }
    }
  }
}

TEST_CASE("rows left out of hard tables have the residuals of exact arithmetic") {
  for (const ReferenceProblem& p : reference_problems()) {
    if (p.answers.at("rss")[0] < 1e-20 || p.name == "degree-ten") continue;
    CAPTURE(p.name);
    const Path own = path_of(p.table, p.intercept ? Intercept::kFree : Intercept::kNone, {}, {0});
    for (Index i = 0; i < p.table.rows(); ++i) {
      CHECK(own.errors[usize(i)] == doctest::Approx(p.answers.at("loo")[usize(i)]).epsilon(1e-8));
    }
  }
}

TEST_CASE("a path has the same bits for 1, 2 and 7 threads") {
  const RegressionTable table = random_regression(5000, 40, 33);
  const std::vector<double> alphas{0, 0.1, 10};
  const Path one = path_of(table, Intercept::kFree, {}, alphas, 1);
  for (const int threads : {2, 7}) {
    const Path more = path_of(table, Intercept::kFree, {}, alphas, threads);
    CHECK(more.path.leave_one_out == one.path.leave_one_out);
    CHECK(more.errors == one.errors);
  }
}

TEST_CASE("columns that do not change leave the mean of the other rows") {
  RegressionTable table = random_regression(600, 2, 35);  // several blocks
  std::fill(table.x.begin(), table.x.end(), 4.0);
  const Path own = path_of(table, Intercept::kFree, {}, {0, 1});
  double sum = 0;
  for (const double y : table.y) sum += y;
  for (const Index i : {0, 300, 599}) {
    const double y = table.y[usize(i)];
    CHECK(own.errors[usize(2 * i)] == doctest::Approx(y - (sum - y) / 599).epsilon(1e-12));
    CHECK(own.errors[usize(2 * i + 1)] == own.errors[usize(2 * i)]);
  }
}

TEST_CASE("one row leaves nothing to predict it from") {
  const RegressionTable table{2, {1, 2}, {3}, {}};
  const Path own = path_of(table, Intercept::kFree, {}, {0, 1});
  for (const double v : own.path.leave_one_out) CHECK(std::isinf(v));
  CHECK(own.path.intercepts[0] == 3);
}

TEST_CASE("an alpha below 0 is refused") {
  CHECK_THROWS_AS(path_of(random_regression(9, 2, 34), Intercept::kFree, {}, {1, -1}), InputError);
}

}  // namespace craton::ridge_path_test
