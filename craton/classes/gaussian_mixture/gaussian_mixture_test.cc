#include "craton/classes/gaussian_mixture/gaussian_mixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/classes/gaussian_mixture/gaussian_block.h"

namespace craton::gaussian_mixture_test {

namespace {

using Covariance = GaussianMixture::Covariance;

MemorySource source_of(const std::vector<double>& x, Index cols) {
  return MemorySource({.x = Dense<double>{x.data(), std::ssize(x) / cols, cols, cols}});
}

GaussianMixture two_correlated() {
  return GaussianMixture(Array{{2}, {0.3, 0.7}}, Array{{2, 2}, {0, 0, 6, 1}},
                         Array{{2, 2, 2}, {1, 0.5, 0.5, 2, 1, -0.8, -0.8, 1}});
}

std::vector<double> noise(Index count, std::uint64_t seed, double scale = 1, double offset = 0) {
  std::vector<double> x(usize(count));
  Random random(seed, Purpose::kTest, 2);
  for (double& v : x) v = offset + scale * random.normal();
  return x;
}

// log p(x) from the formula, for two dimensions.
double log_density(const GaussianMixture& m, double x, double y) {
  double p = 0;
  for (std::size_t c = 0; c < usize(m.classes()); ++c) {
    const double* s = &m.covariances().values[c * 4];
    const double det = s[0] * s[3] - s[1] * s[2];
    const double dx = x - m.means().values[c * 2], dy = y - m.means().values[c * 2 + 1];
    const double q = (s[3] * dx * dx - 2 * s[1] * dx * dy + s[0] * dy * dy) / det;
    p += m.weights().values[c] * std::exp(-q / 2) / (2 * M_PI * std::sqrt(det));
  }
  return std::log(p);
}

}  // namespace

TEST_CASE("the log density is the formula's") {
  const GaussianMixture model = two_correlated();
  const std::vector<double> x{0, 0, 1, 2, 6, 1, 3, -4, -2, 5};
  MemorySource source = source_of(x, 2);
  std::vector<double> density(5), log_proba(10);
  model.score_samples(source, density, {});
  model.predict_log_proba(source, log_proba, {});
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(density[i] == doctest::Approx(log_density(model, x[i * 2], x[i * 2 + 1])).epsilon(1e-13));
    CHECK(std::exp(log_proba[i * 2]) + std::exp(log_proba[i * 2 + 1]) ==
          doctest::Approx(1).epsilon(1e-13));
  }
  CHECK(model.score(source, {}) ==
        doctest::Approx((density[0] + density[1] + density[2] + density[3] + density[4]) / 5)
            .epsilon(1e-13));
}

TEST_CASE("a row far from everything has a finite log density and a clear label") {
  const GaussianMixture model = two_correlated();
  const std::vector<double> x{1e6, 1e6, -1e100, 1e100};
  MemorySource source = source_of(x, 2);
  std::vector<double> density(2), log_proba(4);
  model.score_samples(source, density, {});
  model.predict_log_proba(source, log_proba, {});
  for (const double v : density) CHECK(std::isfinite(v));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(std::exp(log_proba[i * 2]) + std::exp(log_proba[i * 2 + 1]) == doctest::Approx(1));
  }
}

TEST_CASE("a row whose squares overflow is refused by its number") {
  const GaussianMixture model = two_correlated();
  const std::vector<double> x{0, 0, 1e200, 0};
  MemorySource source = source_of(x, 2);
  std::vector<double> out(4);
  std::vector<std::int32_t> labels(2);
  CHECK_THROWS_WITH_AS(model.score_samples(source, out, {}), doctest::Contains("row 1"),
                       InputError);
  CHECK_THROWS_WITH_AS(model.predict_log_proba(source, out, {}), doctest::Contains("row 1"),
                       InputError);
  CHECK_THROWS_WITH_AS(model.predict(source, labels, {}), doctest::Contains("row 1"), InputError);
  CHECK_THROWS_WITH_AS(model.score(source, {}), doctest::Contains("overflow"), InputError);
}

TEST_CASE("a start that is far from the data loses no digits") {
  const std::vector<double> x = noise(400, 15);
  MemorySource source = source_of(x, 2);
  const GaussianMixture near = GaussianMixture::fit(source, {}, {}).model;
  GaussianMixture::Options options;
  options.means_init = Array{{1, 2}, {1e9, -1e9}};
  options.precisions_init = Array{{1, 2, 2}, {1, 0, 0, 1}};
  options.weights_init = Array{{1}, {1}};
  const Fit<GaussianMixture> far = GaussianMixture::fit(source, options, {});
  CHECK(far.report.converged);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(far.model.covariances().values[i] ==
          doctest::Approx(near.covariances().values[i]).epsilon(1e-9));
  }
}

