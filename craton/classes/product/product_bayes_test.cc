#include "craton/classes/product/product_bayes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton::product_bayes_test {
namespace {

// Colour, height, petals; two kinds.
const Schema kSchema{{{"colour", ColumnKind::kCategory, {"blue", "red", "white"}},
                      {"height", ColumnKind::kNumber, {}},
                      {"petals", ColumnKind::kNumber, {}}},
                     Column{"kind", ColumnKind::kCategory, {"a", "b"}}};

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights = {};

  MemorySource source() const {
    const Dense<double> view{x.data(), ssize(labels), 3, 3};
    return MemorySource({.x = view, .labels = labels, .weights = weights}, kSchema, "f.csv");
  }
};

const Rows kRows{{0, 1.0, 4, 0, 3.0, 5, 1, 2.0, 6, 1, 7.0, 1, 1, 9.0, 0, 1, NAN, 2},
                 {0, 0, 0, 1, 1, 1}};

NaiveBayes::Options with(const std::string& family, double alpha = 1, double prior_rows = 0) {
  NaiveBayes::Options options;
  options.choice.family = family;
  options.choice.smoothing = {alpha, prior_rows, 1e-9};
  return options;
}

Fit<NaiveBayes> fit(const Rows& rows, const NaiveBayes::Options& options) {
  MemorySource x = rows.source();
  return NaiveBayes::fit(x, options, {});
}

std::vector<double> log_proba(const NaiveBayes& model, const Rows& rows) {
  MemorySource x = rows.source();
  std::vector<double> out(rows.labels.size() * 2);
  model.predict_log_proba(x, out, {});
  return out;
}

TEST_CASE("mixed columns by hand: shares, a Gaussian, a Poisson; what is missing says nothing") {
  const NaiveBayes model = fit(kRows, with("height=gaussian, petals=poisson")).model;
  const auto near = [](double a, double b) { CHECK(a == doctest::Approx(b).epsilon(1e-14)); };
  near(model.of(0, 0)[0], 3. / 6);  // (2 + 1) / (3 + 3)
  near(model.of(0, 1)[2], 1. / 6);
  near(model.of(1, 0)[0], 2);
  near(model.of(1, 0)[1], 2. / 3);
  near(model.of(1, 1)[0], 8);  // of the two heights that are there
  near(model.of(2, 0)[0], 5);
  near(model.of(2, 1)[0], 1);
  const Rows one{{2, NAN, 3}, {0}};
  const auto poisson = [](double rate) { return std::pow(rate, 3) * std::exp(-rate) / 6; };
  const double a = 0.5 / 6 * poisson(5), b = 0.5 / 6 * poisson(1);
  near(std::exp(log_proba(model, one)[0]), a / (a + b));
  // A code that was never a level says nothing, like a missing one.
  CHECK(log_proba(model, {{7, NAN, 3}, {0}}) == log_proba(model, {{NAN, NAN, 3}, {0}}));
}

TEST_CASE("alpha = 0 is the share itself, and a row impossible under every class gets the prior") {
  const NaiveBayes model = fit(kRows, with("height=gaussian,petals=poisson", 0)).model;
  CHECK(model.of(0, 0) == Parameters{2. / 3, 1. / 3, 0});
  CHECK(model.of(0, 1) == Parameters{0, 1, 0});
  const std::vector<double> out = log_proba(model, {{2, 2, 3}, {0}});
  CHECK(std::exp(out[0]) == doctest::Approx(0.5));
}

TEST_CASE("rows like the whole column pull a class towards it") {
  const auto mean = [](double rows) {
    return fit(kRows, with("gaussian", 1, rows)).model.of(1, 1)[0];
  };
  CHECK(mean(0) == doctest::Approx(8));
  // 4.4 is the mean of all five, 47.2 their summed squares, and 2 those of either class.
  const double share = ((2 + 2) / 3.0) / (47.2 / 4);
  CHECK(mean(2) == doctest::Approx((16 + 2 * share * 4.4) / (2 + 2 * share)));
}

TEST_CASE("rows like the whole column do not widen classes that lie far apart") {
  for (const double apart : {0.0, 5.0, 20.0, 1000.0}) {
    CAPTURE(apart);
    Rows rows;
    Random random(3, Purpose::kTest);
    for (Index i = 0; i < 600; ++i) {
      const auto group = static_cast<std::int32_t>(i % 2);
      rows.x.insert(rows.x.end(), {0, apart * group + random.normal(), random.normal()});
      rows.labels.push_back(group);
    }
    const NaiveBayes smoothed = fit(rows, with("gaussian", 1, 1)).model;
    const NaiveBayes plain = fit(rows, with("gaussian", 1, 0)).model;
    for (Index c = 0; c < 2; ++c) {
      CHECK(std::abs(smoothed.of(1, c)[1] / plain.of(1, c)[1] - 1) < 0.02);
    }
  }
}

TEST_CASE("a class with one row, with none, and a column without values") {
  Rows rows;
  for (const char* family :
       {"auto", "gaussian", "poisson", "mdl", "equal-width", "beta", "gamma"}) {
    CAPTURE(family);
    const double unit = std::string_view(family) == "beta" ? 0.125 : 1;
    rows = {{0, unit, NAN, 0, 3 * unit, NAN, 1, 2 * unit, NAN}, {0, 0, 1}};
    for (const double prior_rows : {0.0, 1.0}) {
      for (const double v : log_proba(fit(rows, with(family, 1, prior_rows)).model, rows)) {
        CHECK(std::isfinite(v));
      }
    }
  }
  rows.labels = {0, 0, 0};
  const Fit<NaiveBayes> none = fit(rows, with("gaussian"));
  CHECK(none.report.notes.at(0).code == "empty-class");
  CHECK(log_proba(none.model, rows)[1] == -INFINITY);
}

