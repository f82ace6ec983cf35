#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/count_rows.h"

namespace craton {
namespace {

using namespace count_rows;

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

}  // namespace
}  // namespace craton
