#include "craton/classes/gaussian_stepwise.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/gaussian_data.h"

using namespace craton;
using namespace craton::gaussian_tests;

namespace {

using Options = GaussianMixture::Options;

Options three(Covariance type) {
  Options options;
  options.n_components = 3;
  options.covariance_type = type;
  options.tol = 0;
  return options;
}

}  // namespace

TEST_CASE("one batch is one step of EM") {
  const std::vector<double> x = grouped(400, 2, 3, 1);
  for (const Covariance type : kTypes) {
    MemorySource source = source_of(x, 2);
    Options options = three(type);
    options.max_iter = 0;
    StepwiseGaussian stepwise(GaussianMixture::fit(source, options, {}).model, options,
                              check_table(source, {}));
    options.max_iter = 1;
    const Fit<GaussianMixture> em = GaussianMixture::fit(source, options, {});
    CHECK(stepwise.learn(source, {}) == em.report.trace[0]);
    CHECK(stepwise.model().means() == em.model.means());
    CHECK(stepwise.model().covariances() == em.model.covariances());
  }
}

TEST_CASE("statistics about other means are those that a pass about them gives") {
  const std::vector<double> x = grouped(400, 3, 3, 2);
  for (const Covariance type : kTypes) {
    MemorySource source = source_of(x, 3);
    Options options = three(type);
    options.max_iter = 2;
    const GaussianMixture model = GaussianMixture::fit(source, options, {}).model;
    Array moved = model.means();
    for (double& v : moved.values) v += 0.25;
    const GaussianMixture other(model.weights(), moved, model.covariances());
    auto statistics = fold(source, model.statistics(), {});
    const auto before = statistics;
    statistics.recentre(model, other);
    // With the same r: sums about the new means, by the definition.
    std::vector<double> log_p(400 * 3);
    model.predict_log_proba(source, log_p, {});
    for (Index c = 0; c < 3; ++c) {
      CHECK(statistics.weight(c) == before.weight(c));
      for (std::size_t j = 0; j < 3; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < 400; ++i) {
          const double y = x[i * 3 + j] - moved.values[usize(c) * 3 + j];
          const double r = std::exp(log_p[i * 3 + usize(c)]);
          sum += r * y, squares += r * y * y;
        }
        CHECK(statistics.sum(c)[j] == doctest::Approx(sum).epsilon(1e-10));
        if (type == Covariance::kTied) continue;
        const std::size_t at = type == Covariance::kFull ? j * (j + 3) / 2 : j;
        CHECK(statistics.scatter(c)[at] == doctest::Approx(squares).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("a stream of batches, each seen once, comes near to EM on all rows") {
  constexpr Index kBatch = 500, kBatches = 60;
  const std::vector<double> x = grouped(kBatch * kBatches, 2, 3, 3);
  for (const Covariance type : kTypes) {
    MemorySource all = source_of(x, 2);
    Options options = three(type);
    const auto batch = [&](Index b) {
      return MemorySource({.x = Dense<double>{&x[usize(b * kBatch * 2)], kBatch, 2, 2}});
    };
    MemorySource first = batch(0);
    options.max_iter = 5;
    StepwiseGaussian stepwise(GaussianMixture::fit(first, options, {}).model, options,
                              check_table(first, {}));
    const double start = stepwise.model().score(all, {});
    for (Index b = 0; b < kBatches; ++b) {
      MemorySource next = batch(b);
      stepwise.learn(next, {});
    }
    CHECK(stepwise.rows() == static_cast<double>(kBatch * kBatches));
    options.max_iter = 300;
    options.tol = 1e-9;
    const double best = GaussianMixture::fit(all, options, {}).report.objective;
    const double reached = stepwise.model().score(all, {});
    CAPTURE(start);
    CHECK(reached > start);
    CHECK(best - reached < 0.1 * (best - start) + 1e-3);
  }
}