TEST_CASE("buckets are a density: they sum to one over their widths") {
  Rows rows;
  for (int i = 0; i < 200; ++i) {
    rows.x.insert(rows.x.end(), {static_cast<double>(i % 3), i * 0.25, 1});
    rows.labels.push_back(i < 90 ? 0 : 1);
  }
  for (const char* family : {"mdl", "equal-width", "equal-frequency"}) {
    CAPTURE(family);
    const NaiveBayes model = fit(rows, with(family)).model;
    const Feature& feature = model.features()[1];
    REQUIRE(feature.buckets);
    double sum = 0;
    for (Index b = 0; b < feature.levels; ++b) sum += model.of(1, 0)[usize(b)];
    CHECK(sum == doctest::Approx(1));
    CHECK(feature.ends(0).first == 0);
    CHECK(feature.ends(feature.levels - 1).second == 199 * 0.25);
    MemorySource x = rows.source();
    std::vector<double> log_density(200);
    model.score_samples(x, log_density, {});
    const double third = 1. / 3;  // of the colours; petals are one bucket
    double p = 0;
    for (Index c = 0; c < 2; ++c) {
      const double prior = c == 0 ? 0.45 : 0.55;
      p += prior * model.of(0, c)[0] * model.of(1, c)[0] / std::exp(feature.log_width(0));
    }
    CHECK(std::exp(log_density[0]) == doctest::Approx(p));
    CHECK(p > third * 1e-6);
  }
  CHECK(fit(rows, with("mdl")).model.features()[1].cuts == std::vector{89.5 * 0.25});
}

TEST_CASE("families by their fit, and buckets where they tell the label better") {
  Rows rows;
  for (int i = 0; i < 400; ++i) {
    Random random(1, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const int c = i % 2;
    const double spiky = c == 0 ? random.uniform() : (i % 4 == 1 ? -1 : 2) + random.uniform();
    rows.x.insert(rows.x.end(), {0, spiky, c == 0 ? 0.0 : static_cast<double>(random.below(2))});
    rows.labels.push_back(c);
  }
  const NaiveBayes model = fit(rows, with("auto")).model;
  CHECK(model.features()[1].name() == "3 buckets");  // no family has two tops
  CHECK(model.features()[2].name() == "bernoulli");
}

TEST_CASE("samples have the shares and the buckets of the model") {
  const NaiveBayes model = fit(kRows, with("height=equal-width,petals=poisson")).model;
  const Sample sample = model.sample(20'000, 3);
  double a = 0, petals = 0;
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    const double* row = sample.x.view().row(static_cast<Index>(i));
    CHECK((row[1] >= 1 && row[1] <= 9));
    a += sample.labels[i] == 0 ? 1 : 0;
    petals += sample.labels[i] == 0 ? row[2] : 0;
  }
  CHECK(std::abs(a / 20'000 - 0.5) < 4 * std::sqrt(0.25 / 20'000));
  CHECK(std::abs(petals / a - 5) < 4 * std::sqrt(5 / a));
}

TEST_CASE("what cannot be") {
  const auto refused = [](const std::string& family, Code code, const std::string& part,
                          Rows rows = kRows) {
    check_refused([&] { fit(rows, with(family)); }, code, -1, part);
  };
  refused("gausian", Code::kBadOption, "did you mean 'gaussian'?");
  refused("hight=gamma", Code::kUnknownName, "did you mean 'height'?");
  refused("colour=gamma", Code::kBadOption, "has categories");
  refused("", Code::kBadOption, "'' is not allowed");
  refused("binomial", Code::kBadOption, "not allowed");
  Rows wrong = kRows;
  wrong.x[7] = -2;
  refused("height=gamma", Code::kOutsideSupport, "the value -2 is outside the support", wrong);
  refused("height=categorical", Code::kOutsideSupport, "row 2", wrong);
  wrong.x[7] = INFINITY;
  for (const char* family : {"auto", "mdl", "gaussian"}) {
    refused(family, Code::kNotFinite, "infinite", wrong);
  }
  wrong.x[7] = 1.5;
  MemorySource x = wrong.source();
  check_refused([&] { CategoricalNB::fit(x, {}, {}); }, Code::kOutsideSupport, -1, "the value 1.5");
}

TEST_CASE("codes that come later make room, and models of other families do not merge") {
  CategoricalNB::Options options;
  const Rows first{{0, 1, 1, 1, 0, 0}, {0, 1}}, second{{2, 5, 0, 1, 1, 3}, {0, 1}};
  Rows both = first;
  both.x.insert(both.x.end(), second.x.begin(), second.x.end());
  both.labels = {0, 1, 0, 1};
  MemorySource x = first.source(), y = second.source(), z = both.source();
  const auto a = CategoricalNB::fit(x, options, {}), b = CategoricalNB::fit(y, options, {});
  const auto whole = CategoricalNB::fit(z, options, {});
  CHECK(parameters_of(CategoricalNB::partial_fit(a, y, options, {}).model) ==
        parameters_of(whole.model));
  CHECK(parameters_of(CategoricalNB::merge(a, b, options).model) == parameters_of(whole.model));
  const auto gamma = fit(kRows, with("height=gamma")), normal = fit(kRows, with("height=gaussian"));
  check_refused([&] { NaiveBayes::merge(gamma, normal, with("auto")); }, Code::kWrongColumns, -1,
                "column 2 is gamma in one model and gaussian in the other");
}

}  // namespace
}  // namespace craton::product_bayes_test
