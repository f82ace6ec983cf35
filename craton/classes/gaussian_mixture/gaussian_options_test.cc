#include "craton/classes/gaussian_mixture/gaussian_options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "tests/gaussian_data.h"

// Known parts, priors, and what units and offsets do.

using namespace craton;
using namespace craton::gaussian_tests;

namespace {

using Options = GaussianMixture::Options;

Fit<GaussianMixture> fit(const std::vector<double>& x, Index cols, const Options& options) {
  MemorySource source = source_of(x, cols);
  return GaussianMixture::fit(source, options, {});
}

}  // namespace

TEST_CASE("what is known is kept to the bit, and the rest is estimated") {
  const std::vector<double> x = grouped(300, 2, 2, 1);
  Options options;
  options.n_components = 2;
  options.known_weights = Array{{2, 1}, {0.25, 0.75}};  // as a file has it
  CHECK(fit(x, 2, options).model.weights().values == options.known_weights.values);
  options.known_weights = {};
  options.weights = GaussianMixture::Weights::kEqual;
  CHECK(fit(x, 2, options).model.weights().values == std::vector<double>{0.5, 0.5});
  options.init_params = GaussianMixture::Init::kRandom;  // far from converged
  const Array known[] = {Array{{2, 2, 2}, {2, 1, 1, 3, 4, 0, 0, 4}}, Array{{2, 2}, {2, 1, 1, 3}},
                         Array{{2, 2}, {1, 2, 3, 4}}, Array{{2}, {5, 6}}};
  for (std::size_t t = 0; t < 4; ++t) {
    options.covariance_type = kTypes[t];
    options.known_covariances = known[t];
    const Fit<GaussianMixture> found = fit(x, 2, options);
    CHECK(found.model.covariances().values == known[t].values);
    CHECK(found.report.iterations > 0);
    CHECK(found.report.trace.back() > found.report.trace.front());
  }
}

// The course's two Gaussians of known variance: r = sigmoid of the log odds, the means are
// averages.
TEST_CASE("two Gaussians of known variance take the textbook's step") {
  const std::vector<double> x{0, 1, 2, 6, 7};
  Options options;
  options.n_components = 2;
  options.covariance_type = Covariance::kSpherical;
  options.known_covariances = Array{{1, 1}, {4}};
  options.means_init = Array{{2, 1}, {1, 5}};
  options.weights = GaussianMixture::Weights::kEqual;
  options.max_iter = 1;
  options.tol = 0;
  const GaussianMixture model = fit(x, 1, options).model;
  double n[2] = {}, sum[2] = {};
  for (const double v : x) {
    const double r = 1 / (1 + std::exp(((v - 1) * (v - 1) - (v - 5) * (v - 5)) / 8));
    n[0] += r, n[1] += 1 - r, sum[0] += r * v, sum[1] += (1 - r) * v;
  }
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(model.means().values[c] == doctest::Approx(sum[c] / n[c]).epsilon(1e-14));
  }
}

TEST_CASE("wrong known parts are refused by name") {
  const std::vector<double> x = grouped(100, 2, 2, 2);
  const auto refused = [&](const char* text, auto&& change) {
    Options options;
    options.n_components = 2;
    change(options);
    CHECK_THROWS_WITH_AS(fit(x, 2, options), doctest::Contains(text), InputError);
  };
  refused("mixing_weights sums to 1.5", [](Options& o) { o.known_weights = Array{{2}, {1, 0.5}}; });
  refused("mixing_weights is an array", [](Options& o) {
    o.known_weights = Array{{3}, {1, 0, 0}};
  });
  refused("covariances of component 1 is not positive definite", [](Options& o) {
    o.known_covariances = Array{{2, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 1}};
  });
  refused("covariances of component 0 is not symmetric", [](Options& o) {
    o.known_covariances = Array{{2, 2, 2}, {1, 0.5, 0, 1, 1, 0, 0, 1}};
  });
  refused("covariances is an array", [](Options& o) { o.known_covariances = Array{{1}, {1}}; });
  refused("mean_prior is an array", [](Options& o) { o.mean_prior = Array{{3}, {1, 1, 1}}; });
  refused("covariance_prior of component 0 is not positive definite", [](Options& o) {
    o.covariance_prior = Array{{2, 2}, {1, 2, 2, 1}};
  });
}

