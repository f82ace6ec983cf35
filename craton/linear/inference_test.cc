#include "craton/linear/inference.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"
#include "craton/linear/precise_squares.h"
#include "tests/regression_tables.h"

namespace craton::inference_test {
namespace {

struct Fitted {
  RegressionTable table;
  Intercept intercept = Intercept::kFree;
  WeightKind kind = WeightKind::kCopies;
  CoefficientPrior prior = {};
  MemorySource x = table.source();
  TriangularSums sums = sum_triangles(x, check_regression(x, {}), {});
  LeastSquares fit = refined(x, sums, intercept, prior, solve(sums, intercept, prior), {});
  CoefficientCovariance covariance{sums, intercept, prior};
  FitStatistics statistics = fit_statistics(sums, fit, intercept, kind);

  std::vector<double> classical() const {
    std::vector<double> v = covariance.inverse();
    for (double& value : v) value *= statistics.sigma * statistics.sigma;
    return v;
  }
  std::vector<double> robust(Robust robust) {
    return robust_covariance(x, fit, covariance, statistics, kind, robust, {});
  }
};

std::vector<double> roots(const std::vector<double>& v) {
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(v.size()))));
  std::vector<double> result;
  for (std::size_t j = 0; j < size; ++j) result.push_back(std::sqrt(v[j * size + j]));
  return result;
}

void check_near(const std::vector<double>& found, const std::vector<double>& expected,
                double relative) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t j = 0; j < found.size(); ++j) {
    CHECK(found[j] == doctest::Approx(expected[j]).epsilon(relative).scale(1e-12));
  }
}

RegressionTable longley() {
  for (const ReferenceProblem& p : reference_problems()) {
    if (p.name == "longley") {
      RegressionTable table = p.table;
      table.weights.clear();
      return table;
    }
  }
  return {};
}

// Without the intercept, the first.
std::vector<double> slopes(const std::vector<double>& v) { return {v.begin() + 1, v.end()}; }

constexpr Robust kRobust[] = {Robust::kHC0, Robust::kHC1, Robust::kHC2, Robust::kHC3};

}  // namespace

// tests/reference/linear_inference.py; NIST: certified.
TEST_CASE("Longley's table is that of statsmodels and NIST") {
  Fitted f{longley()};
  const FitStatistics& s = f.statistics;
  CHECK(s.sigma == doctest::Approx(304.854073561965).epsilon(1e-12));  // NIST
  CHECK(s.r2 == doctest::Approx(0.995479004577296).epsilon(1e-13));    // NIST
  CHECK(s.f == doctest::Approx(330.285339234588).epsilon(1e-11));      // NIST
  CHECK(s.adjusted_r2 == doctest::Approx(0.992465007628826).epsilon(1e-11));
  CHECK(s.f_p_value == doctest::Approx(4.984030528724807e-10).epsilon(1e-9));
  CHECK(s.log_likelihood == doctest::Approx(-109.61743480848057).epsilon(1e-11));
  CHECK(s.aic == doctest::Approx(235.23486961696113).epsilon(1e-11));
  CHECK(s.bic == doctest::Approx(241.4155793948794).epsilon(1e-11));
  const CoefficientTable t =
      coefficient_table(estimates_of(f.fit, f.intercept), f.classical(), s.degrees, 0.9);
  check_near(slopes(t.statistic),
             {0.1773760282299885, -1.0695163172211926, -4.136427355941089, -4.821985310445594,
              -0.226051144664155, 4.01588981271011},
             1e-8);
  check_near(slopes(t.p_value),
             {0.8631408328092223, 0.31268106109264937, 0.002535091734109858, 0.0009443667641616184,
              0.8262117957636838, 0.0030368033416288027},
             1e-8);
  check_near({t.low[1], t.high[1], t.low[6], t.high[6]},
             {-140.59677634189012, 170.72052088463346, 994.2079372891875, 2664.094991937952}, 1e-8);
  const RowInfluence rows = row_influence(f.x, f.fit, f.covariance, s, WeightKind::kCopies, {});
  CHECK(rows.cooks_distance[0] == doctest::Approx(0.14084015650708342).epsilon(1e-8));
  CHECK(rows.cooks_distance[15] == doctest::Approx(0.4666825970196296).epsilon(1e-8));
  std::vector<double> l(14);
  l[1] = l[7 + 2] = 1;
  const WaldTest wald =
      wald_test(t.estimate, f.classical(), l, std::vector<double>{0, -0.05}, s.degrees);
  CHECK(wald.f == doctest::Approx(0.2665752624082232).epsilon(1e-8));
  CHECK(wald.p_value == doctest::Approx(0.7718399712008172).epsilon(1e-8));
  const std::span<const double> first(f.table.x.data(), 6);
  const double mean = s.sigma * std::sqrt(f.covariance.variance_at(first));
  CHECK(mean == doctest::Approx(198.63224008948055).epsilon(1e-8));
  double at = f.fit.intercept;
  for (std::size_t j = 0; j < 6; ++j) at += f.fit.coefficients[j] * first[j];
  const double wide = t_quantile(0.9, s.degrees) * std::hypot(s.sigma, mean);
  CHECK(at - wide == doctest::Approx(59388.67187833407).epsilon(1e-9));
}

