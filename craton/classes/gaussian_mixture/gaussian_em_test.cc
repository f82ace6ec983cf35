#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/cluster/kmeans.h"
#include "tests/gaussian_data.h"

// What the theory of EM promises.

using namespace craton;
using namespace craton::gaussian_tests;

namespace {

using Options = GaussianMixture::Options;

// log p(x_i, c) of every row and component, from what the model says of rows.
std::vector<double> log_joint(const GaussianMixture& model, const std::vector<double>& x) {
  MemorySource source = source_of(x, model.columns());
  const std::size_t n = usize(source.shape().rows), k = usize(model.classes());
  std::vector<double> joint(n * k), density(n);
  model.predict_log_proba(source, joint, {});
  model.score_samples(source, density, {});
  for (std::size_t i = 0; i < n * k; ++i) joint[i] += density[i / k];
  return joint;
}

// F(q, theta) / n by its definition.
double bound(const std::vector<double>& q, const GaussianMixture& model,
             const std::vector<double>& x) {
  const std::vector<double> joint = log_joint(model, x);
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] > 0) sum += q[i] * (joint[i] - std::log(q[i]));
  }
  return sum / static_cast<double>(std::ssize(x) / model.columns());
}

std::vector<double> posterior(const GaussianMixture& model, const std::vector<double>& x) {
  MemorySource source = source_of(x, model.columns());
  std::vector<double> q(usize(source.shape().rows * model.classes()));
  model.predict_log_proba(source, q, {});
  for (double& v : q) v = std::exp(v);
  return q;
}

double score(const GaussianMixture& model, const std::vector<double>& x) {
  MemorySource source = source_of(x, model.columns());
  return model.score(source, {});
}

}  // namespace

TEST_CASE("the objective never falls, over 500 random problems of every kind") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed, Purpose::kTest, 5);
    const Index cols = 1 + random.below(4), rows = 30 + random.below(150);
    const std::vector<double> x = grouped(rows, cols, 1 + random.below(4), seed);
    MemorySource source = source_of(x, cols);
    Options options;
    options.n_components = 1 + random.below(5);
    options.covariance_type = kTypes[seed % 4];
    options.tol = 0;
    options.max_iter = 25;
    options.init_params = static_cast<GaussianMixture::Init>(random.below(3));
    options.weights = static_cast<GaussianMixture::Weights>(random.below(2));
    options.assignment = static_cast<GaussianMixture::Assignment>(random.below(2));
    options.prior = static_cast<GaussianMixture::Prior>(random.below(2));
    options.random_state = static_cast<Index>(seed);
    const FitReport report = GaussianMixture::fit(source, options, {}).report;  // asserts it too
    CAPTURE(seed);
    for (std::size_t i = 1; i < report.trace.size(); ++i) {
      CHECK(report.trace[i] >= report.trace[i - 1] - 1e-10 * std::abs(report.trace[i - 1]));
    }
    for (std::size_t i = 1; i < report.half_steps.size(); ++i) {
      const double last = report.half_steps[i - 1].bound();
      CHECK(report.half_steps[i].bound() >= last - 1e-9 * std::abs(last));
    }
  }
}

TEST_CASE("the bound is at most the likelihood for any q, and equal for the posterior") {
  const std::vector<double> x = grouped(200, 2, 3, 1);
  for (const Covariance type : kTypes) {
    MemorySource source = source_of(x, 2);
    Options options;
    options.n_components = 3;
    options.covariance_type = type;
    options.max_iter = 3;
    const GaussianMixture model = GaussianMixture::fit(source, options, {}).model;
    const double likelihood = score(model, x);
    const std::vector<double> best = posterior(model, x);
    CHECK(bound(best, model, x) == doctest::Approx(likelihood).epsilon(1e-12));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed, Purpose::kTest, 6);
      std::vector<double> q(best.size());
      for (std::size_t i = 0; i < q.size(); i += 3) {
        double sum = 0;
        for (std::size_t c = i; c < i + 3; ++c) sum += q[c] = -std::log(random.uniform());
        for (std::size_t c = i; c < i + 3; ++c) q[c] /= sum;
      }
      CHECK(bound(q, model, x) < likelihood);
    }
  }
}

TEST_CASE("the report's half-steps are the bound by its definition") {
  const std::vector<double> x = grouped(300, 3, 3, 2);
  for (const Covariance type : kTypes) {
    for (const auto weights :
         {GaussianMixture::Weights::kEstimated, GaussianMixture::Weights::kEqual}) {
      MemorySource source = source_of(x, 3);
      Options options;
      options.n_components = 3;
      options.covariance_type = type;
      options.weights = weights;
      options.init_params = GaussianMixture::Init::kRandom;  // far from converged
      options.tol = 0;
      std::vector<Fit<GaussianMixture>> fits;
      for (const Index updates : {0, 1, 2}) {
        options.max_iter = updates;
        fits.push_back(GaussianMixture::fit(source, options, {}));
      }
      const std::vector<HalfStep>& steps = fits[2].report.half_steps;
      REQUIRE(steps.size() == 5);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::vector<double> q = posterior(fits[i].model, x);
        CHECK(steps[2 * i].bound() == doctest::Approx(score(fits[i].model, x)).epsilon(1e-12));
        CHECK(steps[2 * i].bound() == doctest::Approx(fits[2].report.trace[i]).epsilon(1e-12));
        if (i == 2) break;
        CHECK(steps[2 * i + 1].bound() ==
              doctest::Approx(bound(q, fits[i + 1].model, x)).epsilon(1e-12));
        CHECK(steps[2 * i + 1].entropy == steps[2 * i].entropy);
      }
    }
  }
}

