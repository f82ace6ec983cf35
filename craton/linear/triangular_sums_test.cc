#include "craton/linear/triangular_sums.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"
#include "tests/regression_tables.h"

namespace craton::triangular_sums_test {
namespace {

TriangularSums sums_of(const RegressionTable& table, int threads = 1) {
  MemorySource x = table.source();
  const Exec exec{.threads = threads};
  return sum_triangles(x, check_regression(x, exec), exec);
}

TriangularSums sums_by(const RegressionTable& table, SumBy by) {
  MemorySource x = table.source();
  return sum_triangles(x, check_regression(x, {}), {}, by);
}

// The largest difference of two triangles, over the length of the column.
double difference(const TriangularSums& a, const TriangularSums& b) {
  REQUIRE(a.factor().size() == b.factor().size());
  const Index n = a.width();
  double most = 0;
  for (Index j = 0; j < n; ++j) {
    double length = 0;
    for (Index i = 0; i <= j; ++i) length += std::pow(a.factor()[usize(i * n + j)], 2);
    for (Index i = 0; i <= j; ++i) {
      const double gap = a.factor()[usize(i * n + j)] - b.factor()[usize(i * n + j)];
      if (length > 0) most = std::max(most, std::abs(gap) / std::sqrt(length));
    }
  }
  return most;
}

Bytes bytes_of(const TriangularSums& sums) {
  Writer writer;
  sums.write(writer);
  return writer.take();
}

}  // namespace

TEST_CASE("R'R is the sum of weighted products of the rows") {
  RegressionTable table = random_regression(700, 5, 1);
  for (Index i = 0; i < 700; ++i) table.weights.push_back(static_cast<double>(i % 4));
  for (const SumBy by : {SumBy::kProducts, SumBy::kReflections}) {
    const TriangularSums sums = sums_by(table, by);
    const Index n = sums.width();
    for (Index a = 0; a < n; ++a) {
      for (Index b = 0; b < n; ++b) {
        double expected = 0, found = 0;
        for (Index i = 0; i < 700; ++i) {
          const auto z = [&](Index j) {
            if (j == 0) return 1.0;
            const double v = j < n - 1 ? table.x[usize(i * 5 + j - 1)] : table.y[usize(i)];
            return (v - sums.frame().shift[usize(j - 1)]) * sums.frame().unit[usize(j - 1)];
          };
          expected += table.weights[usize(i)] * z(a) * z(b);
        }
        for (Index k = 0; k < n; ++k) {
          found += sums.factor()[usize(k * n + a)] * sums.factor()[usize(k * n + b)];
        }
        CHECK(found == doctest::Approx(expected).epsilon(1e-12).scale(700));
      }
    }
    CHECK(sums.weight() == 1050);
    CHECK(sums.rows() == 525);
  }
}

TEST_CASE("sums have the same bits for 1, 2 and 7 threads") {
  RegressionTable table = random_regression(20000, 30, 2);
  const Bytes one = bytes_of(sums_of(table, 1));
  CHECK(bytes_of(sums_of(table, 2)) == one);
  CHECK(bytes_of(sums_of(table, 7)) == one);
  for (Index i = 0; i < 20000; ++i)
    table.x[usize(i * 30 + 4)] = 1e-6 * table.x[usize(i * 30 + 4)] + table.x[usize(i * 30 + 3)];
  CHECK(bytes_of(sums_of(table, 7)) == bytes_of(sums_of(table, 1)));  // in two passes
}

TEST_CASE("products of ill-conditioned columns are as good as reflections") {
  // Powers of numbers in (0, 1): each column is nearly a sum of the others.
  RegressionTable table{9, {}, {}, {}};
  for (Index i = 0; i < 3000; ++i) {
    Random random(3, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const double u = random.uniform();
    double power = 1;
    for (Index j = 0; j < 9; ++j) table.x.push_back(power *= u);
    table.y.push_back(std::sin(5 * u) + 0.1 * random.normal());
  }
  // Rounding by the condition number, 1e7.
  CHECK(difference(sums_by(table, SumBy::kProducts), sums_by(table, SumBy::kReflections)) < 1e-11);
}

TEST_CASE("residuals far smaller than the targets keep their digits") {
  RegressionTable table = random_regression(3000, 4, 10);
  for (Index i = 0; i < 3000; ++i) {  // noise of 1e-7
    const double* const x = table.x.data() + i * 4;
    const double exact = 1 - x[0] + x[2] - x[3];
    table.y[usize(i)] = exact + 1e-7 * (table.y[usize(i)] - exact);
  }
  const double a = sums_by(table, SumBy::kProducts).factor().back();
  const double b = sums_by(table, SumBy::kReflections).factor().back();
  CHECK(a == doctest::Approx(b).epsilon(1e-9).scale(0));
}

TEST_CASE("columns that depend on others, or are constant, leave a triangle all the same") {
  RegressionTable table = random_regression(3000, 6, 4);
  for (Index i = 0; i < 3000; ++i) {
    double* const x = table.x.data() + i * 6;
    x[2] = 7;
    x[5] = 2 * x[0] - x[1];
  }
  const TriangularSums a = sums_by(table, SumBy::kProducts);
  const TriangularSums b = sums_by(table, SumBy::kReflections);
  for (const double v : a.factor()) CHECK(std::isfinite(v));
  const auto product = [](const TriangularSums& s, Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < 8; ++k)
      sum += s.factor()[usize(k * 8 + i)] * s.factor()[usize(k * 8 + j)];
    return sum;
  };
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 8; ++j) {
      CHECK(product(a, i, j) == doctest::Approx(product(b, i, j)).epsilon(1e-11).scale(3000));
    }
  }
}

