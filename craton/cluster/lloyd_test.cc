#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/base/random.h"
#include "craton/cluster/kmeans.h"

// The loop of k-means: its trace, its end, and what bounds spare.

using namespace craton;

namespace {

std::vector<double> blobs(Index n, Index d, Index groups, std::uint64_t seed) {
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    Random random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index group = random.below(groups);
    for (Index j = 0; j < d; ++j) {
      const double centre = static_cast<double>((group * 7 + j * 5) % 11);
      x.push_back(static_cast<float>(centre + 2 * random.normal()));
    }
  }
  return x;
}

template <class T>
MemorySource source_of(const std::vector<T>& x, Index d) {
  return MemorySource({.x = Dense<T>{x.data(), std::ssize(x) / d, d, d}});
}

KMeans::Options options_with(Index n_clusters, KMeans::Algorithm algorithm) {
  KMeans::Options options;
  options.n_clusters = n_clusters;
  options.tol = 0;
  options.algorithm = algorithm;
  return options;
}

double inertia(const std::vector<double>& x, Index d, const Array& centers,
               const std::vector<std::int32_t>& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < usize(d); ++j) {
      const double e = x[i * usize(d) + j] - centers.values[usize(labels[i]) * usize(d) + j];
      sum += e * e;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("the trace has J at the start, after every assignment and after every move") {
  constexpr Index d = 3;
  const std::vector<double> x = blobs(800, d, 5, 1);
  MemorySource source = source_of(x, d);
  KMeans::Options options = options_with(4, KMeans::Algorithm::kAuto);
  options.centers = Array{{4, d}, {x.begin(), x.begin() + 4 * d}};
  const FitReport whole = KMeans::fit(source, options, {}).report;
  REQUIRE(whole.converged);
  CHECK(std::ssize(whole.trace) == 2 * whole.iterations + 1);

  KMeans before(options.centers);
  std::vector<std::int32_t> labels(800);
  for (Index i = 0; i < whole.iterations; ++i) {
    before.predict(source, labels, {});
    const auto at = static_cast<std::size_t>(2 * i);
    CHECK(-whole.trace[at] ==
          doctest::Approx(inertia(x, d, before.centers(), labels)).epsilon(1e-12));
    options.max_iter = i + 1;
    before = KMeans::fit(source, options, {}).model;
    CHECK(-whole.trace[at + 1] ==
          doctest::Approx(inertia(x, d, before.centers(), labels)).epsilon(1e-12));
  }
}

TEST_CASE("it ends when no row changes its centre") {
  constexpr Index d = 2;
  const std::vector<double> x = blobs(2'000, d, 6, 2);
  MemorySource source = source_of(x, d);
  KMeans::Options options = options_with(6, KMeans::Algorithm::kAuto);
  const Fit<KMeans> fit = KMeans::fit(source, options, {});
  REQUIRE(fit.report.converged);
  std::vector<std::int32_t> last(2'000), before(2'000);
  fit.model.predict(source, last, {});
  for (const Index earlier : {1, 2}) {
    options.max_iter = fit.report.iterations - earlier;
    KMeans::fit(source, options, {}).model.predict(source, before, {});
    CHECK((before == last) == (earlier == 1));
  }
}

TEST_CASE("bounds change neither centres nor labels nor the trace") {
  for (const auto& [d, k] :
       std::vector<std::pair<Index, Index>>{{2, 7}, {9, 20}, {40, 5}, {3, 60}, {40, 70}}) {
    CAPTURE(k);
    const std::vector<double> x = blobs(3'000, d, k + 2, static_cast<std::uint64_t>(k));
    const std::vector<float> floats(x.begin(), x.end());
    MemorySource doubles_source = source_of(x, d), floats_source = source_of(floats, d);
    for (Source* source :
         {static_cast<Source*>(&doubles_source), static_cast<Source*>(&floats_source)}) {
      const Fit<KMeans> plain =
          KMeans::fit(*source, options_with(k, KMeans::Algorithm::kLloyd), {});
      for (const auto algorithm : {KMeans::Algorithm::kAuto, KMeans::Algorithm::kHamerly}) {
        const Fit<KMeans> pruned = KMeans::fit(*source, options_with(k, algorithm), {});
        CHECK(pruned.model.centers() == plain.model.centers());
        CHECK(pruned.report.trace == plain.report.trace);
      }
    }
  }
}

TEST_CASE("bounds spare rows, and only rows whose centre stays") {
  constexpr Index d = 4, k = 5;
  const std::vector<double> x = blobs(4'000, d, k, 3);
  MemorySource source = source_of(x, d);
  KMeans::Options options = options_with(k, KMeans::Algorithm::kLloyd);
  options.max_iter = 2;
  const Array first = KMeans::fit(source, options, {}).model.centers();
  options.max_iter = 3;
  const Array second = KMeans::fit(source, options, {}).model.centers();

  RowBounds bounds(4'000, 1, 1);
  bounds.start(std::vector<std::int32_t>(k));
  fold(source, KMeans::Statistics(KMeans(first), &bounds), {});
  bounds.move(first, second);
  const KMeans moved(second);
  const KMeans::Statistics pruned =
      fold(source, KMeans::Statistics(moved, &bounds, KMeans::Statistics::Pass::kSpare), {});
  CHECK(pruned.spared() > 0.5);
  CHECK(pruned.spared() < 1);
  std::vector<std::int32_t> labels(4'000);
  moved.predict(source, labels, {});
  CHECK(bounds.labels == labels);
}

TEST_CASE("parts of the centres are spared, and no bound is wrong") {
  constexpr Index n = 3'000, d = 40, k = 80, parts = 5;
  const std::vector<double> x = blobs(n, d, k, 6);
  MemorySource source = source_of(x, d);
  KMeans::Options options = options_with(k, KMeans::Algorithm::kLloyd);
  options.max_iter = 3;
  KMeans model(KMeans::fit(source, options, {}).model.centers(), KMeans::Metric::kEuclidean, parts);
  const NearestCentres nearest(model.centers(), parts);
  const std::vector<std::int32_t> part_of = nearest.part_of_centres();
  RowBounds bounds(n, parts, 5);
  bounds.start(part_of);
  fold(source, KMeans::Statistics(model, &bounds), {});
  double spared = 0;
  for (int pass = 0; pass < 4; ++pass) {
    Array moved = model.centers();
    Random random(static_cast<std::uint64_t>(pass), Purpose::kTest);
    for (double& v : moved.values) v += 0.02 * random.normal();
    bounds.move(model.centers(), moved);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> squared(k);
      const double* row = &x[i * d];
      squared_distances(row, moved.values.data(), k, d, squared.data());
      const double own = std::sqrt(squared[usize(bounds.labels[i])]);
      CHECK(bounds.own(i) >= own);
      const std::uint64_t doubtful = bounds.doubtful(i, own);
      for (std::size_t c = 0; c < k; ++c) {
        if ((doubtful >> part_of[c] & 1) != 0 || static_cast<std::int32_t>(c) == bounds.labels[i]) {
          continue;
        }
        CHECK(std::sqrt(squared[c]) > own);
      }
    }
    model = KMeans(moved, KMeans::Metric::kEuclidean, parts);
    // The parts of the model are those of the bounds only if the centres are grouped alike.
    if (NearestCentres(moved, parts).part_of_centres() != part_of) break;
    const KMeans::Statistics pruned =
        fold(source, KMeans::Statistics(model, &bounds, KMeans::Statistics::Pass::kSpare), {});
    spared = std::max(spared, pruned.spared());
    std::vector<std::int32_t> labels(n);
    model.predict(source, labels, {});
    CHECK(bounds.labels == labels);
  }
  CHECK(spared > 0.2);
}

// Enough values for sums about one point instead of differences.
TEST_CASE("J of large tables is that of the differences") {
  constexpr Index n = 70'000, d = 16;
  for (const double spread : {1.0, 1e-6}) {
    CAPTURE(spread);
    std::vector<double> x = blobs(n, d, 5, 8);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t row = i / d;
      x[i] = static_cast<double>((row % 5 * 3 + i % d) % 7) * 10 + spread * x[i];
    }
    MemorySource source = source_of(x, d);
    KMeans::Options options = options_with(5, KMeans::Algorithm::kAuto);
    options.centers = Array{{5, d}, {x.begin(), x.begin() + 5 * d}};
    options.centers.values[0] = 1e5;  // far from all rows: its cluster is empty at first
    const Fit<KMeans> fit = KMeans::fit(source, options, {});
    CHECK(fit.report.converged);
    CHECK(fit.report.notes.empty());
    std::vector<std::int32_t> labels(n);
    fit.model.predict(source, labels, {});
    const double expected = inertia(x, d, fit.model.centers(), labels);
    CHECK(-fit.report.objective == doctest::Approx(expected).epsilon(1e-11));
    for (std::size_t i = 1; i < fit.report.trace.size(); ++i) {
      CHECK(fit.report.trace[i] >= fit.report.trace[i - 1] + 1e-13 * fit.report.trace[0]);
    }
    options.algorithm = KMeans::Algorithm::kLloyd;
    const Fit<KMeans> again = KMeans::fit(source, options, {.threads = 3});
    CHECK(again.model.centers() == fit.model.centers());
    CHECK(again.report.trace == fit.report.trace);
  }
}

TEST_CASE("sums that are kept from pass to pass are those of the rows, to the bit") {
  constexpr Index n = 66'001, d = 16, k = 9;
  const std::vector<double> x = blobs(n, d, 40, 9);
  const std::vector<float> floats(x.begin(), x.end());
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 5) / 2);
  for (const bool weighted : {false, true}) {
    MemorySource source(
        {.x = Dense<float>{floats.data(), n, d, d},
         .weights = weighted ? std::span<const double>(weights) : std::span<const double>()});
    KMeans::Options options = options_with(k, KMeans::Algorithm::kLloyd);
    options.max_iter = 40;
    const Fit<KMeans> plain = KMeans::fit(source, options, {});
    CHECK(plain.report.iterations > 8);  // long enough for few rows to change
    for (const int threads : {1, 2, 7}) {
      options.algorithm = threads == 1 ? KMeans::Algorithm::kHamerly : KMeans::Algorithm::kAuto;
      const Fit<KMeans> pruned = KMeans::fit(source, options, {.threads = threads});
      CHECK(pruned.model.centers() == plain.model.centers());
      CHECK(pruned.report.trace == plain.report.trace);
    }
  }
}

// Two groups at +-3000, each of two that lie 1 apart: |x|^2 - 2 x.c + |c|^2 in float finds them at
// random.
TEST_CASE("float data far from the origin are clustered as in double") {
  std::vector<double> x;
  for (int i = 0; i < 4'000; ++i) {
    Random random(4, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const double middle = i % 2 == 0 ? 3000 : -3000, side = i % 4 < 2 ? 0.5 : -0.5;
    for (int j = 0; j < 2; ++j) {
      x.push_back(static_cast<float>(middle + side + 0.1 * random.normal()));
    }
  }
  const std::vector<float> floats(x.begin(), x.end());
  MemorySource doubles_source = source_of(x, 2), floats_source = source_of(floats, 2);
  const KMeans::Options options = options_with(4, KMeans::Algorithm::kAuto);
  const Fit<KMeans> fit = KMeans::fit(floats_source, options, {});
  CHECK(fit.model.centers() == KMeans::fit(doubles_source, options, {}).model.centers());
  CHECK(fit.report.iterations <= 3);
  std::vector<std::int32_t> labels(4'000);
  fit.model.predict(floats_source, labels, {});
  for (std::size_t i = 4; i < labels.size(); ++i) CHECK(labels[i] == labels[i % 4]);
  CHECK(std::set(labels.begin(), labels.end()).size() == 4);
}
