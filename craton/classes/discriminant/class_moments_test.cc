#include "craton/classes/discriminant/class_moments.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"

namespace craton::class_moments_test {

namespace {

constexpr Index kColumns = 3;

// Two classes of three; every fifth value of the second column is missing, most of the third are 0.
struct Rows {
  std::vector<double> x, weights;
  std::vector<std::int32_t> labels;

  Index size() const { return ssize(labels); }
  MemorySource source(const Matrix& matrix) const {
    Schema schema = numbered_schema(kColumns);
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b", "c"}};
    return MemorySource({.x = matrix, .labels = labels, .weights = weights}, schema);
  }
  Dense<double> dense() const { return {x.data(), size(), kColumns, kColumns}; }
  Rows slice(Index first, Index last) const {
    return {{x.begin() + first * kColumns, x.begin() + last * kColumns},
            {weights.begin() + first, weights.begin() + last},
            {labels.begin() + first, labels.begin() + last}};
  }
};

Rows random_rows(Index n, double offset) {
  Rows rows;
  for (Index i = 0; i < n; ++i) {
    Random random(5, Purpose::kTest, 0, usize(i));
    rows.labels.push_back(static_cast<std::int32_t>(random.below(2)));
    rows.weights.push_back(static_cast<double>(i % 5) / 4);
    rows.x.push_back(offset + rows.labels.back() + random.normal());
    rows.x.push_back(i % 5 == 3 ? NAN : offset + std::exp(random.normal()));
    rows.x.push_back(i % 3 == 0 ? random.normal() + 2 : 0);
  }
  return rows;
}

ClassMoments sums_of(const Rows& rows, const Matrix& matrix, int threads = 2) {
  MemorySource x = rows.source(matrix);
  return fold(x, ClassMoments(x, 3, MomentOrder::kFourth), {.threads = threads});
}
ClassMoments sums_of(const Rows& rows) { return sums_of(rows, rows.dense()); }

// Two passes in long double.
long double fourth_power(const Rows& rows, std::int32_t label, Index column) {
  long double weight = 0, mean = 0, result = 0;
  const auto for_values = [&](const auto& f) {
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      const double x = rows.x[i * kColumns + usize(column)];
      if (rows.labels[i] == label && !std::isnan(x)) f(x, rows.weights[i]);
    }
  };
  for_values([&](long double x, long double w) { weight += w, mean += w * x; });
  mean /= weight;
  for_values([&](long double x, long double w) {
    const long double square = (x - mean) * (x - mean);
    result += w * square * square;
  });
  return result;
}

double gap(const ClassMoments& sums, const Rows& rows) {
  long double largest = 0;
  for (Index at = 0; at < 2 * kColumns; ++at) {
    const Index c = at / kColumns, j = at % kColumns;
    const long double right = fourth_power(rows, static_cast<std::int32_t>(c), j);
    largest = std::max(largest, std::abs(sums.fourth_power(c, j) / right - 1));
  }
  return static_cast<double>(largest);
}

}  // namespace

TEST_CASE("fourth powers of columns are those of two passes, far from 0 and with missing values") {
  for (const double offset : {0.0, 1e6}) {
    const Rows rows = random_rows(20'000, offset);
    CHECK(gap(sums_of(rows), rows) <= 1e-11);
  }
}

TEST_CASE("fourth powers merge, and are taken back") {
  const Rows rows = random_rows(3'000, 1e3);
  const Rows first = rows.slice(0, 1'000), rest = rows.slice(1'000, 3'000);
  ClassMoments merged = sums_of(first), left = sums_of(rows);
  merged.merge(sums_of(rest));
  CHECK(gap(merged, rows) <= 1e-11);
  MemorySource x = rest.source(rest.dense());
  left.subtract(sums_of(rest), x);
  CHECK(gap(left, first) <= 1e-10);
  const ClassMoments back = ClassMoments::from(merged.arrays(), 3, kColumns, merged.hash());
  CHECK(back.order() == MomentOrder::kFourth);
  CHECK(back.fourth_power(1, 2) == merged.fourth_power(1, 2));
  merged.lower(MomentOrder::kSecond);
  CHECK(merged.arrays().size() + 2 == back.arrays().size());
}

TEST_CASE("fourth powers of sparse rows are those of dense ones") {
  const Rows rows = random_rows(5'000, 0);
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<Index> offsets{0};
  for (std::size_t at = 0; at < rows.x.size(); ++at) {
    if (rows.x[at] != 0) {
      values.push_back(rows.x[at]);
      columns.push_back(static_cast<std::int32_t>(at % kColumns));
    }
    if (at % kColumns == kColumns - 1) offsets.push_back(ssize(values));
  }
  const Sparse<double> sparse{offsets.data(), columns.data(), values.data(), rows.size(), kColumns};
  CHECK(gap(sums_of(rows, sparse), rows) <= 1e-11);
}

}  // namespace craton::class_moments_test
