#include "craton/cluster/minibatch_kmeans.h"

#include <doctest/doctest.h>

#include "craton/core/random.h"

using namespace craton;

namespace {

std::vector<double> blobs(Index n, Index d, Index groups) {
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    Random random(1, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index group = random.below(groups);
    for (Index j = 0; j < d; ++j) {
      x.push_back(static_cast<double>((group * 7 + j * 5) % 11) + random.normal());
    }
  }
  return x;
}

}  // namespace

TEST_CASE("mini-batches come near to k-means from the same start") {
  constexpr Index n = 30'000, d = 4, k = 10;
  const std::vector<double> x = blobs(n, d, k);
  MemorySource source({.x = Dense<double>{x.data(), n, d, d}});
  KMeans::Options whole;
  whole.n_clusters = k;
  whole.centers = Array{{k, d}, {x.begin(), x.begin() + k * d}};
  MiniBatchKMeans::Options batches;
  batches.n_clusters = k;
  batches.centers = whole.centers;
  const double lloyd = KMeans::fit(source, whole, {}).report.objective;
  const Fit<MiniBatchKMeans> fit = MiniBatchKMeans::fit(source, batches, {});
  CHECK(fit.report.converged);
  CHECK(-fit.report.objective < 1.05 * -lloyd);
  CHECK(fit.report.objective == doctest::Approx(fit.model.score(source, {})).epsilon(1e-13));
}

// One batch of all rows, once: every centre moves to the mean of its rows.
TEST_CASE("a batch of all rows is one step of k-means") {
  constexpr Index n = 500, d = 2, k = 4;
  const std::vector<double> x = blobs(n, d, k);
  MemorySource source({.x = Dense<double>{x.data(), n, d, d}});
  KMeans::Options step;
  step.n_clusters = k;
  step.centers = Array{{k, d}, {x.begin(), x.begin() + k * d}};
  step.max_iter = 1;
  MiniBatchKMeans::Options batch;
  batch.n_clusters = k;
  batch.centers = step.centers;
  batch.max_iter = 1;
  batch.batch_size = n;
  const Array a = KMeans::fit(source, step, {}).model.centers();
  const Array b = MiniBatchKMeans::fit(source, batch, {}).model.centers();
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    CHECK(a.values[i] == doctest::Approx(b.values[i]).epsilon(1e-13));
  }
}
