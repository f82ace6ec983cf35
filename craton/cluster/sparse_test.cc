#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "craton/base/random.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/minibatch_kmeans.h"

using namespace craton;

namespace {

// Counts of words, mostly 0; some rows have none.
template <class T>
struct Words {
  static constexpr Index n = 1'500, d = 40;
  std::vector<T> dense = std::vector<T>(usize(n * d)), values;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;

  Words() {
    for (Index i = 0; i < n; ++i) {
      Random random(1, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
      const Index topic = random.below(4);
      for (Index j = 0; j < d; ++j) {
        const double rate = j / 10 == topic ? 0.5 : 0.04;
        if (random.uniform() > rate) continue;
        const auto value = static_cast<T>(1 + random.below(5));
        dense[usize(i * d + j)] = value;
        values.push_back(value);
        columns.push_back(static_cast<std::int32_t>(j));
      }
      offsets.push_back(std::ssize(values));
    }
  }
  MemorySource dense_source() const { return MemorySource({.x = Dense<T>{dense.data(), n, d, d}}); }
  MemorySource sparse_source() const {
    return MemorySource({.x = Sparse<T>{offsets.data(), columns.data(), values.data(), n, d}});
  }
};

template <class T>
void check_same() {
  const Words<T> words;
  MemorySource dense = words.dense_source(), sparse = words.sparse_source();
  KMeans::Options options;
  options.n_clusters = 5;
  options.tol = 0;
  for (const auto algorithm :
       {KMeans::Algorithm::kAuto, KMeans::Algorithm::kLloyd, KMeans::Algorithm::kHamerly}) {
    options.algorithm = algorithm;
    const Fit<KMeans> a = KMeans::fit(dense, options, {}), b = KMeans::fit(sparse, options, {});
    REQUIRE(a.report.trace.size() == b.report.trace.size());
    CHECK(a.report.data_hash == b.report.data_hash);
    for (std::size_t i = 0; i < a.report.trace.size(); ++i) {
      CHECK(a.report.trace[i] == doctest::Approx(b.report.trace[i]).epsilon(1e-12));
    }
    for (std::size_t i = 0; i < a.model.centers().values.size(); ++i) {
      CHECK(std::abs(a.model.centers().values[i] - b.model.centers().values[i]) < 1e-12);
    }
    std::vector<std::int32_t> labels(usize(words.n)), others(labels);
    b.model.predict(dense, labels, {});
    b.model.predict(sparse, others, {});
    CHECK(labels == others);
    std::vector<double> distances(usize(words.n * 5)), again(distances);
    b.model.transform(dense, distances, {});
    b.model.transform(sparse, again, {});
    for (std::size_t i = 0; i < again.size(); ++i) {
      CHECK(std::abs(again[i] - distances[i]) < 1e-7);  // the root of a rounding
    }
    CHECK(b.model.score(dense, {}) == doctest::Approx(b.model.score(sparse, {})).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("sparse rows are clustered like dense ones") {
  check_same<float>();
  check_same<double>();
}

TEST_CASE("sparse rows far from the origin are clustered like dense ones") {
  Words<double> words;
  for (std::size_t i = 0; i < words.values.size(); ++i) words.values[i] += 1e6;
  for (double& v : words.dense) v += v == 0 ? 0 : 1e6;
  MemorySource dense = words.dense_source(), sparse = words.sparse_source();
  KMeans::Options options;
  options.n_clusters = 4;
  const Fit<KMeans> a = KMeans::fit(dense, options, {}), b = KMeans::fit(sparse, options, {});
  CHECK(a.report.objective == doctest::Approx(b.report.objective).epsilon(1e-12));
}

TEST_CASE("mini-batches of sparse rows give what those of dense rows give") {
  const Words<double> words;
  MemorySource dense = words.dense_source(), sparse = words.sparse_source();
  MiniBatchKMeans::Options options;
  options.n_clusters = 4;
  options.batch_size = 200;
  options.max_iter = 3;
  const Fit<MiniBatchKMeans> a = MiniBatchKMeans::fit(dense, options, {});
  const Fit<MiniBatchKMeans> b = MiniBatchKMeans::fit(sparse, options, {.threads = 2});
  CHECK(a.report.objective == doctest::Approx(b.report.objective).epsilon(1e-12));
  for (std::size_t i = 0; i < a.model.centers().values.size(); ++i) {
    CHECK(std::abs(a.model.centers().values[i] - b.model.centers().values[i]) < 1e-11);
  }
}

// So many values that a fit begins with sums about the mean, and so few distinct rows that it ends
// where it starts.
TEST_CASE("a fit that ends where it starts counts each row once") {
  constexpr Index n = 600'000, d = 2;
  std::vector<double> dense(usize(n * d)), values(usize(n), 1.0);
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  for (Index i = 0; i < n; ++i) {
    const std::int32_t column = i % 3 == 0 ? 0 : 1;
    dense[usize(i * d + column)] = 1;
    columns.push_back(column);
    offsets.push_back(std::ssize(columns));
  }
  MemorySource rows({.x = Dense<double>{dense.data(), n, d, d}}),
      sparse_rows({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), n, d}});
  for (MemorySource* source : {&rows, &sparse_rows}) {
    KMeans::Options options;
    options.n_clusters = 2;
    const auto fit = KMeans::fit(*source, options, {.threads = 1});
    std::vector<double> weights = parameters_of(fit.model)[1].value.values;
    std::sort(weights.begin(), weights.end());
    CHECK(weights == std::vector<double>{200'000, 400'000});
  }
}
