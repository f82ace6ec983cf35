#include "craton/linear/logistic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton::logistic_test {
namespace {

using Options = LogisticRegression::Options;
using Penalty = LogisticRegression::Penalty;

struct Rows {
  Index columns = 1;
  std::vector<double> x, weights = {};
  std::vector<std::int32_t> labels = {};
  Index classes = 2;

  MemorySource source() const {
    Schema schema = numbered_schema(columns);
    schema.target = Column{"kind", ColumnKind::kCategory, {}};
    for (Index c = 0; c < classes; ++c)
      schema.target->levels.push_back(std::string(1, char('a' + c)));
    return MemorySource({.x = Dense<double>{x.data(), std::ssize(x) / columns, columns, columns},
                         .labels = labels,
                         .weights = weights},
                        schema);
  }
  void add(std::initializer_list<double> row, std::int32_t label, double weight = 1) {
    x.insert(x.end(), row);
    labels.push_back(label);
    weights.push_back(weight);
  }
};

Fit<LogisticRegression> fit(const Rows& rows, const Options& options) {
  MemorySource x = rows.source();
  return LogisticRegression::fit(x, options, {});
}

const Options kFree{.penalty = Penalty::kNone, .tol = 0};  // as far as doubles tell

bool told(const FitReport& report, std::string_view code, std::string_view words = {}) {
  return std::ranges::any_of(report.notes, [&](const Note& note) {
    return note.code == code && note.text.plain().find(words) != std::string::npos;
  });
}

std::vector<double> parameter(const LogisticRegression& model, std::string_view name) {
  return parameter_of(model, name)->value.values;
}

// A column of 0 and 1 and a label: counts of the four cells.
Rows table(double a0, double a1, double b0, double b1) {
  Rows rows;
  rows.add({0}, 0, a0);
  rows.add({1}, 0, a1);
  rows.add({0}, 1, b0);
  rows.add({1}, 1, b1);
  return rows;
}

// Two columns of noise and a label that they say something of.
Rows noisy(Index count, Index classes, std::uint64_t seed, double offset = 0) {
  Rows rows{.columns = 2, .x = {}, .classes = classes};
  for (Index i = 0; i < count; ++i) {
    Random random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const double a = std::round(64 * random.normal()) / 64,
                 b = std::round(64 * random.normal()) / 64;
    const double score = a - 0.5 * b + 1.5 * random.normal() + static_cast<double>(classes) / 2;
    const double label = std::clamp(std::floor(score), 0.0, static_cast<double>(classes - 1));
    rows.add({a + offset, b}, static_cast<std::int32_t>(label));
  }
  return rows;
}

}  // namespace

// Closed forms: the odds ratio of a table of four cells, and Woolf's error of its logarithm.
TEST_CASE("of one column of 0 and 1 the coefficient is the log odds ratio, with Woolf's error") {
  const auto found = fit(table(12, 5, 7, 21), kFree);
  CHECK(found.report.converged);
  const double slope = std::log(12.0 * 21 / (5.0 * 7));
  CHECK(parameter(found.model, "odds_coef")[0] == doctest::Approx(slope).epsilon(1e-13));
  CHECK(found.model.linear_form().intercept.values[1] * 2 ==
        doctest::Approx(std::log(7.0 / 12)).epsilon(1e-12));
  const std::vector<ResultTable> tables = found.model.tables(table(1, 1, 1, 1).source().schema());
  const double error = std::sqrt(1 / 12.0 + 1 / 5.0 + 1 / 7.0 + 1 / 21.0);
  CHECK(tables[0].find("error")->numbers()->at(1) == doctest::Approx(error).epsilon(1e-12));
  CHECK(tables[0].find("error")->numbers()->at(0) ==
        doctest::Approx(std::sqrt(1 / 12.0 + 1 / 7.0)).epsilon(1e-12));
  // Pearson's chi-square of the table is the score test.
  const double pearson = 45 * std::pow(12.0 * 21 - 5.0 * 7, 2) / (17.0 * 28 * 19 * 26);
  const ResultTable& tests = tables[1];
  for (Index i = 0; i < tests.rows(); ++i) {
    if (tests.columns[0].words()->at(usize(i)) != "score (Rao)") continue;
    CHECK(tests.columns[1].numbers()->at(usize(i)) == doctest::Approx(pearson).epsilon(1e-12));
  }
}

