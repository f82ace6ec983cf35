#include "craton/classes/labelled_sample.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"
#include "craton/classes/product/mixture.h"
#include "tests/mixture_data.h"

namespace craton::labelled_sample_test {
namespace {

using mixture_tests::draw;
using mixture_tests::families_of;
using mixture_tests::planted;
using mixture_tests::Rows;

// 3 counts x 2 answers x 2 labels or none, and a value that is missing now and then.
Rows repeated(Index rows) {
  Rows result;
  result.classes = 2;
  for (Index i = 0; i < rows; ++i) {
    result.x.values.push_back(static_cast<double>(i % 3));
    result.x.values.push_back(i % 7 == 0 ? NAN : static_cast<double>(i % 2));
    result.labels.push_back(static_cast<std::int32_t>(i % 5 % 3) - 1);
    result.weights.push_back(static_cast<double>(1 + i % 4));
  }
  result.x.shape = {rows, 2};
  return result;
}

TEST_CASE("rows that repeat are found, each once, with the weight of all") {
  const Rows rows = repeated(6000);
  MemorySource x = rows.source();
  for (const int threads : {1, 2, 7}) {
    const auto found = distinct_rows(x, {.threads = threads});
    REQUIRE(found.has_value());
    CHECK(found->rows() == 3 * 3 * 3);  // a value is missing beside any label
    double weight = 0;
    for (Index i = 0; i < found->rows(); ++i) {
      double expected = 0;
      for (std::size_t r = 0; r < 6000; ++r) {
        const double a = rows.x.values[2 * r + 1], b = found->x.values[usize(2 * i + 1)];
        const bool same = rows.x.values[2 * r] == found->x.values[usize(2 * i)] &&
                          (a == b || (std::isnan(a) && std::isnan(b))) &&
                          rows.labels[r] == found->labels[usize(i)];
        expected += same ? rows.weights[r] : 0;
      }
      CHECK(found->weights[usize(i)] == expected);
      weight += expected;
    }
    CHECK(weight == 15000);
  }
}

TEST_CASE("rows that differ are not gathered, be it at the beginning or later") {
  Rows rows = repeated(6000);
  for (std::size_t i = 2048; i < 6000; ++i) rows.x.values[2 * i] = static_cast<double>(i);
  MemorySource later = rows.source();
  CHECK(!distinct_rows(later, {.threads = 2}));
  for (std::size_t i = 0; i < 2048; ++i) rows.x.values[2 * i] = static_cast<double>(i);
  MemorySource all = rows.source();
  CHECK(!distinct_rows(all, {.threads = 2}));
  const Rows few = repeated(100);
  MemorySource small = few.source();
  CHECK(!distinct_rows(small, {.threads = 2}));
}

TEST_CASE("a mixture of rows that repeat is that of the rows one by one") {
  const ClassProduct truth = planted(
      {0.4, 0.6}, {{"poisson", {{1}, {6}}}, {"categorical", {{0.7, 0.2, 0.1}, {0.1, 0.3, 0.6}}}});
  for (const Index labelled : {0, 300}) {
    const Rows once = draw(truth, 1000, 5, labelled);
    Rows often = once;
    for (int time = 1; time < 4; ++time) {
      often.x.values.insert(often.x.values.end(), once.x.values.begin(), once.x.values.end());
      often.labels.insert(often.labels.end(), once.labels.begin(), once.labels.end());
    }
    often.x.shape[0] = 4000;
    MemorySource x = once.source(), repeats = often.source();
    REQUIRE(!distinct_rows(x, {.threads = 1}));
    REQUIRE(distinct_rows(repeats, {.threads = 1}));
    Mixture::Options o;
    o.n_components = 2;
    o.choice.family = families_of(truth);
    o.choice.smoothing.prior_rows = 0;
    o.choice.smoothing.alpha = 0;
    o.max_iter = 5;
    o.tol = 0;
    const Fit<Mixture> start = Mixture::fit(x, o, {.threads = 1});
    const Fit<Mixture> a = Mixture::fit_from(start.model, x, o, {.threads = 1});
    const Fit<Mixture> b = Mixture::fit_from(start.model, repeats, o, {.threads = 2});
    CHECK(b.report.objective == doctest::Approx(a.report.objective).epsilon(1e-12));
    const std::vector<Parameter> of_a = parameters_of(a.model), of_b = parameters_of(b.model);
    REQUIRE(of_a.size() == of_b.size());
    for (std::size_t p = 0; p < of_a.size(); ++p) {
      REQUIRE(of_a[p].value.values.size() == of_b[p].value.values.size());
      for (std::size_t i = 0; i < of_a[p].value.values.size(); ++i) {
        const double v = of_a[p].value.values[i], w = of_b[p].value.values[i];
        CAPTURE(of_a[p].name);
        CHECK((v == w || v == doctest::Approx(w).epsilon(1e-10)));
      }
    }
  }
}

TEST_CASE("a value that a family cannot have is named by its row, though rows repeat") {
  Rows rows;
  for (Index i = 0; i < 5000; ++i)
    rows.x.values.push_back(i == 4321 ? 2.5 : static_cast<double>(i % 3));
  rows.x.shape = {5000, 1};
  MemorySource x = rows.source();
  Mixture::Options o;
  o.n_components = 2;
  o.choice.family = "1=poisson";
  try {
    Mixture::fit(x, o, {.threads = 2});
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(error.place().row == 4321);
  }
}

}  // namespace
}  // namespace craton::labelled_sample_test
