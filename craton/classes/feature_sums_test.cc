#include "craton/classes/feature_sums.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/classes/count_by_class.h"
#include "craton/core/random.h"
#include "tests/refused.h"

namespace craton {
namespace {

constexpr Index kClasses = 3, kColumns = 40;

// Sparse rows of labelled counts.
struct Rows {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns, labels;
  std::vector<double> values, weights;

  static Rows random(Index rows, std::uint64_t seed) {
    Rows r;
    Random random(seed, Purpose::kSample, 0, 0);
    for (Index i = 0; i < rows; ++i) {
      for (std::int32_t j = 0; j < kColumns; ++j) {
        if (random.uniform() > 0.2) continue;
        r.columns.push_back(j);
        r.values.push_back(std::floor(10 * random.uniform()));
      }
      r.offsets.push_back(std::ssize(r.columns));
      r.labels.push_back(static_cast<std::int32_t>(3 * random.uniform()));
      r.weights.push_back(std::floor(3 * random.uniform()));
    }
    return r;
  }
  MemorySource source(bool weighted = true) const {
    Memory memory{.x = Sparse<double>{offsets.data(), columns.data(), values.data(),
                                      std::ssize(labels), kColumns}};
    memory.labels = labels;
    if (weighted) memory.weights = weights;
    Schema schema{.columns = {}, .target = Column{"class"}, .unnamed = kColumns};
    schema.target->levels = {"a", "b", "c"};
    return MemorySource(memory, schema);
  }
};

// The sums of one entry after the other.
std::vector<double> plain_sums(const Rows& rows, bool weighted, const Summand& summand) {
  std::vector<double> sums(usize(kClasses * kColumns));
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    for (Index e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      const double v = rows.values[usize(e)], term = summand.binary ? v > summand.threshold : v;
      sums[usize(rows.labels[i] * kColumns + rows.columns[usize(e)])] +=
          (weighted ? rows.weights[i] : 1) * term;
    }
  }
  return sums;
}

void check_same(const SeenSums& a, const SeenSums& b) {
  CHECK(a.values() == b.values());
  CHECK(a.weight == b.weight);
  CHECK(a.hash == b.hash);
  CHECK(a.unlabelled == b.unlabelled);
  for (std::size_t c = 0; c < a.of_class.size(); ++c) {
    CHECK(a.of_class[c].features == b.of_class[c].features);
    CHECK(a.of_class[c].total == b.of_class[c].total);
  }
}

}  // namespace

TEST_CASE("every way of summing finds the sums, and by class as all at once") {
  const Rows rows = Rows::random(700, 1);
  for (const bool weighted : {false, true}) {
    for (const Summand summand : {Summand{}, Summand{.binary = true, .threshold = 3}}) {
      MemorySource x = rows.source(weighted);
      const std::vector<double> want = plain_sums(rows, weighted, summand);
      std::vector<SeenSums> found;
      for (const Summing way : {Summing::kCounts, Summing::kIntegers, Summing::kNumbers}) {
        const FeatureSums sums = fold(x, FeatureSums(x, kClasses, summand, way), {.threads = 2});
        CHECK(sums.sound());
        found.push_back(sums.seen({}));
      }
      for (const int threads : {1, 2, 3}) {
        const auto by_class = count_by_class(x, kClasses, summand, {.threads = threads});
        REQUIRE(by_class);
        found.push_back(*by_class);
      }
      CHECK(found[0].values() == want);
      for (const SeenSums& other : found) check_same(found[0], other);
    }
  }
}

TEST_CASE("what is no count is left to other ways of summing, or refused") {
  const auto check = [](const Rows& rows, bool fractions) {
    MemorySource x = rows.source();
    CHECK_FALSE(count_by_class(x, kClasses, {}, {}));
    const FeatureSums counts = fold(x, FeatureSums(x, kClasses, {}, Summing::kCounts), {});
    CHECK_FALSE(counts.sound());
    CHECK(counts.fractions() == fractions);
    CHECK(sum_features(x, kClasses, {}, {}).seen({}).values() == plain_sums(rows, true, {}));
  };
  Rows rows = Rows::random(60, 2);
  rows.weights.assign(rows.weights.size(), 1);
  Rows changed = rows;
  changed.values[5] = 0.5;
  check(changed, true);
  changed.values[5] = 4294967296.0;  // alone
  check(changed, false);
  changed.values[5] = changed.values[6] = 4294967295.0;  // together, in columns of their own
  check(changed, false);
  changed = rows;
  changed.weights[7] = 4294967296.0;
  check(changed, false);
  changed.weights[7] = 1.5;
  check(changed, true);
  for (const double bad : {-1.0, HUGE_VAL, std::nan("")}) {
    changed = rows;
    changed.values[5] = bad;
    MemorySource x = changed.source();
    CHECK_FALSE(count_by_class(x, kClasses, {}, {}));
    CHECK_THROWS_AS(sum_features(x, kClasses, {}, {}), InputError);
  }
}

TEST_CASE("rows without labels are left out, and counted") {
  Rows rows = Rows::random(60, 3);
  rows.labels[4] = -1;
  MemorySource x = rows.source();
  CHECK_FALSE(count_by_class(x, kClasses, {}, {}));
  CHECK(sum_features(x, kClasses, {}, {}).seen({}).unlabelled == 1);
}

}  // namespace craton
