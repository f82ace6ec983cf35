#include <doctest/doctest.h>

#include "tests/count_rows.h"
#include "tests/refused.h"

namespace craton::count_estimates_test {
namespace {

using namespace count_rows;

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

}  // namespace
}  // namespace craton::count_estimates_test
