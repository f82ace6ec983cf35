#include "craton/classes/gaussian_mixture/gaussian_exchange.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/classes/gaussian_mixture/gaussian_block.h"
#include "tests/gaussian_data.h"

using namespace craton;
using namespace craton::gaussian_tests;

namespace {

// 200 rows about each of three places along the first column.
Array three_groups() {
  Array x{{600, 2}, {}};
  for (std::uint64_t i = 0; i < 600; ++i) {
    Random random(9, Purpose::kTest, 0, i);
    x.values.push_back(12.0 * static_cast<double>(i / 200) + random.normal());
    x.values.push_back(random.normal());
  }
  return x;
}

GaussianMixture::Options options_of(Covariance type, Array means) {
  GaussianMixture::Options options;
  options.n_components = 3;
  options.covariance_type = type;
  options.means_init = std::move(means);
  return options;
}

Shares posteriors(const GaussianMixture& model, MemorySource& source) {
  Shares shares(usize(source.shape().rows * model.classes()));
  model.predict_log_proba(source, shares, {});
  for (double& q : shares) q = std::exp(q);
  return shares;
}

GroupCuts cuts_of(const Array& x, Covariance type) {
  const GroupShape shape = type == Covariance::kDiag        ? GroupShape::kDiagonal
                           : type == Covariance::kSpherical ? GroupShape::kBall
                                                            : GroupShape::kFull;
  const std::vector<double> unit =
      type == Covariance::kSpherical ? std::vector{1.0, 1.0} : std::vector{9.9, 1.0};
  return GroupCuts(x, {12, 0}, unit, shape);
}

}  // namespace

TEST_CASE("two components of one group, and one of two groups, change places") {
  const Array x = three_groups();
  MemorySource source({.x = x.view()});
  for (const Covariance type : kTypes) {
    // EM stays where it starts: the first group is shared, the others are held by one component.
    const auto options = options_of(type, {{3, 2}, {-0.5, -1, 0.5, 1, 18, 0}});
    const GaussianMixture stuck = GaussianMixture::fit(source, options, {}).model;
    const std::vector<Shares> found =
        exchanges(stuck, posteriors(stuck, source), cuts_of(x, type), 2);
    REQUIRE(!found.empty());
    CAPTURE(static_cast<int>(type));
    // EM from the means of the shares finds what the stuck one did not.
    Array means{{3, 2}, std::vector<double>(6)};
    std::vector<double> n(3);
    for (std::size_t i = 0; i < 1800; ++i) n[i % 3] += found[0][i];
    for (std::size_t i = 0; i < 1800; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        means.values[i % 3 * 2 + j] += found[0][i] / n[i % 3] * x.values[i / 3 * 2 + j];
      }
    }
    const GaussianMixture moved =
        GaussianMixture::fit(source, options_of(type, std::move(means)), {}).model;
    std::set<long> places;
    for (std::size_t c = 0; c < 3; ++c) places.insert(std::lround(moved.means().values[2 * c]));
    CHECK(places == std::set<long>{0, 12, 24});
  }
}

TEST_CASE("a mixture that has found its groups exchanges nothing") {
  const Array x = three_groups();
  MemorySource source({.x = x.view()});
  for (const Covariance type : kTypes) {
    const auto options = options_of(type, {{3, 2}, {0, 0, 12, 0, 24, 0}});
    const GaussianMixture right = GaussianMixture::fit(source, options, {}).model;
    CHECK(exchanges(right, posteriors(right, source), cuts_of(x, type), 2).empty());
  }
}

TEST_CASE("shared rows sum to the statistics of the posteriors that they are") {
  const std::vector<double> x = grouped(777, 3, 3, 4);
  MemorySource source = source_of(x, 3);
  GaussianMixture::Options options;
  options.n_components = 3;
  options.max_iter = 2;
  const GaussianMixture model = GaussianMixture::fit(source, options, {}).model;
  const auto summed = fold(source, GaussianMixture::Statistics(model), {});
  GaussianMixture::Statistics shared(model);
  shared.share(Dense<double>{x.data(), 777, 3, 3}, posteriors(model, source));
  CHECK(shared.total() == doctest::Approx(777).epsilon(1e-12));
  for (Index c = 0; c < 3; ++c) {
    CHECK(shared.weight(c) == doctest::Approx(summed.weight(c)).epsilon(1e-12));
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(shared.scatter(c)[i] == doctest::Approx(summed.scatter(c)[i]).epsilon(1e-9));
    }
  }
}