TEST_CASE("probabilities sum to 1 however far a row is") {
  const GaussianMixture model(Array{{2}, {0.5, 0.5}}, Array{{2, 2}, {-1, 0, 1, 0}},
                              Array{{2, 2}, {1, 1, 1, 1}});
  const std::vector<double> rows{0, 1e10, 0, 1e100, 0, 1e150};
  MemorySource x = source_of(rows, 2);
  std::vector<double> log_p(6);
  model.predict_log_proba(x, log_p, {});
  for (const double v : log_p) CHECK(v == doctest::Approx(std::log(0.5)).epsilon(1e-15));
}

TEST_CASE("a difference that overflows is refused, and no NaN") {
  const GaussianMixture model(Array{{1}, {1}}, Array{{1, 2}, {-1.7e308, 0}},
                              Array{{1, 2, 2}, {1, 0, 0, 1}});
  const std::vector<double> rows{1.7e308, 0};
  MemorySource x = source_of(rows, 2);
  std::vector<double> density(1);
  CHECK_THROWS_AS(model.score_samples(x, density, {}), InputError);
}

TEST_CASE("one component is the sample mean and covariance") {
  const std::vector<double> x{1, 2, 3, 5, 4, 1, 0, 0, 2, 7};
  MemorySource source = source_of(x, 2);
  const GaussianMixture model = GaussianMixture::fit(source, {}, {}).model;
  CHECK(model.means().values[0] == doctest::Approx(2).epsilon(1e-14));
  CHECK(model.means().values[1] == doctest::Approx(3).epsilon(1e-14));
  // Sums of products about (2, 3), divided by 5.
  CHECK(model.covariances().values[0] == doctest::Approx(10 / 5.0).epsilon(1e-14));
  CHECK(model.covariances().values[1] == doctest::Approx(5 / 5.0).epsilon(1e-14));
  CHECK(model.covariances().values[3] == doctest::Approx(34 / 5.0).epsilon(1e-14));
}

TEST_CASE("the scatter about a far start becomes the scatter about the mean") {
  const std::vector<double> x{1, 2, 3, 5, 4, 1, 0, 0, 2, 7};
  MemorySource source = source_of(x, 2);
  for (const Covariance type : {Covariance::kFull, Covariance::kDiag}) {
    GaussianMixture::Options options;
    options.covariance_type = type;
    options.max_iter = 1;
    options.weights_init = Array{{1}, {1}};
    options.means_init = Array{{1, 2}, {10, -20}};
    options.precisions_init =
        type == Covariance::kFull ? Array{{1, 2, 2}, {1, 0, 0, 1}} : Array{{1, 2}, {1, 1}};
    const GaussianMixture model = GaussianMixture::fit(source, options, {}).model;
    CHECK(model.means().values[0] == doctest::Approx(2).epsilon(1e-13));
    CHECK(model.covariances().values[0] == doctest::Approx(10 / 5.0).epsilon(1e-12));
    CHECK(model.covariances().values.back() == doctest::Approx(34 / 5.0).epsilon(1e-12));
  }
}

