#include "craton/classes/counts/feature_sums.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/classes/counts/sums_by_class.h"
#include "tests/refused.h"

namespace craton::feature_sums_test {
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

void check_same(const NonzeroSums& a, const NonzeroSums& b) {
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
      std::vector<NonzeroSums> found;
      for (const Summing way : {Summing::kCounts, Summing::kOrderFree, Summing::kNumbers}) {
        const FeatureSums sums =
            fold(x, FeatureSums(x, kClasses, summand, way, 30), {.threads = 2});
        CHECK(sums.sound());
        found.push_back(sums.nonzero({}));
      }
      for (const int threads : {1, 2, 3}) {
        const auto by_class = sums_by_class(x, kClasses, summand, {.threads = threads});
        REQUIRE(by_class);
        found.push_back(*by_class);
      }
      CHECK(found[0].values() == want);
      for (const NonzeroSums& other : found) check_same(found[0], other);
    }
  }
}

TEST_CASE("rows that nobody looked at are refused without a table to name") {
  const Index offsets[] = {0, 1};
  const std::int32_t column = 1;
  const double value = -0.5, weight = 1;
  Chunk chunk;
  chunk.first_row = 7;
  chunk.x = Sparse<double>{offsets, &column, &value, 1, 2};
  FeatureSums sums = FeatureSums::none(2, 1);
  try {
    sums.share(chunk, {&weight, 1});
    FAIL("a weight below 0 is no count");
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kOutsideSupport);
    CHECK(error.place().row == 7);
  }
}

TEST_CASE("what is no count is summed exactly in another way, or refused") {
  const auto check = [](const Rows& rows) {
    MemorySource x = rows.source();
    const FeatureSums counts = fold(x, FeatureSums(x, kClasses, {}, Summing::kCounts), {});
    CHECK_FALSE(counts.sound());
    const NonzeroSums all = sum_features(x, kClasses, {}, {}).nonzero({});
    const std::vector<double> want = plain_sums(rows, true, {}), found = all.values();
    for (std::size_t i = 0; i < want.size(); ++i) {
      CHECK(found[i] == doctest::Approx(want[i]).epsilon(1e-15));
    }
    if (const auto by_class = sums_by_class(x, kClasses, {}, {})) check_same(*by_class, all);
    return sums_by_class(x, kClasses, {}, {}).has_value();
  };
  Rows rows = Rows::random(60, 2);
  rows.weights.assign(rows.weights.size(), 1);
  Rows changed = rows;
  changed.values[5] = 0.1;
  CHECK(check(changed));
  for (double& v : changed.values) v = std::sqrt(v);
  CHECK(check(changed));
  changed = rows;
  changed.values[5] = 4294967296.0;  // alone
  CHECK(check(changed));
  changed.values[5] = changed.values[6] = 4294967295.0;  // together, in columns of their own
  CHECK(check(changed));
  for (const double extreme : {1e-310, 1e-160, 1e280}) {  // nothing is lost of small numbers
    changed = rows;
    for (double& v : changed.values) v *= extreme;
    CHECK_FALSE(check(changed));
  }
  changed = rows;
  changed.weights[7] = 4294967296.0;
  CHECK(check(changed));
  changed.weights[7] = 1.5;
  CHECK_FALSE(check(changed));
  for (const double bad : {-1.0, HUGE_VAL, std::nan("")}) {
    changed = rows;
    changed.values[5] = bad;
    MemorySource x = changed.source();
    CHECK_FALSE(sums_by_class(x, kClasses, {}, {}));
    CHECK_THROWS_AS(sum_features(x, kClasses, {}, {}), InputError);
  }
}

TEST_CASE("sums of fractions are the same bits in any order of the rows") {
  Rows rows = Rows::random(300, 5), turned = rows;
  // Some columns are so small that all of a sum is in its lower part.
  for (std::size_t e = 0; e < rows.values.size(); ++e) {
    rows.values[e] =
        std::ldexp(std::sqrt(rows.values[e] + 1e-9), rows.columns[e] % 3 == 0 ? -45 : 0);
  }
  rows.weights.assign(rows.weights.size(), 1);
  turned.offsets = {0};
  turned.columns.clear();
  turned.values.clear();
  turned.weights = rows.weights;
  for (std::size_t i = 300; i-- > 0;) {
    turned.labels[299 - i] = rows.labels[i];
    for (Index e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      turned.columns.push_back(rows.columns[usize(e)]);
      turned.values.push_back(rows.values[usize(e)]);
    }
    turned.offsets.push_back(std::ssize(turned.columns));
  }
  MemorySource a = rows.source(), b = turned.source();
  check_same(sum_features(a, kClasses, {}, {}).nonzero({}), *sums_by_class(b, kClasses, {}, {}));
}

TEST_CASE("rows without labels are left out, and counted") {
  Rows rows = Rows::random(60, 3);
  rows.labels[4] = -1;
  MemorySource x = rows.source();
  CHECK_FALSE(sums_by_class(x, kClasses, {}, {}));
  CHECK(sum_features(x, kClasses, {}, {}).nonzero({}).unlabelled == 1);
}

}  // namespace craton::feature_sums_test
