#include "craton/classes/count_bayes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/kernels/linear_scores.h"
#include "tests/refused.h"

namespace craton {
namespace {

const Schema kSchema{{{"cat"}, {"dog"}, {"fish"}},
                     Column{"kind", ColumnKind::kCategory, {"pet", "zoo"}}};

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights = {};

  MemorySource source() const {
    const Index n = ssize(labels);
    return MemorySource(
        {.x = Dense<double>{x.data(), n, 3, 3}, .labels = labels, .weights = weights}, kSchema,
        "t.csv");
  }
};

const Rows kRows{{2, 1, 0, 1, 1, 0, 0, 1, 3, 0, 0, 2}, {0, 0, 1, 1}};

template <class M>
Fit<M> fit(const Rows& rows, const typename M::Options& options = {}) {
  MemorySource x = rows.source();
  return M::fit(x, options, {});
}

template <class M>
std::vector<double> log_proba(const M& model, const Rows& rows) {
  MemorySource x = rows.source();
  std::vector<double> out(rows.labels.size() * 2);
  model.predict_log_proba(x, out, {});
  return out;
}

template <class Options>
Options with_alpha(double alpha) {
  Options options;
  options.smoothing.alpha = alpha;
  return options;
}

TEST_CASE("multinomial probabilities are shares of the counts, by hand") {
  const MultinomialNB model = fit<MultinomialNB>(kRows).model;  // alpha = 1
  const std::vector<double> p{4. / 8, 3. / 8, 1. / 8, 1. / 9, 2. / 9, 6. / 9};
  for (std::size_t i = 0; i < p.size(); ++i) {
    CHECK(std::exp(model.feature_log_prob().values[i]) == doctest::Approx(p[i]).epsilon(1e-14));
  }
  const std::vector<double> out = log_proba(model, kRows);
  const double a = 0.5 * 0.25 * 0.375, b = 0.5 * std::pow(1. / 9, 2) * (2. / 9);
  CHECK(std::exp(out[0]) == doctest::Approx(a / (a + b)).epsilon(1e-13));
}

TEST_CASE("alpha 0 is the exact share: what was never seen is impossible") {
  const MultinomialNB model =
      fit<MultinomialNB>(kRows, with_alpha<MultinomialNB::Options>(0)).model;
  CHECK(model.feature_log_prob().values[2] == -INFINITY);  // no fish among pets
  // A row with fish is of the zoo; one with a cat is a pet; one with both is impossible, and gets
  // the prior; one with neither says nothing.
  const Rows rows{{0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0}, {0, 0, 0, 0}};
  const std::vector<double> out = log_proba(model, rows);
  CHECK(out[0] == -INFINITY);
  CHECK(out[1] == 0);
  CHECK(out[2] == 0);
  CHECK(out[3] == -INFINITY);
  for (std::size_t i = 4; i < 8; ++i) CHECK(out[i] == doctest::Approx(std::log(0.5)));
}

TEST_CASE("Bernoulli with alpha 0 knows what must be there") {
  const BernoulliNB model = fit<BernoulliNB>(kRows, with_alpha<BernoulliNB::Options>(0)).model;
  // Pets have cat and dog always and never fish; the zoo has fish always, a dog half the time.
  const Rows rows{{1, 1, 0, 0, 1, 1, 0, 0, 0, 5, 0, 7}, {0, 0, 0, 0}};
  const std::vector<double> out = log_proba(model, rows);
  CHECK(out[0] == 0);
  CHECK(out[3] == 0);
  CHECK(out[4] == doctest::Approx(std::log(0.5)));  // impossible under both
  CHECK(out[6] == doctest::Approx(std::log(0.5)));
}

TEST_CASE("an m-estimate equals m more rows: alpha_j = m p_j") {
  MultinomialNB::Options options;
  options.smoothing.feature_alpha = {{3}, {3 * 0.5, 3 * 0.25, 3 * 0.25}};
  const MultinomialNB model = fit<MultinomialNB>(kRows, options).model;
  // Of each class three more words: as rows that do not change the prior.
  Rows more = kRows;
  for (const std::int32_t label : {0, 1}) {
    more.x.insert(more.x.end(), {1.5, 0.75, 0.75});
    more.labels.push_back(label);
  }
  const MultinomialNB counted =
      fit<MultinomialNB>(more, with_alpha<MultinomialNB::Options>(0)).model;
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(model.feature_log_prob().values[i] ==
          doctest::Approx(counted.feature_log_prob().values[i]).epsilon(1e-15));
  }
}

