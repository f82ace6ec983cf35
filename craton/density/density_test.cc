#include "craton/density/density.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/family_cases.h"
#include "tests/refused.h"

using namespace craton;

namespace {

using Numbers = std::vector<double>;

Fit<Density> fit(const Numbers& x, const Density::Options& options = {}, Index columns = 1,
                 const Numbers& weights = {}) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  MemorySource source({.x = view, .weights = weights}, numbered_schema(columns), "data");
  return Density::fit(source, options, {});
}

Density::Options of(Density::Choice family, Index trials = 0) {
  return {.family = family, .trials = trials};
}

}  // namespace

TEST_CASE("the choices of the option are the families, in their order") {
  Density::Options options;
  const auto listed = list_options([&](OptionVisitor& v) { describe(v, options); });
  REQUIRE(std::ssize(listed[0].choices) == 1 + std::ssize(families()));
  for (std::size_t i = 0; i < families().size(); ++i) {
    CHECK(listed[0].choices[i + 1] == families()[i]->name());
  }
}

TEST_CASE("a column drawn from a family is fitted as that family in memory is") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    const auto all = families();
    const auto place = std::find(all.begin(), all.end(), &c.family()) - all.begin();
    const Numbers x = c.draw(3'000, 41);
    const Index trials = c.name == "binomial" ? static_cast<Index>(c.parameters[0]) : 0;
    const Fit<Density> found = fit(x, of(static_cast<Density::Choice>(place + 1), trials));
    const Candidate expected = fit_family(c.family(), x, {}, c.told());
    const Candidate& column = found.model.column(0);
    REQUIRE(column.parameters.size() == expected.parameters.size());
    for (std::size_t i = 0; i < expected.parameters.size(); ++i) {
      CHECK(std::abs(column.parameters[i] - expected.parameters[i]) <=
            1e-9 * std::max(1e-3, std::abs(expected.parameters[i])));
    }
    CHECK(column.log_likelihood == doctest::Approx(expected.log_likelihood).epsilon(1e-12));
    CHECK(found.report.objective == doctest::Approx(expected.log_likelihood / 3000));
  }
}

TEST_CASE("the family that made the data is chosen") {
  struct Row {
    FamilyCase from;
    const char* chosen;
  };
  for (const Row& row :
       {Row{{"gaussian", {3, 4}}, "gaussian"}, Row{{"laplace", {2, 0.5}}, "laplace"},
        Row{{"student-t", {1, 2, 3}}, "student-t"}, Row{{"uniform", {-1, 3}}, "uniform"},
        Row{{"exponential", {0.2}}, "exponential"}, Row{{"gamma", {0.3, 2}}, "gamma"},
        Row{{"lognormal", {1, 0.5}}, "lognormal"}, Row{{"weibull", {3, 3}}, "weibull"},
        Row{{"beta", {0.4, 0.6}}, "beta"}, Row{{"bernoulli", {0.3}}, "bernoulli"},
        Row{{"poisson", {9}}, "poisson"}, Row{{"geometric", {0.15}}, "geometric"},
        Row{{"negative-binomial", {40, 3}}, "negative-binomial"}}) {
    CAPTURE(row.chosen);
    const Numbers x = row.from.draw(5'000, 42);
    CHECK(fit(x).model.column(0).family->name() == row.chosen);
    CHECK(compare_families(x).front().family->name() == row.chosen);
  }
}

TEST_CASE("criteria are what they are defined as") {
  Candidate c;
  c.log_likelihood = -100;
  c.weight = 50;
  c.free_parameters = 3;
  CHECK(c.aic() == 206);
  CHECK(c.bic() == doctest::Approx(3 * std::log(50) + 200));
}

TEST_CASE("columns are independent: scores add, samples have each column's family") {
  const Numbers a = FamilyCase{"gamma", {2, 1}}.draw(400, 43),
                b = FamilyCase{"poisson", {3}}.draw(400, 44);
  Numbers both;
  for (std::size_t i = 0; i < 400; ++i) both.insert(both.end(), {a[i], b[i]});
  const Density model = fit(both, {}, 2).model;
  CHECK(model.column(1).family->name() == "poisson");
  MemorySource x({.x = Dense<double>{both.data(), 400, 2, 2}});
  Numbers scores(400);
  model.score_samples(x, scores, {});
  double sum = 0;
  for (const double s : scores) sum += s;
  CHECK(model.score(x, {}) == doctest::Approx(sum / 400).epsilon(1e-13));
  CHECK(model.score(x, {}) ==
        doctest::Approx(fit(a).report.objective + fit(b).report.objective).epsilon(1e-13));
  const Sample sample = model.sample(50, 1);
  for (Index i = 0; i < 50; ++i) {
    CHECK(holds(Support::kPositive, sample.x.view().row(i)[0]));
    CHECK(holds(Support::kCounts, sample.x.view().row(i)[1]));
  }
  CHECK(model.free_parameters({}) == fit(a).model.free_parameters({}) + 1);
}

TEST_CASE("a value outside the support names row, column, value and families that take it") {
  Numbers x = FamilyCase{"gamma", {2, 1}}.draw(20, 45);
  x[7] = -0.5;
  const auto refused = [&] { fit(x, of(Density::Choice::kGamma)); };
  for (const char* part : {"row 7", "column '1'", "-0.5", "gaussian, laplace"}) {
    check_refused(refused, Code::kOutsideSupport, -1, part);
  }
  check_refused(
      [] {
        fit({1, 2, 2.5}, of(Density::Choice::kPoisson));
      },
      Code::kOutsideSupport, -1, "2.5");
  check_refused(
      [] {
        fit({1, 2, 11}, of(Density::Choice::kBinomial, 10));
      },
      Code::kOutsideSupport, -1, "11");
  // A row of weight 0 is not there.
  const Numbers weights{1, 1, 0, 1};
  CHECK(fit({1, 2, -3, 4}, of(Density::Choice::kGamma), 1, weights).report.converged);
}

TEST_CASE("equal values have no density, but counts of them have") {
  check_refused([] { fit({3, 3, 3}); }, Code::kNoSpread, -1, "column '1'");
  check_refused([] { fit({3, 3}, of(Density::Choice::kGamma)); }, Code::kNoSpread, -1, "every row");
  CHECK(fit({3, 3}, of(Density::Choice::kPoisson)).model.column(0).parameters == Parameters{3});
  check_refused(
      [] {
        fit({1, 2}, of(Density::Choice::kBinomial));
      },
      Code::kBadOption, -1, "trials");
}