TEST_CASE("weights that are precisions have the table of statsmodels' WLS") {
  RegressionTable table = longley();
  for (Index i = 0; i < 16; ++i) table.weights.push_back(1 + static_cast<double>(i % 3) / 2);
  Fitted f{.table = table, .kind = WeightKind::kPrecision};
  const FitStatistics& s = f.statistics;
  CHECK(s.degrees == 9);
  CHECK(s.log_likelihood == doctest::Approx(-108.59793271189432).epsilon(1e-11));
  CHECK(s.r2 == doctest::Approx(0.9959700585487499).epsilon(1e-11));
  CHECK(s.f == doctest::Approx(370.7138443310072).epsilon(1e-8));
  const CoefficientTable t =
      coefficient_table(estimates_of(f.fit, f.intercept), f.classical(), s.degrees, 0.9);
  check_near(slopes(t.statistic),
             {0.021867893468644845, -0.8862584546762456, -3.9779866543295967, -5.128537851551001,
              -0.2654051186958341, 3.9200167327837265},
             1e-8);
  check_near(slopes(roots(f.robust(Robust::kHC0))),
             {40.009780064825726, 0.023399911669880282, 0.35718675751830936, 0.13671514366290613,
              0.14453833721675746, 404.05040193821907},
             1e-8);
  check_near(slopes(roots(f.robust(Robust::kHC1))),
             {53.34637341976763, 0.03119988222650704, 0.4762490100244125, 0.18228685821720816,
              0.1927177829556766, 538.7338692509587},
             1e-8);
  check_near(slopes(roots(f.robust(Robust::kHC2))),
             {50.48458287040243, 0.03396406563192638, 0.5068873850388096, 0.18781766512095674,
              0.2010729047172959, 574.2098026035732},
             1e-8);
  check_near(slopes(roots(f.robust(Robust::kHC3))),
             {65.35597656141793, 0.050528392964945726, 0.7416235453552482, 0.2656156931705373,
              0.2877288457786271, 839.9103849304258},
             1e-8);
}