TEST_CASE("m and prior_p are m more words of each class, or m more rows") {
  const std::vector<double> p{0.5, 0.125, 0.375};
  MultinomialNB::Options words;
  words.smoothing.m = 8;
  words.smoothing.prior_p = {{3}, p};
  Rows more = kRows;
  for (const std::int32_t label : {0, 1}) {
    more.x.insert(more.x.end(), p.begin(), p.end());
    more.labels.push_back(label);
  }
  more.weights = {1, 1, 1, 1, 8, 8};
  const auto same = [](const Array& a, const Array& b) {
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      CHECK(a.values[i] == doctest::Approx(b.values[i]).epsilon(1e-14));
    }
  };
  same(fit<MultinomialNB>(kRows, words).model.feature_log_prob(),
       fit<MultinomialNB>(more, with_alpha<MultinomialNB::Options>(0)).model.feature_log_prob());

  // Rows that have a feature or not: 8 p_j of them have feature j.
  BernoulliNB::Options rows;
  rows.smoothing = words.smoothing;
  more = kRows;
  for (const std::int32_t label : {0, 1}) {
    for (double i = 0; i < 8; ++i) {
      for (const double share : p) more.x.push_back(i < 8 * share ? 1 : 0);
      more.labels.push_back(label);
    }
  }
  more.weights = {};
  same(fit<BernoulliNB>(kRows, rows).model.feature_log_prob(),
       fit<BernoulliNB>(more, with_alpha<BernoulliNB::Options>(0)).model.feature_log_prob());
}

TEST_CASE("an m-estimate is Laplace's rule where half of it is not given") {
  const Array uniform{{3}, {1. / 3, 1. / 3, 1. / 3}}, half{{3}, {0.5, 0.5, 0.5}};
  const auto same = []<class M>(const M& laplace, double m, const Array& p) {
    for (const bool with_p : {true, false}) {
      typename M::Options options;
      options.smoothing.m = with_p ? 0 : m;
      if (with_p) options.smoothing.prior_p = p;
      const M other = fit<M>(kRows, options).model;
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK(other.feature_log_prob().values[i] ==
              doctest::Approx(laplace.feature_log_prob().values[i]).epsilon(1e-15));
      }
    }
  };
  same(fit<MultinomialNB>(kRows).model, 3, uniform);
  same(fit<BernoulliNB>(kRows).model, 2, half);
  same(fit<ComplementNB>(kRows).model, 3, uniform);
}

TEST_CASE("m-estimates that make no sense are refused") {
  MultinomialNB::Options options;
  options.smoothing.prior_p = {{3}, {0.5, 0.5, 0.5}};
  check_refused([&] { fit<MultinomialNB>(kRows, options); }, Code::kBadOption, -1, "sums to 1.5");
  options.smoothing.prior_p = {{2}, {0.5, 0.5}};
  check_refused([&] { fit<MultinomialNB>(kRows, options); }, Code::kBadShape, -1,
                "prior_p has 2 values for 3 features");
  options.smoothing.prior_p = {{3}, {0.5, -0.5, 1}};
  check_refused([&] { fit<MultinomialNB>(kRows, options); }, Code::kBadOption, -1,
                "prior_p has the value -0.5");
  options.smoothing = {};
  options.smoothing.m = 2;
  options.smoothing.feature_alpha = {{3}, {1, 1, 1}};
  check_refused([&] { fit<MultinomialNB>(kRows, options); }, Code::kBadOption, -1, "both given");
  BernoulliNB::Options rows;
  rows.smoothing.prior_p = {{3}, {0.5, 1.5, 0}};
  check_refused([&] { fit<BernoulliNB>(kRows, rows); }, Code::kBadOption, -1,
                "prior_p has the value 1.5");
}

TEST_CASE("softmax of the linear form is the posterior") {
  for (const double alpha : {0.1, 1.0}) {
    const auto check = [&](const auto& model, bool binary) {
      const std::vector<double> out = log_proba(model, kRows);
      for (std::size_t i = 0; i < 4; ++i) {
        double score[2];
        for (std::size_t c = 0; c < 2; ++c) {
          score[c] = model.intercepts()[c];
          for (std::size_t j = 0; j < 3; ++j) {
            const double v = kRows.x[i * 3 + j];
            score[c] += model.weights()[j * usize(padded_classes(2)) + c] *
                        (binary ? static_cast<double>(v > 0) : v);
          }
        }
        const double p = 1 / (1 + std::exp(score[1] - score[0]));
        CHECK(std::exp(out[2 * i]) == doctest::Approx(p).epsilon(1e-13));
      }
    };
    check(fit<MultinomialNB>(kRows, with_alpha<MultinomialNB::Options>(alpha)).model, false);
    check(fit<BernoulliNB>(kRows, with_alpha<BernoulliNB::Options>(alpha)).model, true);
  }
}

