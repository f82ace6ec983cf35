#include "craton/linear/linear_regression.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "tests/refused.h"

// Expected numbers are those of tests/reference/linear.py (NumPy's least squares).

namespace craton::linear_regression_test {
namespace {

struct Rows {
  std::vector<double> x, y;
  Index cols;
  std::vector<double> weights = {};

  MemorySource source() const {
    const Index rows = ssize(y);
    Schema schema = numbered_schema(cols);
    schema.target = Column{"y"};
    return MemorySource(
        {.x = Dense<double>{x.data(), rows, cols, cols}, .targets = y, .weights = weights}, schema);
  }
};

Fit<LinearRegression> fit(const Rows& rows, bool intercept = true) {
  MemorySource x = rows.source();
  return LinearRegression::fit(x, {.fit_intercept = intercept}, {.threads = 1});
}

const Rows kPeople{{1, 2, 2, 1, 3, 5, 4, 3, 5, 8, 7, 6}, {2.5, 3, 7.5, 6.5, 12, 13}, 2};

TEST_CASE("coefficients are those of least squares") {
  const Fit<LinearRegression> f = fit(kPeople);
  CHECK(f.model.coef()[0] == doctest::Approx(1.17031686859273121).epsilon(1e-13));
  CHECK(f.model.coef()[1] == doctest::Approx(0.821528424976700977).epsilon(1e-13));
  CHECK(f.model.intercept() == doctest::Approx(-0.297530288909597096).epsilon(1e-12));
  CHECK(f.report.objective == doctest::Approx(-0.0364826032929480223).epsilon(1e-12));
  CHECK(f.report.converged);
  CHECK(f.report.notes.empty());
}

TEST_CASE("without an intercept the line goes through 0") {
  const Fit<LinearRegression> f = fit(kPeople, false);
  CHECK(f.model.coef()[0] == doctest::Approx(1.1292234736218143).epsilon(1e-13));
  CHECK(f.model.coef()[1] == doctest::Approx(0.80142264374629546).epsilon(1e-13));
  CHECK(f.model.intercept() == 0);
}

TEST_CASE("columns that others make up are named, and the shortest coefficients taken") {
  Rows rows{{}, {}, 4};
  for (Index i = 0; i < 40; ++i) {
    Random random(1, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const double a = random.normal(), b = random.normal();
    rows.x.insert(rows.x.end(), {a, 0.1, a + b, b});
    rows.y.push_back(2 * a - b + 1);
  }
  const Fit<LinearRegression> f = fit(rows);
  REQUIRE(f.report.notes.size() == 1);
  CHECK(f.report.notes[0].code == "collinear");
  const std::string text = f.report.notes[0].text.plain();
  CHECK(text.find("2 does not change, 4 = - 1 + 3") != text.npos);
  CHECK(f.model.coef()[1] == 0);
  // y = 2 a - b is also 3 a - (a + b), and so on: of all (2 - t, t, -1 - t) the shortest.
  CHECK(f.model.coef()[0] == doctest::Approx(5.0 / 3).epsilon(1e-12));
  CHECK(f.model.coef()[2] == doctest::Approx(1.0 / 3).epsilon(1e-12));
  CHECK(f.model.coef()[3] == doctest::Approx(-4.0 / 3).epsilon(1e-12));
  CHECK(f.report.objective == doctest::Approx(0));
  MemorySource x = rows.source();
  std::vector<double> out(40);
  f.model.predict_numbers(x, out, {});
  for (std::size_t i = 0; i < 40; ++i) CHECK(out[i] == doctest::Approx(rows.y[i]));
}

TEST_CASE("an offset of 1e9 costs no more digits than the means do") {
  Rows rows{{}, {}, 1};
  for (Index i = 0; i < 1000; ++i) {
    rows.x.push_back(1e9 + static_cast<double>(i % 17));
    rows.y.push_back(3 * static_cast<double>(i % 17) + 5);
  }
  const Fit<LinearRegression> f = fit(rows);
  CHECK(f.model.coef()[0] == doctest::Approx(3).epsilon(1e-9));
}

TEST_CASE("columns and targets whose squares overflow or vanish are refused by name") {
  for (const double scale : {1e200, 1e-200}) {
    Rows rows = kPeople;
    for (std::size_t i = 1; i < rows.x.size(); i += 2) rows.x[i] *= scale;
    const Code code = scale > 1 ? Code::kNotFinite : Code::kNoSpread;
    check_refused([&] { fit(rows); }, code, -1, "column '2'");
    rows = kPeople;
    for (double& y : rows.y) y *= scale;
    check_refused([&] { fit(rows); }, code, -1, "column 'y'");
  }
}

TEST_CASE("a table shows the coefficients, in the units of the rows") {
  const LinearRegression model = fit(kPeople).model;
  const Schema schema{.columns = {{"age"}, {"size"}}};
  const std::vector<ResultTable> tables = model.tables(schema);
  REQUIRE(tables.size() == 2);
  CHECK(*tables[0].find("term")->words() == std::vector<std::string>{"(intercept)", "age", "size"});
  const Affine scaled{{10, 20}, {2, 4}};
  const auto before = model.tables_before(schema, scaled);
  REQUIRE(before);
  const std::vector<double>& values = *(*before)[0].find("coefficient")->numbers();
  CHECK(values[1] == model.coef()[0] / 2);
  CHECK(values[0] ==
        doctest::Approx(model.intercept() - 10 * model.coef()[0] / 2 - 20 * model.coef()[1] / 4));
}

TEST_CASE("many more columns than rows are fitted in the space of the rows") {
  Rows rows{std::vector<double>(20'002), {1, 2}, 10'001};
  for (std::size_t j = 0; j < rows.x.size(); ++j) rows.x[j] = static_cast<double>(j % 7);
  const Fit<LinearRegression> f = fit(rows);
  CHECK(f.report.objective > -1e-20);
  REQUIRE(f.report.notes.size() == 1);
  CHECK(f.report.notes[0].code == "more-columns-than-rows");
}

TEST_CASE("errors of rows as they were given are those of scaled rows") {
  const LinearRegression model = fit(kPeople).model;
  const Schema schema{.columns = {{"age"}, {"size"}}};
  Rows scaled = kPeople;  // (x - centre) / scale
  const Affine how{{10, 20}, {2, 4}};
  for (std::size_t i = 0; i < scaled.x.size(); ++i) {
    const Index j = static_cast<Index>(i % 2);
    scaled.x[i] = (scaled.x[i] - how.centre_of(j)) / how.scale_of(j);
  }
  const auto before = fit(scaled).model.tables_before(schema, how);
  REQUIRE(before);
  const std::vector<ResultTable> plain = model.tables(schema);
  for (const char* column : {"coefficient", "error", "t", "p", "from 95%", "to"}) {
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK((*(*before)[0].find(column)->numbers())[j] ==
            doctest::Approx((*plain[0].find(column)->numbers())[j]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a model comes back from its parameters with its errors") {
  const LinearRegression model = fit(kPeople).model;
  const LinearRegression again = LinearRegression::from_parameters(ParameterList::of(model));
  CHECK(parameters_of(again) == parameters_of(model));
  CHECK(again.inference(0.9)->error == model.inference(0.9)->error);
}

TEST_CASE("a model that came without sums over its rows does not learn on") {
  Fit<LinearRegression> bare = fit(kPeople);
  bare.memory = {};
  MemorySource x = kPeople.source();
  CHECK_THROWS_AS(LinearRegression::partial_fit(bare, x, {}, {}), InputError);
  CHECK_THROWS_AS(LinearRegression::merge(fit(kPeople), bare, {}), InputError);
}

}  // namespace
}  // namespace craton::linear_regression_test