// mu = (kappa m + sum x) / (kappa + n),
// Sigma = (Psi + S + kappa n / (kappa + n) (xbar - m)(xbar - m)') / (nu + d + 2 + n)
TEST_CASE("one component with a conjugate prior is the mode of its posterior") {
  const std::vector<double> x{1, 2, 3, 5, 4, 1, 0, 0, 2, 7};  // mean (2, 3), S = 10, 5, 34
  Options options;
  options.prior = GaussianMixture::Prior::kConjugate;
  options.mean_prior = Array{{1, 2}, {4, -3}};
  options.mean_precision_prior = 2;
  options.covariance_prior = Array{{2, 2}, {3, 1, 1, 5}};
  options.degrees_of_freedom_prior = 6;
  options.tol = 0;
  const double shrunk = 2 * 5 / 7.0;
  const double expected[] = {(3 + 10 + shrunk * 4) / 15, (1 + 5 - shrunk * 12) / 15,
                             (5 + 34 + shrunk * 36) / 15};
  const GaussianMixture model = fit(x, 2, options).model;
  CHECK(model.means().values[0] == doctest::Approx((8 + 10) / 7.0).epsilon(1e-13));
  CHECK(model.means().values[1] == doctest::Approx((-6 + 15) / 7.0).epsilon(1e-13));
  CHECK(model.covariances().values[0] == doctest::Approx(expected[0]).epsilon(1e-13));
  CHECK(model.covariances().values[1] == doctest::Approx(expected[1]).epsilon(1e-13));
  CHECK(model.covariances().values[3] == doctest::Approx(expected[2]).epsilon(1e-13));
  options.covariance_type = Covariance::kDiag;
  const GaussianMixture diagonal = fit(x, 2, options).model;
  CHECK(diagonal.covariances().values[1] == doctest::Approx(expected[2]).epsilon(1e-13));
  options.covariance_type = Covariance::kSpherical;
  CHECK(fit(x, 2, options).model.covariances().values[0] ==
        doctest::Approx((expected[0] + expected[2]) / 2).epsilon(1e-13));
}

TEST_CASE("a prior keeps components from collapsing, without a floor") {
  std::vector<double> x = grouped(200, 2, 1, 3);
  for (std::size_t i = 0; i < 100; ++i) x[i * 2] = 50, x[i * 2 + 1] = 50;
  for (const Covariance type : kTypes) {
    Options options;
    options.n_components = 2;
    options.covariance_type = type;
    options.covariance_floor = 0;
    options.prior = GaussianMixture::Prior::kConjugate;
    const Fit<GaussianMixture> found = fit(x, 2, options);
    CHECK(found.report.notes.empty());
    CHECK(std::isfinite(found.report.objective));
    if (type != Covariance::kFull) continue;
    options.prior = GaussianMixture::Prior::kNone;
    CHECK_THROWS_WITH_AS(fit(x, 2, options), doctest::Contains("singular"), InputError);
  }
}

TEST_CASE("an offset of 1e7 or 1e8 changes the likelihood only by what rounding of means does") {
  const std::vector<double> near = grouped(1000, 2, 3, 4);
  for (const Covariance type : kTypes) {
    for (const double offset : {1e7, 1e8}) {
      std::vector<double> far = near;
      for (double& v : far) v += offset;
      Options options;
      options.n_components = 3;
      options.covariance_type = type;
      options.max_iter = 20;
      options.tol = 0;
      options.means_init = spaced_rows(near, 2, 3);
      const double a = fit(near, 2, options).report.objective;
      options.means_init = spaced_rows(far, 2, 3);
      CHECK(fit(far, 2, options).report.objective == doctest::Approx(a).epsilon(1e-7));
    }
  }
}