TEST_CASE("the gradient of the likelihood vanishes where EM stops") {
  const std::vector<double> x = grouped(400, 2, 2, 3);
  for (const Covariance type : kTypes) {
    MemorySource source = source_of(x, 2);
    Options options;
    options.n_components = 2;
    options.covariance_type = type;
    options.convergence = GaussianMixture::Stop::kParameters;
    options.tol = 1e-10;
    options.max_iter = 5000;
    const Fit<GaussianMixture> fit = GaussianMixture::fit(source, options, {});
    REQUIRE(fit.report.converged);
    const GaussianMixture& m = fit.model;
    constexpr double kStep = 1e-5;
    const auto slope = [&](const Array& weights, const Array& means, const Array& covariances,
                           auto&& change) {
      Array w[2] = {weights, weights}, mu[2] = {means, means}, s[2] = {covariances, covariances};
      change(w[0], mu[0], s[0], kStep);
      change(w[1], mu[1], s[1], -kStep);
      const double up = score(GaussianMixture(w[0], mu[0], s[0]), x);
      return (up - score(GaussianMixture(w[1], mu[1], s[1]), x)) / (2 * kStep);
    };
    const auto at = [&](auto&& change) {
      return slope(m.weights(), m.means(), m.covariances(), change);
    };
    for (std::size_t i = 0; i < m.means().values.size(); ++i) {
      CHECK(std::abs(at([&](Array&, Array& mu, Array&, double h) { mu.values[i] += h; })) < 1e-8);
    }
    // Weight moves from one component to the other.
    CHECK(std::abs(at([](Array& w, Array&, Array&, double h) {
            w.values[0] += h, w.values[1] -= h;
          })) < 1e-8);
    const bool matrices = m.covariances().shape.size() == 3;
    for (std::size_t i = 0; i < m.covariances().values.size(); ++i) {
      const std::size_t mirrored = matrices ? i / 4 * 4 + i % 2 * 2 + i % 4 / 2 : i;
      CHECK(std::abs(at([&](Array&, Array&, Array& s, double h) {
              s.values[i] += h;
              if (mirrored != i) s.values[mirrored] += h;
            })) < 1e-8);
    }
  }
}

TEST_CASE("hard assignment with equal weights and one known variance is k-means") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<double> x = grouped(500, 2, 4, seed);
    MemorySource source = source_of(x, 2);
    KMeans::Options kmeans;
    kmeans.n_clusters = 4;
    kmeans.centers = spaced_rows(x, 2, 4);
    kmeans.tol = 0;
    const KMeans clusters = KMeans::fit(source, kmeans, {}).model;
    Options options;
    options.n_components = 4;
    options.means_init = kmeans.centers;
    options.covariance_type = Covariance::kSpherical;
    options.known_covariances = Array{{1}, {3.5}};
    options.weights = GaussianMixture::Weights::kEqual;
    options.assignment = GaussianMixture::Assignment::kHard;
    options.tol = 0;
    const Fit<GaussianMixture> fit = GaussianMixture::fit(source, options, {});
    CHECK(fit.report.converged);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(fit.model.means().values[i] ==
            doctest::Approx(clusters.centers().values[i]).epsilon(1e-13));
    }
    std::vector<std::int32_t> ours(500), theirs(500);
    fit.model.predict(source, ours, {});
    clusters.predict(source, theirs, {});
    CHECK(ours == theirs);
    // -J / (2 sigma^2 n) - log 4 - log(2 pi sigma^2)
    const double j = -clusters.score(source, {});
    CHECK(fit.report.objective ==
          doctest::Approx(-j / 3.5 / 1000 - std::log(4) - std::log(2 * M_PI * 3.5)).epsilon(1e-12));
  }
}

TEST_CASE("soft EM with one common variance that goes to 0 reaches the assignments of k-means") {
  const std::vector<double> x = grouped(500, 2, 3, 20);
  MemorySource source = source_of(x, 2);
  KMeans::Options kmeans;
  kmeans.n_clusters = 3;
  kmeans.centers = spaced_rows(x, 2, 3);
  kmeans.tol = 0;
  const KMeans clusters = KMeans::fit(source, kmeans, {}).model;
  std::vector<std::int32_t> ours(500), theirs(500);
  clusters.predict(source, theirs, {});
  double last = INFINITY;
  for (const double variance : {1e-1, 1e-3, 1e-6}) {
    Options options;
    options.n_components = 3;
    options.means_init = kmeans.centers;
    options.covariance_type = Covariance::kSpherical;
    options.known_covariances = Array{{1}, {variance}};
    options.weights = GaussianMixture::Weights::kEqual;
    options.tol = 0;
    options.max_iter = 1000;
    const GaussianMixture model = GaussianMixture::fit(source, options, {}).model;
    double gap = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      gap = std::max(gap, std::abs(model.means().values[i] - clusters.centers().values[i]));
    }
    CHECK(gap <= last);
    last = gap;
    model.predict(source, ours, {});
  }
  CHECK(last < 1e-12);
  CHECK(ours == theirs);
}
