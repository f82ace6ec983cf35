#include "craton/classes/discriminant/gaussian_bayes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/refused.h"

namespace craton::gaussian_bayes_test {
namespace {

const Schema kSchema{{{"height"}, {"weight"}},
                     Column{"sex", ColumnKind::kCategory, {"f", "m", "x"}}};

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights = {};

  MemorySource source() const {
    const Index n = ssize(labels);
    return MemorySource(
        {.x = Dense<double>{x.data(), n, 2, 2}, .labels = labels, .weights = weights}, kSchema,
        "t.csv");
  }
};

// Two classes of three rows; the third has none.
const Rows kRows{{160, 55, 164, 60, 168, 59, 175, 70, 181, 82, 178, 76}, {0, 0, 0, 1, 1, 1}};

Fit<GaussianNB> fit(const Rows& rows, const GaussianNB::Options& options = {}) {
  MemorySource x = rows.source();
  return GaussianNB::fit(x, options, {});
}

std::vector<double> log_proba(const GaussianNB& model, const Rows& rows) {
  MemorySource x = rows.source();
  std::vector<double> out(rows.labels.size() * usize(model.classes()));
  model.predict_log_proba(x, out, {});
  return out;
}

GaussianNB::Options shared() {
  GaussianNB::Options options;
  options.variance = GaussianNB::Variance::kShared;
  return options;
}

TEST_CASE("means, variances and the posterior, by hand") {
  GaussianNB::Options options;
  options.var_smoothing = 0;
  const GaussianNB model = fit(kRows, options).model;
  CHECK(model.theta().values[0] == 164);
  CHECK(model.variances().values[0] == doctest::Approx(32. / 3).epsilon(1e-15));
  CHECK(model.theta().values[3] == 76);
  CHECK(model.variances().values[3] == 24);
  const auto log_normal = [&](std::size_t at, double x) {
    const double v = model.variances().values[at], y = x - model.theta().values[at];
    return -0.5 * (std::log(2 * M_PI * v) + y * y / v);
  };
  const Rows one{{170, 65}, {0}};
  const double f = log_normal(0, 170) + log_normal(1, 65),
               m = log_normal(2, 170) + log_normal(3, 65);
  CHECK(std::exp(log_proba(model, one)[0]) ==
        doctest::Approx(1 / (1 + std::exp(m - f))).epsilon(1e-13));
  CHECK(log_proba(model, one)[2] == -INFINITY);  // no rows, no probability
}

TEST_CASE("a class without rows is as the rows are as a whole") {
  GaussianNB::Options options;
  options.prior.fit_prior = false;
  const Fit<GaussianNB> result = fit(kRows, options);
  CHECK(result.model.theta().values[4] == 171);
  CHECK(result.report.notes[0].text == "the class 'x' has no rows");
  for (const double p : log_proba(result.model, kRows)) CHECK(std::isfinite(p));
}

TEST_CASE("the objective is the mean log p(row, label) that score finds") {
  for (const GaussianNB::Options& options : {GaussianNB::Options{}, shared()}) {
    Rows rows = kRows;
    rows.weights = {1, 2, 0, 0.5, 1, 3};
    const Fit<GaussianNB> result = fit(rows, options);
    MemorySource x = rows.source();
    CHECK(result.model.measures(x, {})[1].value ==
          doctest::Approx(result.report.objective).epsilon(1e-13));
  }
}

TEST_CASE("softmax of the linear form of shared variances is the posterior") {
  GaussianNB::Options given;
  given.variance = GaussianNB::Variance::kGiven;
  given.given_variance = {{2}, {9, 16}};
  for (const GaussianNB::Options& options : {shared(), given}) {
    const GaussianNB model = fit(kRows, options).model;
    const LinearForm form = model.linear_form();
    const std::vector<double> out = log_proba(model, kRows);
    for (std::size_t i = 0; i < 6; ++i) {
      double score[2];
      for (std::size_t c = 0; c < 2; ++c) {
        score[c] = form.intercept.values[c] + form.coef.values[2 * c] * kRows.x[2 * i] +
                   form.coef.values[2 * c + 1] * kRows.x[2 * i + 1];
      }
      CHECK(out[3 * i] ==
            doctest::Approx(-std::log1p(std::exp(score[1] - score[0]))).epsilon(1e-9));
    }
  }
  check_refused([&] { fit(kRows).model.linear_form(); }, Code::kNotAble, -1, "no linear form");
}

TEST_CASE("an offset of 1e8 changes no variance and no probability") {
  Rows far = kRows;
  for (double& v : far.x) v += 1e8;
  const GaussianNB near_0 = fit(kRows).model, near_1e8 = fit(far).model;
  CHECK(near_0.variances() == near_1e8.variances());
  const std::vector<double> a = log_proba(near_0, kRows), b = log_proba(near_1e8, far);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i])) CHECK(std::abs(a[i] - b[i]) < 1e-6);  // means are rounded to 1e-8
  }
}

TEST_CASE("rows that are all alike get the smallest variance, which is said") {
  Rows rows = kRows;
  rows.labels = {0, 0, 0, 1, 1, 2};
  rows.x[6] = rows.x[8];
  const Fit<GaussianNB> result = fit(rows);
  REQUIRE(result.report.notes.size() == 2);
  CHECK(result.report.notes[0].code == "one-row-class");
  CHECK(result.report.notes[0].text.plain().find("class 'x'") != std::string::npos);
  CHECK(result.report.notes[1].text.plain().find("column 'height' in class 'm'") !=
        std::string::npos);
  GaussianNB::Options options;
  options.var_smoothing = 0;
  check_refused([&] { fit(rows, options); }, Code::kNoSpread, -1, "class 'm'");
}

TEST_CASE("values and options that make no sense are refused by name") {
  Rows wide = kRows;
  wide.x[3] = 1e200;
  check_refused([&] { fit(wide); }, Code::kNotFinite, -1, "column 'weight'");
  GaussianNB::Options options;
  options.given_variance = {{2}, {1, 1}};
  check_refused([&] { fit(kRows, options); }, Code::kBadOption, -1, "variance is not 'given'");
  options.variance = GaussianNB::Variance::kGiven;
  options.given_variance.values[1] = 0;
  check_refused([&] { fit(kRows, options); }, Code::kBadOption, -1, "has the value 0");
}

TEST_CASE("all that was learned can be unlearned, and no more") {
  const Fit<GaussianNB> whole = fit(kRows);
  Rows some{{160, 55, 181, 82}, {0, 1}};
  MemorySource x = some.source();
  const Fit<GaussianNB> less = GaussianNB::unlearn(whole, x, {}, {});
  const Rows rest{{164, 60, 168, 59, 175, 70, 178, 76}, {0, 0, 1, 1}};
  CHECK(parameters_of(less.model) == parameters_of(fit(rest).model));
  CHECK(less.report.data_hash == fit(rest).report.data_hash);
  check_refused([&] { GaussianNB::unlearn(less, x, {}, {}); }, Code::kBadTarget, -1,
                "has not seen all of these rows");
}

}  // namespace
}  // namespace craton::gaussian_bayes_test