TEST_CASE("units do not matter: scaled columns give the scaled model, from its own start") {
  const std::vector<double> x = grouped(1000, 2, 3, 5);
  for (const Covariance type : kTypes) {
    const bool balls = type == Covariance::kSpherical;
    for (const double scale : {1e-3, 1e-4, 1e5}) {
      const double scales[] = {scale, balls ? scale : 10};
      std::vector<double> scaled = x;
      for (std::size_t i = 0; i < x.size(); ++i) scaled[i] *= scales[i % 2];
      Options options;
      options.n_components = 3;
      options.covariance_type = type;
      const Fit<GaussianMixture> a = fit(x, 2, options), b = fit(scaled, 2, options);
      CHECK(b.report.iterations == a.report.iterations);
      CHECK(b.report.objective + std::log(scales[0] * scales[1]) ==
            doctest::Approx(a.report.objective).epsilon(1e-9));
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK(b.model.means().values[i] ==
              doctest::Approx(scales[i % 2] * a.model.means().values[i]).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("extreme units work up to a limit, and are refused by name beyond it") {
  const std::vector<double> x = grouped(200, 2, 2, 6);
  for (const Covariance type : kTypes) {
    Options options;
    options.n_components = 2;
    options.covariance_type = type;
    const double objective = fit(x, 2, options).report.objective;
    for (const double scale : {1e-110, 1e-30, 1e30, 1e110}) {
      std::vector<double> scaled = x;
      for (double& v : scaled) v *= scale;
      const Fit<GaussianMixture> found = fit(scaled, 2, options);
      CHECK(found.report.objective + 2 * std::log(scale) ==
            doctest::Approx(objective).epsilon(1e-9));
    }
    for (const double scale : {1e-300, 1e300}) {
      std::vector<double> scaled = x;
      for (double& v : scaled) v *= scale;
      CHECK_THROWS_WITH_AS(fit(scaled, 2, options), doctest::Contains("column '1'"), InputError);
    }
  }
}

TEST_CASE("a constant column is refused by name, or has the width it is given") {
  std::vector<double> x = grouped(200, 2, 2, 8);
  for (std::size_t i = 1; i < x.size(); i += 2) x[i] = 7;
  for (const Covariance type : {Covariance::kFull, Covariance::kTied, Covariance::kDiag}) {
    Options options;
    options.n_components = 2;
    options.covariance_type = type;
    CHECK_THROWS_WITH_AS(fit(x, 2, options), doctest::Contains("column '2'"), InputError);
    options.means_init = Array{{2, 2}, {0, 7.001, 4, 6.999}};  // as if by rounding
    options.reg_covar = 1e-4;
    const GaussianMixture model = fit(x, 2, options).model;
    for (Index c = 0; c < 2; ++c) {
      CHECK(model.means().values[usize(c * 2 + 1)] == doctest::Approx(7).epsilon(1e-15));
      CHECK(model.variance(c, 1) == doctest::Approx(1e-4).epsilon(1e-9));
    }
  }
}

TEST_CASE("the rule of convergence is the one asked for") {
  const std::vector<double> x = grouped(500, 2, 3, 7);
  Options options;
  options.n_components = 3;
  options.max_iter = 1000;
  options.init_params = GaussianMixture::Init::kRandom;  // far from converged
  const Index by_gain = fit(x, 2, options).report.iterations;
  options.convergence = GaussianMixture::Stop::kParameters;
  const Fit<GaussianMixture> loose = fit(x, 2, options);
  CHECK(loose.report.converged);
  CHECK(loose.report.iterations != by_gain);
  options.tol = 1e-9;
  CHECK(fit(x, 2, options).report.iterations > loose.report.iterations);
}