// 5 standard errors.
bool near(double share, double p, double count) {
  return std::abs(share - p) <= 5 * std::sqrt(p * (1 - p) / count);
}

TEST_CASE("drawn rows have the shares of the model, and the lengths of its rows") {
  constexpr Index kDrawn = 20'000;
  MultinomialNB::Options options;
  options.prior.class_prior = {{2}, {0.25, 0.75}};
  const MultinomialNB model = fit<MultinomialNB>(kRows, options).model;
  const Sample drawn = model.sample(kDrawn, 7);
  CHECK(drawn.labels == model.sample(kDrawn, 7).labels);
  CHECK(drawn.labels != model.sample(kDrawn, 8).labels);
  double rows[2] = {}, words[2] = {}, of[2][3] = {};
  for (Index i = 0; i < kDrawn; ++i) {
    const std::size_t c = usize(drawn.labels[usize(i)]);
    rows[c] += 1;
    for (std::size_t j = 0; j < 3; ++j) {
      words[c] += drawn.x.view().row(i)[j];
      of[c][j] += drawn.x.view().row(i)[j];
    }
  }
  CHECK(near(rows[0] / kDrawn, 0.25, kDrawn));
  const double lengths[2] = {2.5, 3};  // of kRows: (3 + 2) / 2 and (4 + 2) / 2
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(std::abs(words[c] / rows[c] - lengths[c]) < 5 * std::sqrt(lengths[c] / rows[c]));
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(near(of[c][j] / words[c], std::exp(model.feature_log_prob().values[c * 3 + j]),
                 words[c]));
    }
  }
}

TEST_CASE("drawn features are there as often as in the model, on the right side of binarize") {
  for (const double binarize : {0.0, 3.0, -2.0}) {
    BernoulliNB::Options options;
    options.binarize = binarize;
    const BernoulliNB model = fit<BernoulliNB>(kRows, options).model;
    const Sample drawn = model.sample(20'000, 3);
    double rows[2] = {}, of[2][3] = {};
    for (Index i = 0; i < 20'000; ++i) {
      const std::size_t c = usize(drawn.labels[usize(i)]);
      rows[c] += 1;
      for (std::size_t j = 0; j < 3; ++j) of[c][j] += drawn.x.view().row(i)[j] > binarize ? 1 : 0;
    }
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t j = 0; j < 3; ++j) {
        const double p = std::exp(model.feature_log_prob().values[c * 3 + j]);
        CHECK(near(of[c][j] / rows[c], p, rows[c]));
      }
    }
    if (binarize == 0) CHECK(*std::max_element(drawn.x.values.begin(), drawn.x.values.end()) == 1);
  }
}

TEST_CASE("wrong counts, priors and labels are refused by name") {
  Rows negative = kRows;
  negative.x[7] = -1;
  check_refused([&] { fit<MultinomialNB>(negative); }, Code::kOutsideSupport, -1, "column 'dog'");
  check_refused([&] { fit<ComplementNB>(negative); }, Code::kOutsideSupport, -1, "row 2");
  CHECK_NOTHROW(fit<BernoulliNB>(negative));
  MultinomialNB::Options options;
  options.prior.class_prior = {{2}, {0.5, 0.6}};
  check_refused([&] { fit<MultinomialNB>(kRows, options); }, Code::kBadOption, -1, "sums to 1.1");
  options.prior.class_prior = {{3}, {0.5, 0.25, 0.25}};
  check_refused([&] { fit<MultinomialNB>(kRows, options); }, Code::kBadOption, -1,
                "3 values for 2 classes");
  Rows unlabelled = kRows;
  unlabelled.labels = {-1, -1, -1, -1};
  check_refused([&] { fit<MultinomialNB>(unlabelled); }, Code::kBadTarget, -1,
                "no row has a label");
  check_refused(
      [&] {
        fit<ComplementNB>({{1, 0, 0, 0, 1, 0}, {0, 1}}, with_alpha<ComplementNB::Options>(0));
      },
      Code::kBadOption, -1, "Give alpha above 0");
}

TEST_CASE("rows without a label are left out, and that is said") {
  Rows some = kRows;
  some.labels[1] = -1;
  const Fit<MultinomialNB> result = fit<MultinomialNB>(some);
  REQUIRE(result.report.notes.size() == 1);
  CHECK(result.report.notes[0].text == "left out 1 row without a label");
  Rows fewer = kRows;
  fewer.x.erase(fewer.x.begin() + 3, fewer.x.begin() + 6);
  fewer.labels.erase(fewer.labels.begin() + 1);
  CHECK(result.model.parameters() == fit<MultinomialNB>(fewer).model.parameters());
}

}  // namespace
}  // namespace craton
