#include "craton/linear/ridge.h"

#include <doctest/doctest.h>

#include "craton/base/error.h"
#include "craton/linear/ridge_cv.h"
#include "tests/regression_tables.h"

// Expected numbers are those of tests/reference/ridge.py (scikit-learn).

namespace craton::ridge_test {
namespace {

RegressionTable whole_numbers() {
  RegressionTable t{3, {}, {}, {}};
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 3; ++j) {
      t.x.push_back(static_cast<double>((i * (3 + 2 * j) + 3 * j) % 11));
    }
    t.y.push_back(static_cast<double>(5 * i % 13));
  }
  return t;
}

Fit<Ridge> fit(const RegressionTable& table, const Ridge::Options& options) {
  MemorySource x = table.source();
  return Ridge::fit(x, options, {.threads = 1});
}

}  // namespace

TEST_CASE("weighted ridge regressions are those of scikit-learn") {
  struct Case {
    bool intercept;
    double alpha;
    std::vector<double> coef;
    double at_zero;
  };
  RegressionTable table = whole_numbers();
  for (Index i = 0; i < 12; ++i) table.weights.push_back(static_cast<double>(1 + i % 3));
  const Case cases[] = {
      {true,
       0.5,
       {0.6795766025035657, -0.32317308681617507, 0.37762795152968953},
       3.1046211383562925},
      {true,
       20.0,
       {0.6254912855604395, -0.28439508515791484, 0.3405066257290538},
       3.340753657713581},
      {false, 0.5, {0.8410540853203219, -0.16175317941538397, 0.5860990471330751}, 0.0},
      {false, 20.0, {0.7965507003156889, -0.11013801112920812, 0.5615812849595687}, 0.0}};
  for (const Case& c : cases) {
    const Ridge model = fit(table, {.alpha = c.alpha, .fit_intercept = c.intercept}).model;
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(model.coef()[j] == doctest::Approx(c.coef[j]).epsilon(1e-12));
    }
    CHECK(model.intercept() == doctest::Approx(c.at_zero).epsilon(1e-12));
  }
}

TEST_CASE("ridge-cv has the errors and the choice of scikit-learn") {
  const RegressionTable table = whole_numbers();
  MemorySource x = table.source();
  const Fit<RidgeCV> f =
      RidgeCV::fit(x, {.alphas = {{5}, {0.1, 1, 10, 100, 1000}}}, {.threads = 1});
  CHECK(f.model.alpha() == 1000.0);
  const double coef[] = {0.05762121319895648, -0.0002128643657981071, 0.023797822968925887};
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(f.model.coef()[j] == doctest::Approx(coef[j]).epsilon(1e-12));
  }
  const std::vector<ResultTable> tables = f.model.tables(numbered_schema(3));
  const double errors[] = {24.02818033379599, 23.90110954501414, 22.849473616146028,
                           19.42205037820498, 17.798009722376197};
  REQUIRE(tables.size() == 3);
  for (std::size_t a = 0; a < 5; ++a) {
    CHECK((*tables[2].find("leave_one_out")->numbers())[a] ==
          doctest::Approx(errors[a]).epsilon(1e-11));
  }
  const RidgeCV again = RidgeCV::from_parameters(ParameterList::of(f.model));
  CHECK(parameters_of(again) == parameters_of(f.model));
}

TEST_CASE("halves that are learned one after the other, or merged, are the whole") {
  const RegressionTable table = random_regression(301, 5, 41);
  const RegressionTable first = table.part(0, 120), second = table.part(120, 301);
  const Ridge::Options options{.alpha = 3};
  const Fit<Ridge> whole = fit(table, options), a = fit(first, options), b = fit(second, options);
  MemorySource rest = second.source();
  const Fit<Ridge> on = Ridge::partial_fit(a, rest, options, {});
  const Fit<Ridge> merged = Ridge::merge(a, b, options);
  for (const Fit<Ridge>* f : {&on, &merged}) {
    for (std::size_t j = 0; j < 5; ++j) {
      CHECK(f->model.coef()[j] == doctest::Approx(whole.model.coef()[j]).epsilon(1e-12));
    }
    CHECK(f->report.data_hash == whole.report.data_hash);
    CHECK(f->report.objective == doctest::Approx(whole.report.objective).epsilon(1e-12));
  }
}

TEST_CASE("a prior pulls to its mean, and a precision of 0 leaves a coefficient alone") {
  const RegressionTable table = random_regression(40, 3, 42);
  const Ridge far = fit(table, {.alpha = 1e12, .prior_mean = {{3}, {1, 2, 3}}}).model;
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(far.coef()[j] == doctest::Approx(static_cast<double>(j + 1)).epsilon(1e-8));
  }
  const Ridge some = fit(table, {.alpha = 1e12, .precision = {{3}, {1, 0, 1}}}).model;
  CHECK(std::abs(some.coef()[0]) < 1e-9);
  CHECK(std::abs(some.coef()[1]) > 0.01);
}

TEST_CASE("priors of the wrong size, and alphas below 0, are refused") {
  const RegressionTable table = random_regression(20, 3, 43);
  CHECK_THROWS_AS(fit(table, {.alpha = -1}), InputError);
  CHECK_THROWS_AS(fit(table, {.prior_mean = {{2}, {1, 2}}}), InputError);
  CHECK_THROWS_AS(fit(table, {.fit_intercept = false, .penalise_intercept = true}), InputError);
  MemorySource x = table.source();
  CHECK_THROWS_AS(RidgeCV::fit(x, {.alphas = {{2}, {1, -1}}}, {}), InputError);
}

}  // namespace craton::ridge_test
