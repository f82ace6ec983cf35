#include "craton/cluster/starts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/kernels/nearest.h"

namespace craton::starts_test {

namespace {

constexpr StartRule kRules[] = {StartRule::kPlusPlus, StartRule::kRandom, StartRule::kParallel};

std::vector<double> groups(Index n, Index d, Index k, std::uint64_t seed) {
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    Random random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index group = random.below(k);
    for (Index j = 0; j < d; ++j) {
      const double value = static_cast<double>((group * 13 + j * 7) % 29) + 0.3 * random.normal();
      x.push_back(random.uniform() < 0.3 ? 0 : value);
    }
  }
  return x;
}

MemorySource source_of(const std::vector<double>& x, Index d,
                       std::span<const double> weights = {}) {
  return MemorySource({.x = Dense<double>{x.data(), std::ssize(x) / d, d, d}, .weights = weights});
}

std::vector<Start> starts(Index k, std::uint64_t seed) {
  std::vector<Start> all;
  for (const StartRule rule : kRules) {
    for (const Index trials : {1, 5}) {
      all.push_back({.rule = rule, .k = k, .seed = seed, .local_trials = trials});
    }
  }
  return all;
}

double inertia(const std::vector<double>& x, const Array& centres) {
  std::vector<const double*> rows;
  for (std::size_t i = 0; i < x.size(); i += usize(centres.cols())) rows.push_back(&x[i]);
  std::vector<std::int32_t> labels(rows.size());
  NearestCentres(centres).find(rows, labels.data(), nullptr);
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (Index j = 0; j < centres.cols(); ++j) {
      const double e = rows[i][j] - centres.view().row(labels[i])[j];
      sum += e * e;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("neither the order of the rows nor weights for repeats change a start") {
  constexpr Index n = 600, d = 3;
  const std::vector<double> x = groups(n, d, 9, 1);
  std::vector<double> weights, repeated;
  std::vector<Index> order;
  for (Index i = 0; i < n; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    order.insert(order.end(), usize(i % 3), i);
  }
  std::vector<Index> shuffle(order.size());
  Random(2, Purpose::kTest).permutation(shuffle);
  for (const Index s : shuffle) {
    const auto row = x.begin() + order[usize(s)] * d;
    repeated.insert(repeated.end(), row, row + d);
  }
  MemorySource weighted = source_of(x, d, weights), copies = source_of(repeated, d);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const Start& start : starts(8, seed)) {
      CAPTURE(static_cast<int>(start.rule));
      CHECK(choose_start(weighted, start, {}) == choose_start(copies, start, {}));
    }
  }
}

TEST_CASE("sparse rows start like dense ones") {
  constexpr Index n = 500, d = 6;
  const std::vector<double> x = groups(n, d, 9, 3);
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      if (x[usize(i * d + j)] == 0) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(x[usize(i * d + j)]);
    }
    offsets.push_back(std::ssize(values));
  }
  MemorySource dense = source_of(x, d);
  MemorySource sparse({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), n, d}});
  for (const Start& start : starts(7, 4)) {
    CAPTURE(static_cast<int>(start.rule));
    CHECK(choose_start(dense, start, {}) == choose_start(sparse, start, {}));
  }
}

TEST_CASE("threads and ranks do not change a start") {
  const std::vector<double> x = groups(20'000, 2, 9, 5);
  MemorySource source = source_of(x, 2);
  for (const Start& start : starts(6, 6)) {
    const Array expected = choose_start(source, start, {.threads = 1});
    CHECK(choose_start(source, start, {.threads = 7}) == expected);
    run_in_process_ranks(3, [&](Comm& comm) {
      MemorySource mine = source_of(x, 2);
      CHECK(choose_start(mine, start, {.threads = 1, .comm = &comm}) == expected);
    });
  }
}

// 50 groups far apart: plain k-means++ misses some of them in most draws.
TEST_CASE(
    "greedy k-means++ and k-means|| start nearer than plain k-means++, and that than chance") {
  const std::vector<double> x = groups(2'000, 4, 29, 7);
  MemorySource source = source_of(x, 4);
  double greedy = 0, plain = 0, chance = 0, parallel = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto of = [&](StartRule rule, Index trials) {
      return inertia(
          x,
          choose_start(source, {.rule = rule, .k = 29, .seed = seed, .local_trials = trials}, {}));
    };
    greedy += of(StartRule::kPlusPlus, default_local_trials(29));
    plain += of(StartRule::kPlusPlus, 1);
    chance += of(StartRule::kRandom, 1);
    parallel += of(StartRule::kParallel, 1);
  }
  CHECK(greedy < 0.9 * plain);
  CHECK(parallel < 0.9 * plain);
  CHECK(plain < 0.9 * chance);
}

// What is left out as too far must not change anything: a candidate at twice the distance of its
// own centre is a tie that rounding may decide either way.
TEST_CASE("greedy k-means++ keeps the candidate that leaves the least") {
  const std::vector<double> x = groups(300, 2, 9, 8);
  MemorySource source = source_of(x, 2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Start two{.k = 2, .seed = seed, .local_trials = 300};  // nearly every row is drawn
    const Array centres = choose_start(source, two, {});
    double least = INFINITY;
    for (Index i = 0; i < 300; ++i) {
      Array other = centres;
      std::copy_n(&x[usize(2 * i)], 2, other.values.begin() + 2);
      least = std::min(least, inertia(x, other));
    }
    CHECK(inertia(x, centres) <= 1.15 * least);
  }
}

TEST_CASE("k-means|| of fewer distinct rows than centres") {
  const std::vector<double> x{1, 1, 2, 2, 1, 1, 3, 3};
  MemorySource source = source_of(x, 2);
  const Start three{.rule = StartRule::kParallel, .k = 3};
  const Array centres = choose_start(source, three, {});
  CHECK(std::set(centres.values.begin(), centres.values.end()) == std::set<double>{1, 2, 3});
  Start four = three;
  four.k = 4;
  CHECK_THROWS_WITH_AS(choose_start(source, four, {}), doctest::Contains("only 3 distinct rows"),
                       InputError);
  four.repeat = true;
  const auto filled = choose_start(source, four, {});
  CHECK(std::equal(filled.view().row(3), filled.view().row(3) + 2, filled.view().row(0)));
}

}  // namespace craton::starts_test
