#include "craton/cluster/minibatch_kmeans.h"

#include <doctest/doctest.h>

#include "craton/base/random.h"
#include "tests/refused.h"

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

TEST_CASE("a fit knows the labels of its rows, or none of them") {
  constexpr Index n = 700, d = 3;
  const std::vector<double> x = blobs(n, d, 5);
  std::vector<double> weights(usize(n), 1.0);
  for (const bool nobody : {false, true}) {
    if (nobody) weights[7] = 0;
    MemorySource source({.x = Dense<double>{x.data(), n, d, d}, .weights = weights});
    std::vector<std::int32_t> expected(usize(n));
    const auto check = [&](const auto& fit) {
      fit.model.predict(source, expected, {});
      CHECK(fit.labels == (nobody ? std::vector<std::int32_t>() : expected));
    };
    MiniBatchKMeans::Options few;
    few.n_clusters = 5;
    few.batch_size = 100;
    check(MiniBatchKMeans::fit(source, few, {}));
    KMeans::Options options;
    options.n_clusters = 5;
    options.n_init = 3;
    for (const Index passes : {0, 1, 300}) {
      options.max_iter = passes;
      check(KMeans::fit(source, options, {}));
    }
  }
}

TEST_CASE("more rows move each centre by their share of all that it has had") {
  constexpr Index n = 400, d = 3, k = 4, more = 150;
  const std::vector<double> x = blobs(n + more, d, k);
  std::vector<double> weights;
  for (Index i = 0; i < more; ++i) weights.push_back(i % 3 == 0 ? 2.5 : 1);
  MemorySource first({.x = Dense<double>{x.data(), n, d, d}});
  MemorySource rest({.x = Dense<double>{x.data() + n * d, more, d, d}, .weights = weights});
  MiniBatchKMeans::Options options;
  options.n_clusters = k;
  const Fit<MiniBatchKMeans> before = MiniBatchKMeans::fit(first, options, {});
  const Fit<MiniBatchKMeans> after = MiniBatchKMeans::partial_fit(before, rest, options, {});
  std::vector<std::int32_t> labels(more);
  before.model.predict(rest, labels, {});
  const auto weight_of = [](const MiniBatchKMeans& model, Index c) {
    return parameters_of(model)[1].value.values[usize(c)];
  };
  double squares = 0;
  for (Index c = 0; c < k; ++c) {
    double had = weight_of(before.model, c), all = had;
    std::vector<double> sum(usize(d));
    for (Index j = 0; j < d; ++j)
      sum[usize(j)] = had * before.model.centers().values[usize(c * d + j)];
    for (Index i = 0; i < more; ++i) {
      if (labels[usize(i)] != c) continue;
      all += weights[usize(i)];
      for (Index j = 0; j < d; ++j) {
        const double value = x[usize((n + i) * d + j)];
        const double apart = value - before.model.centers().values[usize(c * d + j)];
        sum[usize(j)] += weights[usize(i)] * value;
        squares += weights[usize(i)] * apart * apart;
      }
    }
    CHECK(weight_of(after.model, c) == doctest::Approx(all).epsilon(1e-14));
    for (Index j = 0; j < d; ++j) {
      CHECK(after.model.centers().values[usize(c * d + j)] ==
            doctest::Approx(sum[usize(j)] / all).epsilon(1e-13));
    }
  }
  CHECK(after.report.objective == doctest::Approx(-squares).epsilon(1e-12));
  CHECK(after.report.iterations == before.report.iterations + 1);
  Fit<MiniBatchKMeans> endless = before;  // of a file that says so
  endless.report.iterations = FitReport::kMostIterations;
  const auto learned = MiniBatchKMeans::partial_fit(endless, rest, options, {});
  CHECK(learned.report.iterations == FitReport::kMostIterations);
  options.n_clusters = k + 1;
  check_refused([&] { MiniBatchKMeans::partial_fit(before, rest, options, {}); }, Code::kBadOption,
                -1, "the model to go on from has 4");
}

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