TEST_CASE("of one column of 0 and 1 the robust error is the model's, as the fit is exact") {
  Options robust = kFree;
  robust.errors = LogisticRegression::Errors::kRobust;
  const auto plain = fit(table(12, 5, 7, 21), kFree), other = fit(table(12, 5, 7, 21), robust);
  CHECK(parameter(other.model, "covariance")[0] ==
        doctest::Approx(parameter(plain.model, "covariance")[0]).epsilon(1e-12));
}

// With as many parameters as cells, Firth's estimate is that of half a row more in each cell.
TEST_CASE("Firth's estimate of a table adds half a row to each cell, empty or not") {
  for (const double empty : {5.0, 0.0}) {
    const auto found = fit(table(12, empty, 7, 21), {.penalty = Penalty::kFirth});
    CHECK(found.report.converged);
    CHECK(parameter(found.model, "odds_coef")[0] ==
          doctest::Approx(std::log(12.5 * 21.5 / ((empty + 0.5) * 7.5))).epsilon(1e-9));
  }
}

TEST_CASE("of three classes and one column of 0 and 1 the contrasts are log odds ratios") {
  Rows rows{.columns = 1, .x = {}, .classes = 3};
  const double counts[3][2] = {{12, 5}, {7, 21}, {4, 9}};
  for (std::int32_t c = 0; c < 3; ++c) {
    for (const int v : {0, 1}) rows.add({static_cast<double>(v)}, c, counts[c][v]);
  }
  const auto found = fit(rows, kFree);
  const std::vector<double> coef = parameter(found.model, "odds_coef");
  CHECK(coef[0] == doctest::Approx(std::log(12.0 * 21 / (5.0 * 7))).epsilon(1e-12));
  CHECK(coef[1] == doctest::Approx(std::log(12.0 * 9 / (5.0 * 4))).epsilon(1e-12));
  const LinearForm form = found.model.linear_form();
  CHECK(std::abs(form.coef.values[0] + form.coef.values[1] + form.coef.values[2]) < 1e-14);
}

TEST_CASE("a class without rows is impossible, and the others are as without it") {
  Rows rows = noisy(300, 3, 3), without = rows;
  rows.classes = 4;
  for (std::int32_t& label : rows.labels) label += label > 0 ? 1 : 0;  // 1 is never seen
  const auto found = fit(rows, {}), plain = fit(without, {});
  CHECK(parameter(found.model, "odds_coef") == parameter(plain.model, "odds_coef"));
  MemorySource x = rows.source();
  std::vector<double> log_p(300 * 4);
  found.model.predict_log_proba(x, log_p, {});
  CHECK(log_p[1] == -INFINITY);
  CHECK(std::exp(log_p[0]) + std::exp(log_p[2]) + std::exp(log_p[3]) == doctest::Approx(1));
}

TEST_CASE("an offset of 1e9 changes no coefficient") {
  for (const Index classes : {2, 4}) {
    const auto near = fit(noisy(400, classes, 4), kFree),
               far = fit(noisy(400, classes, 4, 1e9), kFree);
    const std::vector<double> a = parameter(near.model, "odds_coef"),
                              b = parameter(far.model, "odds_coef");
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-9));
  }
}

TEST_CASE(
    "classes that a line parts are told to be separated, by column, and Firth's fit is finite") {
  Rows rows{.columns = 2, .x = {}};
  for (int i = 0; i < 40; ++i) {
    const double v = static_cast<double>(i % 20) / 10;
    rows.add({i < 20 ? v : v + 2.5, static_cast<double>(i * 7 % 11)}, i < 20 ? 0 : 1);
  }
  const auto found = fit(rows, kFree);
  CHECK_FALSE(found.report.converged);
  CHECK(told(found.report, "separated", "the classes are separated: "));
  CHECK(told(found.report, "separated", "'1'"));
  for (const double v : parameter(found.model, "odds_coef")) CHECK(std::isfinite(v));
  CHECK(fit(rows, {.penalty = Penalty::kFirth}).report.converged);
  CHECK(fit(rows, {}).report.converged);  // nor does a prior know separation
}

