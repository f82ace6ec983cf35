#include "craton/classes/discriminant/class_scatter.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton::class_scatter_test {

namespace {

struct Rows {
  Index d;
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights = {};

  Index size() const { return ssize(labels); }
  MemorySource source() const {
    Schema schema = numbered_schema(d);
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b", "c"}};
    return MemorySource(
        {.x = Dense<double>{x.data(), size(), d, d}, .labels = labels, .weights = weights}, schema);
  }
  Rows slice(Index first, Index last) const {
    return {d,
            {x.begin() + first * d, x.begin() + last * d},
            {labels.begin() + first, labels.begin() + last}};
  }
};

Rows random_rows(Index n, Index d, double offset) {
  Rows rows{d, {}, {}};
  for (Index i = 0; i < n; ++i) {
    Random random(5, Purpose::kTest, 0, usize(i));
    rows.labels.push_back(static_cast<std::int32_t>(random.below(2)));  // none of class c
    double common = random.normal();
    for (Index j = 0; j < d; ++j)
      rows.x.push_back(offset + common + random.normal() + rows.labels.back());
  }
  return rows;
}

ClassScatter sums_of(const Rows& rows, ClassScatter::Order order, int threads = 2) {
  MemorySource x = rows.source();
  return fold(x, ClassScatter(x, 3, order), {.threads = threads});
}

// Two passes in long double.
struct Exact {
  std::vector<long double> mean, scatter;
  long double fourth = 0, weight = 0;
};
Exact exact(const Rows& rows, std::int32_t label, const std::vector<double>& scale) {
  const std::size_t d = usize(rows.d);
  Exact e{std::vector<long double>(d), std::vector<long double>(d * d)};
  const auto for_rows_of = [&](const auto& f) {
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      if (rows.labels[i] == label) f(&rows.x[i * d], rows.weights.empty() ? 1 : rows.weights[i]);
    }
  };
  for_rows_of([&](const double* x, long double w) {
    e.weight += w;
    for (std::size_t j = 0; j < d; ++j) e.mean[j] += w * x[j];
  });
  for (long double& m : e.mean) m /= e.weight;
  for_rows_of([&](const double* x, long double w) {
    long double square = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const long double y = x[i] - e.mean[i];
      square += y * y / (scale[i] * scale[i]);
      for (std::size_t j = 0; j < d; ++j) e.scatter[i * d + j] += w * y * (x[j] - e.mean[j]);
    }
    e.fourth += w * square * square;
  });
  return e;
}

void check_exact(const Rows& rows, const ClassScatter& sums, double bound) {
  const std::vector<double> scale(usize(rows.d), 1.5);
  for (Index c = 0; c < 2; ++c) {
    const Exact e = exact(rows, static_cast<std::int32_t>(c), scale);
    CHECK(std::abs(sums.class_weight()[usize(c)] - e.weight) <= 1e-12L * e.weight);
    const std::vector<double> mean = sums.mean(c), scatter = sums.scatter(c);
    for (std::size_t j = 0; j < mean.size(); ++j) {
      CHECK(std::abs(mean[j] - e.mean[j]) <= 2e-16L * std::abs(e.mean[j]) + 1e-15L);
    }
    for (std::size_t i = 0; i < scatter.size(); ++i) {
      CHECK(std::abs(scatter[i] - e.scatter[i]) <= bound * e.scatter[0]);
    }
    if (sums.order() == ClassScatter::Order::kFourth) {
      CHECK(std::abs(sums.fourth_power(c, scale) - e.fourth) <= bound * e.fourth);
    }
  }
}

}  // namespace

TEST_CASE("scatter and fourth powers of classes are those of two passes, narrow and wide") {
  for (const Index d : {1, 3, 15, 16, 40}) {
    CAPTURE(d);
    for (const double offset : {0.0, 1e6}) {
      Rows rows = random_rows(3'000, d, offset);
      for (const bool weighted : {false, true}) {
        for (Index i = 0; weighted && i < rows.size(); ++i) {
          rows.weights.push_back(static_cast<double>(i % 5) / 4);
        }
        check_exact(rows, sums_of(rows, ClassScatter::Order::kSecond), 1e-12);
        check_exact(rows, sums_of(rows, ClassScatter::Order::kFourth), 1e-11);
      }
    }
  }
}

TEST_CASE("sums of integers merge, and are taken back, to the bit") {
  for (const auto order : {ClassScatter::Order::kSecond, ClassScatter::Order::kFourth}) {
    Rows rows = random_rows(2'000, 4, 100);
    for (double& v : rows.x) v = std::round(v);
    const ClassScatter whole = sums_of(rows, order), first = sums_of(rows.slice(0, 700), order);
    ClassScatter merged = first, left = whole;
    merged.merge(sums_of(rows.slice(700, 2'000), order));
    MemorySource x = rows.source();
    left.subtract(sums_of(rows.slice(700, 2'000), order), x);
    for (Index c = 0; c < 2; ++c) {
      CHECK(merged.scatter(c) == whole.scatter(c));
      CHECK(merged.mean(c) == whole.mean(c));
      CHECK(left.scatter(c) == first.scatter(c));
      CHECK(left.mean(c) == first.mean(c));
    }
    CHECK(merged.hash() == whole.hash());
    CHECK(left.hash() == first.hash());
  }
}

TEST_CASE("what was never seen cannot be taken back") {
  const Rows rows = random_rows(200, 2, 0);
  ClassScatter half = sums_of(rows.slice(0, 100), ClassScatter::Order::kSecond);
  MemorySource x = rows.source();
  check_refused([&] { half.subtract(sums_of(rows, ClassScatter::Order::kSecond), x); },
                Code::kBadTarget, -1, "has not seen all of these rows");
}

TEST_CASE("a value that is not there, or too large, is refused by row and column") {
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    Rows rows = random_rows(500, 3, 0);
    rows.x[321 * 3 + 2] = bad;
    check_refused([&] { sums_of(rows, ClassScatter::Order::kSecond); }, Code::kNotFinite, -1,
                  std::isnan(bad) ? "row 321 (counted from 0), column '3': the value is NaN"
                                  : "row 321 (counted from 0), column '3': the value is infinite");
  }
  Rows rows = random_rows(500, 3, 0);
  rows.x[5] = 1e200;
  check_refused([&] { sums_of(rows, ClassScatter::Order::kSecond); }, Code::kNotFinite, -1,
                "squares overflow");
}

TEST_CASE("a memory of sums comes back, and one that makes no sense is refused") {
  const Rows rows = random_rows(300, 3, 0);
  const ClassScatter sums = sums_of(rows, ClassScatter::Order::kFourth);
  const ClassScatter back = ClassScatter::from(sums.arrays(), 3, 3, sums.hash());
  CHECK(back.order() == ClassScatter::Order::kFourth);
  CHECK(back.scatter(1) == sums.scatter(1));
  for (const std::size_t array : {0u, 3u}) {
    std::vector<Parameter> broken = sums.arrays();
    broken[array].value.values[0] = -1;
    check_refused([&] { ClassScatter::from(broken, 3, 3, 0); }, Code::kDamagedModel, -1,
                  "negative");
  }
  check_refused([&] { ClassScatter::from(sums.arrays(), 3, 2, 0); }, Code::kDamagedModel, -1, "");
}

}  // namespace craton::class_scatter_test