TEST_CASE("a sample of a known mixture is recovered") {
  const GaussianMixture truth = two_correlated();
  const Sample sample = truth.sample(50'000, 7);
  MemorySource source = source_of(sample.x.values, 2);
  GaussianMixture::Options options;
  options.n_components = 2;
  options.tol = 1e-8;
  const GaussianMixture model = GaussianMixture::fit(source, options, {}).model;
  const bool swapped = model.weights().values[0] > model.weights().values[1];
  for (std::size_t c = 0; c < 2; ++c) {
    const std::size_t t = swapped ? 1 - c : c;
    CHECK(model.weights().values[c] == doctest::Approx(truth.weights().values[t]).epsilon(0.02));
    for (std::size_t j = 0; j < 2; ++j) {
      CHECK(std::abs(model.means().values[c * 2 + j] - truth.means().values[t * 2 + j]) < 0.05);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(std::abs(model.covariances().values[c * 4 + j] -
                     truth.covariances().values[t * 4 + j]) < 0.08);
    }
  }
  const double share =
      static_cast<double>(std::count(sample.labels.begin(), sample.labels.end(), 1)) / 50'000;
  CHECK(std::abs(share - 0.7) < 4 * std::sqrt(0.21 / 50'000));
}

TEST_CASE("duplicated rows meet the floor, and the note names component and column") {
  std::vector<double> x = noise(400, 11);
  for (std::size_t i = 0; i < 100; ++i) x[i * 2] = 50, x[i * 2 + 1] = 50;
  for (const Covariance type : {Covariance::kFull, Covariance::kDiag, Covariance::kSpherical}) {
    MemorySource source = source_of(x, 2);
    GaussianMixture::Options options;
    options.n_components = 2;
    options.covariance_type = type;
    const Fit<GaussianMixture> fit = GaussianMixture::fit(source, options, {});
    REQUIRE_FALSE(fit.report.notes.empty());
    CHECK(fit.report.notes[0].code == "covariance-floor");
    CHECK(fit.report.notes[0].text.plain().find("component") != std::string::npos);
    CHECK(std::isfinite(fit.report.objective));
  }
}

TEST_CASE("a singular covariance without a floor is refused with its eigenvalue") {
  std::vector<double> x = noise(200, 12);
  for (std::size_t i = 0; i < 100; ++i) x[i * 2 + 1] = x[i * 2];
  MemorySource source = source_of(x, 2);
  GaussianMixture::Options options;
  options.covariance_floor = 0;
  CHECK_THROWS_WITH_AS(GaussianMixture::fit(source, options, {}), doctest::Contains("component 0"),
                       InputError);
}

TEST_CASE("a constant column is refused by name, or taken with reg_covar") {
  std::vector<double> x = noise(200, 13);
  for (std::size_t i = 0; i < 100; ++i) x[i * 2 + 1] = 7;
  MemorySource source = source_of(x, 2);
  CHECK_THROWS_WITH_AS(GaussianMixture::fit(source, {}, {}), doctest::Contains("column '2'"),
                       InputError);
  GaussianMixture::Options options;
  options.reg_covar = 1e-6;
  CHECK(std::isfinite(GaussianMixture::fit(source, options, {}).report.objective));
}

TEST_CASE("a given start is checked for its shape and sense") {
  const std::vector<double> x = noise(200, 14);
  MemorySource source = source_of(x, 2);
  GaussianMixture::Options options;
  options.n_components = 2;
  options.means_init = Array{{2, 3}, std::vector<double>(6)};
  CHECK_THROWS_WITH(GaussianMixture::fit(source, options, {}), doctest::Contains("means_init"));
  options.means_init = {};
  options.weights_init = Array{{2}, {0.5, 0.6}};
  CHECK_THROWS_WITH(GaussianMixture::fit(source, options, {}), doctest::Contains("sums to"));
  options.weights_init = {};
  options.precisions_init = Array{{2, 2, 2}, {1, 2, 2, 1, 1, 0, 0, 1}};
  CHECK_THROWS_WITH(GaussianMixture::fit(source, options, {}),
                    doctest::Contains("precisions_init of component 0"));
  options.precisions_init = Array{{2, 2, 2}, {1, 0.9, 0, 1, 1, 0, 0, 1}};
  CHECK_THROWS_WITH(GaussianMixture::fit(source, options, {}), doctest::Contains("not symmetric"));
  options.covariance_type = Covariance::kDiag;
  options.precisions_init = Array{{2, 2}, {1, 1, 0, 1}};
  CHECK_THROWS_WITH(GaussianMixture::fit(source, options, {}),
                    doctest::Contains("precisions_init of component 1"));
  options.precisions_init = {};
  options.means_init = Array{{2, 2}, {1e300, 1, 1, 1}};
  CHECK_THROWS_WITH(GaussianMixture::fit(source, options, {}), doctest::Contains("means_init"));
}

TEST_CASE("the free parameters are counted as in the formula") {
  CHECK(two_correlated().free_parameters({}) == 1 + 4 + 6);
  const GaussianMixture diagonal(Array{{2}, {0.5, 0.5}}, Array{{2, 2}, {0, 0, 1, 1}},
                                 Array{{2, 2}, {1, 1, 1, 1}});
  CHECK(diagonal.free_parameters({}) == 1 + 4 + 4);
  const GaussianMixture tied(Array{{2}, {0.5, 0.5}}, Array{{2, 2}, {0, 0, 1, 1}},
                             Array{{1, 2, 2}, {1, 0, 0, 1}});
  CHECK(tied.free_parameters({}) == 1 + 4 + 3);
  const GaussianMixture balls(Array{{2}, {0.5, 0.5}}, Array{{2, 2}, {0, 0, 1, 1}},
                              Array{{2}, {1, 2}});
  CHECK(balls.free_parameters({}) == 1 + 4 + 2);
  // What is given is not free.
  GaussianMixture::Options options;
  options.weights = GaussianMixture::Weights::kEqual;
  CHECK(balls.free_parameters(options) == 4 + 2);
  options.weights = GaussianMixture::Weights::kEstimated;
  options.known_weights = {{2}, {0.25, 0.75}};
  CHECK(balls.free_parameters(options) == 4 + 2);
  options.known_covariances = {{2}, {1, 4}};
  CHECK(balls.free_parameters(options) == 4);
  options.known_weights = {};
  CHECK(balls.free_parameters(options) == 1 + 4);
}

}  // namespace craton::gaussian_mixture_test