TEST_CASE("a column that is 1 in one class only separates in part") {
  Rows rows = noisy(200, 2, 5);
  rows.columns = 3;
  std::vector<double> x;
  for (std::size_t i = 0; i < 200; ++i) {
    x.insert(x.end(),
             {rows.x[2 * i], rows.x[2 * i + 1], rows.labels[i] == 1 && i % 3 == 0 ? 1.0 : 0.0});
  }
  rows.x = x;
  const auto found = fit(rows, kFree);
  CHECK(told(found.report, "separated", "in part"));
  CHECK(told(found.report, "separated", "of '3' never"));
}

TEST_CASE("columns that others give are named and left out") {
  Rows rows = noisy(200, 3, 6);
  rows.columns = 4;
  std::vector<double> x;
  for (std::size_t i = 0; i < 200; ++i) {
    const double a = rows.x[2 * i], b = rows.x[2 * i + 1];
    x.insert(x.end(), {a, b, 7.0, 3 * a - 2 * b + 1});
  }
  const Rows plain = rows;
  Rows all = rows;
  all.x = x;
  Rows two = plain;
  two.columns = 2;
  const auto found = fit(all, kFree), fewer = fit(two, kFree);
  CHECK(told(found.report, "constant-column", "'3' is the same"));
  CHECK(told(found.report, "collinear", "'4' is a sum of multiples of '1', '2'"));
  CHECK(parameter(found.model, "used") == std::vector<double>{1, 1, 0, 0});
  CHECK(found.model.free_parameters({}) == fewer.model.free_parameters({}));
  CHECK(found.report.objective == doctest::Approx(fewer.report.objective).epsilon(1e-13));
}

TEST_CASE("more columns than rows without a penalty are separated, and said to depend") {
  Rows rows{.columns = 12, .x = {}};
  for (int i = 0; i < 8; ++i) {
    Random random(7, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    for (int j = 0; j < 12; ++j) rows.x.push_back(random.normal());
    rows.labels.push_back(i % 2);
  }
  const auto found = fit(rows, kFree);
  CHECK(told(found.report, "collinear"));
  CHECK(told(found.report, "separated"));
}

TEST_CASE("what cannot be learned from is refused") {
  Rows one = noisy(50, 2, 8);
  std::ranges::fill(one.labels, 1);
  check_refused([&] { fit(one, {}); }, Code::kTooFewRows, -1, "all rows are of one class, 'b'");
  Rows nothing = noisy(50, 2, 8);
  std::ranges::fill(nothing.weights, 0.0);
  check_refused([&] { fit(nothing, {}); }, Code::kBadWeight, -1, "weight");
  const Rows rows = noisy(50, 2, 8);
  check_refused(
      [&] {
        fit(rows, {.feature_alpha = {{3}, {1, 1, 1}}});
      },
      Code::kBadOption, -1, "3 values for 2 columns");
  check_refused([&] { fit(rows, {.feature_alpha = {{2}, {1, -1}}}); }, Code::kBadOption, -1, "-1");
}

TEST_CASE("one alpha for each column is one for all where they are the same") {
  const Rows rows = noisy(300, 3, 9);
  const auto one = fit(rows, {.alpha = 2.5}),
             each = fit(rows, {.feature_alpha = {{2}, {2.5, 2.5}}});
  CHECK(parameter(one.model, "odds_coef") == parameter(each.model, "odds_coef"));
  const auto strong = fit(rows, {.feature_alpha = {{2}, {1e12, 0}}});
  CHECK(std::abs(parameter(strong.model, "odds_coef")[0]) < 1e-9);
  CHECK(std::abs(parameter(strong.model, "odds_coef")[1]) > 0.05);
}

TEST_CASE("a fit from a fit of other rows is that of the rows") {
  const Rows rows = noisy(300, 3, 10), others = noisy(300, 3, 11, 5);
  MemorySource x = rows.source();
  const auto again = LogisticRegression::fit_from(fit(others, {}).model, x, {}, {});
  const auto fresh = fit(rows, {});
  const std::vector<double> a = parameter(again.model, "odds_coef"),
                            b = parameter(fresh.model, "odds_coef");
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-11));
}

}  // namespace craton::logistic_test
