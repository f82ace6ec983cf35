#include "craton/classes/counts/count_bayes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/kernels/linear_scores.h"
#include "tests/count_rows.h"
#include "tests/refused.h"

namespace craton::count_bayes_test {
namespace {

using namespace count_rows;

template <class M>
std::vector<double> log_proba(const M& model, const Rows& rows) {
  MemorySource x = rows.source();
  std::vector<double> out(rows.labels.size() * 2);
  model.predict_log_proba(x, out, {});
  return out;
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
  CHECK(parameters_of(result.model) == parameters_of(fit<MultinomialNB>(fewer).model));
}

}  // namespace
}  // namespace craton::count_bayes_test