TEST_CASE("errors that trust no common variance, and leverages, are those of exact arithmetic") {
  for (const ReferenceProblem& p : reference_problems()) {
    if (p.answers.at("rss")[0] < 1e-20 || p.name == "degree-ten") continue;
    CAPTURE(p.name);
    Fitted f{p.table, p.intercept ? Intercept::kFree : Intercept::kNone};
    check_near(roots(f.classical()), p.answers.at("error"), 1e-9);
    for (int kind = 0; kind < 4; ++kind) {
      check_near(roots(f.robust(kRobust[kind])), p.answers.at("hc" + std::to_string(kind)), 1e-8);
    }
    const RowInfluence rows =
        row_influence(f.x, f.fit, f.covariance, f.statistics, WeightKind::kCopies, {});
    for (Index i = 0; i < p.table.rows(); ++i) {
      const double w = p.table.weights[usize(i)];
      CHECK(w * rows.leverage[usize(i)] ==
            doctest::Approx(p.answers.at("leverage")[usize(i)]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a prior's posterior and sandwich are those of the formulas") {
  RegressionTable table = random_regression(40, 2, 21);
  for (const Intercept intercept : {Intercept::kNone, Intercept::kFree}) {
    Fitted f{.table = table, .intercept = intercept, .prior = {.alpha = 5, .precision = {1, 3}}};
    // By hand, for two columns (about their means).
    double mean[2] = {0, 0}, a[2][2] = {{0, 0}, {0, 0}};
    for (Index i = 0; i < 40 && intercept == Intercept::kFree; ++i) {
      for (Index j = 0; j < 2; ++j) mean[j] += table.x[usize(i * 2 + j)] / 40;
    }
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < 2; ++j) {
        for (Index k = 0; k < 2; ++k) {
          a[j][k] += (table.x[usize(i * 2 + j)] - mean[j]) * (table.x[usize(i * 2 + k)] - mean[k]);
        }
      }
    }
    const double p00 = a[0][0] + 5, p11 = a[1][1] + 15, p01 = a[0][1], det = p00 * p11 - p01 * p01;
    const double v[2][2] = {{p11 / det, -p01 / det}, {-p01 / det, p00 / det}};
    const Index size = f.covariance.size(), first = size - 2;
    const std::vector<double> inverse = f.covariance.inverse();
    const std::vector<double> sandwich = f.covariance.sandwich();
    double trace = static_cast<double>(first);
    for (Index j = 0; j < 2; ++j) {
      for (Index k = 0; k < 2; ++k) {
        const std::size_t at = usize((j + first) * size + k + first);
        CHECK(inverse[at] == doctest::Approx(v[j][k]).epsilon(1e-12));
        double filled = 0;
        for (Index b = 0; b < 2; ++b) {
          for (Index c = 0; c < 2; ++c) filled += v[j][b] * a[b][c] * v[c][k];
        }
        CHECK(sandwich[at] == doctest::Approx(filled).epsilon(1e-12));
        trace += v[j][k] * a[k][j];
      }
    }
    CHECK(f.statistics.parameters == doctest::Approx(trace).epsilon(1e-12));
  }
}

TEST_CASE("what the rows do not tell has infinite errors, and no NaN appears") {
  RegressionTable exact{1, {1, 2}, {3, 5}, {}};
  Fitted f{exact};
  CHECK(f.statistics.degrees == 0);
  CHECK(std::isinf(f.statistics.sigma));
  const CoefficientTable t = coefficient_table(estimates_of(f.fit, f.intercept), f.classical(),
                                               f.statistics.degrees, 0.95);
  for (const auto* values : {&t.error, &t.statistic, &t.p_value, &t.low, &t.high}) {
    for (const double v : *values) CHECK(!std::isnan(v));
  }
  RegressionTable same = random_regression(30, 3, 22);
  for (Index i = 0; i < 30; ++i) same.x[usize(i * 3 + 2)] = same.x[usize(i * 3)];
  Fitted g{same};
  const CoefficientTable u = coefficient_table(estimates_of(g.fit, g.intercept), g.classical(),
                                               g.statistics.degrees, 0.95);
  CHECK(std::isinf(u.error[1]));
  CHECK(std::isfinite(u.error[2]));
  CHECK(std::isinf(u.error[3]));
  CHECK(u.p_value[1] == 1);
  CHECK(g.statistics.degrees == 27);
  const std::vector<double> robust = g.robust(Robust::kHC3);
  CHECK(std::isfinite(robust[2 * 4 + 2]));
  const std::vector<double> both{0, 1, 0, -1};
  CHECK_THROWS_AS(
      wald_test(u.estimate, g.classical(), both, std::vector<double>{0}, g.statistics.degrees),
      InputError);
}

TEST_CASE("tails and quantiles of t and F fit together") {
  CHECK(t_two_sided(2.228138851986274, 10) == doctest::Approx(0.05).epsilon(1e-13));  // tables
  CHECK(t_quantile(0.95, 10) == doctest::Approx(2.228138851986274).epsilon(1e-13));
  CHECK(t_quantile(0.95, 1.0 / 0.0) == doctest::Approx(1.959963984540054).epsilon(1e-14));
  CHECK(f_upper(4.96460274, 1, 10) == doctest::Approx(0.05).epsilon(1e-8));  // t^2
  CHECK(f_upper(3, 2, 1.0 / 0.0) == doctest::Approx(std::exp(-3)).epsilon(1e-14));
}

}  // namespace craton::inference_test
