#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/minibatch_kmeans.h"

// What the order of the rows changes (docs/determinism.md): the last digits of k-means' centres,
// and nothing else; of mini-batches, which are taken in the order of their hashes, nothing at all.

using namespace craton;

namespace {

constexpr Index kClusters = 10;

// Groups of rows, in tenths or as whole numbers.
std::vector<double> rows_of(Index n, Index d, bool whole) {
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    Random random(4, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index group = random.below(kClusters);
    for (Index j = 0; j < d; ++j) {
      const double value = static_cast<double>((group * 7 + j * 5) % 16) + 2 * random.normal();
      x.push_back(whole ? std::round(value) : std::round(10 * value) / 10);
    }
  }
  return x;
}

struct Result {
  Array start, centers, batches;
  std::vector<double> weights;
  std::vector<std::int32_t> labels;  // in the order of the table
  Index iterations;
};

Result fit(const std::vector<double>& x, Index d, const std::vector<Index>& order) {
  const Index n = std::ssize(order);
  std::vector<double> shuffled(x.size());
  for (Index i = 0; i < n; ++i) {
    std::copy_n(&x[usize(order[usize(i)] * d)], d, &shuffled[usize(i * d)]);
  }
  MemorySource source({.x = Dense<double>{shuffled.data(), n, d, d}});
  KMeans::Options options;
  options.n_clusters = kClusters;
  options.max_iter = 0;
  Result result{.start = KMeans::fit(source, options, {}).model.centers(),
                .centers = {},
                .batches = {},
                .weights = {},
                .labels = std::vector<std::int32_t>(usize(n)),
                .iterations = 0};
  options.max_iter = 8;
  const Fit<KMeans> whole = KMeans::fit(source, options, {});
  result.centers = whole.model.centers();
  result.weights = parameters_of(whole.model)[1].value.values;
  result.iterations = whole.report.iterations;
  std::vector<std::int32_t> labels(usize(n));
  whole.model.predict(source, labels, {});
  for (Index i = 0; i < n; ++i) result.labels[usize(order[usize(i)])] = labels[usize(i)];
  MiniBatchKMeans::Options batches;
  batches.n_clusters = kClusters;
  batches.max_iter = 2;
  result.batches = MiniBatchKMeans::fit(source, batches, {}).model.centers();
  return result;
}

}  // namespace

TEST_CASE("the order of the rows changes the last digits of the centres alone") {
  struct Size {
    Index n, d;
  };
  for (const auto& [n, d] :
       {Size{1800, 64}, Size{70'000, 16}}) {  // sums of all rows, of moved ones
    for (const bool whole : {true, false}) {
      CAPTURE(n);
      CAPTURE(whole);
      const std::vector<double> x = rows_of(n, d, whole);
      std::vector<Index> order(usize(n));
      Random random(8, Purpose::kTest);
      random.permutation(order);
      const Result one = fit(x, d, order);
      for (int times = 0; times < 3; ++times) {
        random.permutation(order);
        const Result other = fit(x, d, order);
        CHECK(other.start == one.start);
        CHECK(other.batches == one.batches);
        CHECK(other.labels == one.labels);
        CHECK(other.weights == one.weights);
        CHECK(other.iterations == one.iterations);
        double apart = 0;
        for (std::size_t i = 0; i < one.centers.values.size(); ++i) {
          apart = std::max(apart, std::abs(other.centers.values[i] - one.centers.values[i]));
        }
        CHECK(apart < 2e-14 * 16);  // of the spread of the columns
      }
    }
  }
}