TEST_CASE("two halves merged equal the whole, about their own means") {
  RegressionTable table = random_regression(2000, 7, 5);
  for (Index i = 1000; i < 2000; ++i) {
    for (Index j = 0; j < 7; ++j) table.x[usize(i * 7 + j)] += 1000;  // another shift, other units
  }
  const TriangularSums whole = sums_by(table, SumBy::kReflections);
  for (const Index cut : {1, 3, 700, 1999}) {
    TriangularSums left = sums_of(table.part(0, cut));
    left.merge(sums_of(table.part(cut, 2000)));
    CHECK(left.rows() == 2000);
    TriangularSums again(whole.frame());
    again.merge(whole);
    TriangularSums in_whole(whole.frame(), std::vector<double>(whole.factor().size()), 0, 1, 0);
    in_whole.merge(left);  // rows of zeros, in the frame of the whole
    CHECK(difference(in_whole, whole) < 1e-12);
  }
}

TEST_CASE("fewer rows than columns are kept as they are") {
  const RegressionTable table = random_regression(5, 40, 6);
  const TriangularSums sums = sums_of(table);
  CHECK(sums.height() == 5);
  CHECK(sums.width() == 42);
}

TEST_CASE("sparse rows have the sums of dense ones") {
  RegressionTable table = random_regression(4000, 12, 7);
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (Index i = 0; i < 4000; ++i) {
    for (Index j = 0; j < 12; ++j) {
      double& v = table.x[usize(i * 12 + j)];
      if (j == 3) v += 1e6;  // an entry in every row: it is shifted
      if (j != 3 && (i + j) % 5 != 0) v = 0;
      if (v == 0) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(v);
    }
    offsets.push_back(std::ssize(values));
    table.weights.push_back(static_cast<double>(i % 3));
  }
  MemorySource sparse({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 4000, 12},
                       .targets = table.y,
                       .weights = table.weights});
  for (const SumBy by : {SumBy::kProducts, SumBy::kReflections}) {
    const TriangularSums found = sum_triangles(sparse, check_regression(sparse, {}), {}, by);
    const TriangularSums dense = sums_by(table, by);
    TriangularSums in_dense(dense.frame(), std::vector<double>(dense.factor().size()), 0, 1, 0);
    in_dense.merge(found);
    CHECK(difference(in_dense, dense) < 1e-12);
    CHECK(found.frame().shift[0] == 0);
    CHECK(found.frame().shift[3] != 0);
  }
}

TEST_CASE("sums come back from an array, and damaged ones are refused") {
  const TriangularSums sums = sums_of(random_regression(50, 3, 8));
  const Array array = sums.to_array();
  CHECK(bytes_of(TriangularSums::from_array(array, 3)) == bytes_of(sums));
  CHECK_THROWS_AS(TriangularSums::from_array(array, 4), InputError);
  for (const std::size_t at : {0u, 1u, 8u, 20u}) {
    Array bad = array;
    bad.values[at] = std::nan("");
    CHECK_THROWS_AS(TriangularSums::from_array(bad, 3), InputError);
  }
}

TEST_CASE("a target that is missing is told by its row") {
  RegressionTable table = random_regression(20, 2, 9);
  table.y[7] = std::nan("");
  try {
    sums_of(table);
    CHECK(false);
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kBadTarget);
    CHECK(error.place().row == 7);
  }
}

}  // namespace craton::triangular_sums_test
