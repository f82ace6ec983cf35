#include "craton/kernels/algebra/tridiagonal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "craton/base/random.h"
#include "tests/each_target.h"

namespace craton::tridiagonal_test {
namespace {

using kernel_test::for_each_target;

struct Tridiagonal {
  std::vector<double> diagonal, beside;  // of d and d - 1 numbers
};

Tridiagonal made(Index d, const std::function<double(Index)>& diagonal,
                 const std::function<double(Index)>& beside) {
  Tridiagonal t;
  for (Index i = 0; i < d; ++i) t.diagonal.push_back(diagonal(i));
  for (Index i = 0; i + 1 < d; ++i) t.beside.push_back(beside(i));
  return t;
}

// Wilkinson's W+ of so many rows, 10 9 .. 0 .. 9 10 and 1 beside for 21, repeated.
Tridiagonal glued(Index size, Index copies, double glue) {
  return made(
      size * copies, [=](Index i) { return std::abs(static_cast<double>(i % size - size / 2)); },
      [=](Index i) { return i % size == size - 1 ? glue : 1.0; });
}

// How many eigenvalues lie below x: Sylvester's law of inertia for the pivots of T - x.
Index count_below(const Tridiagonal& t, long double x) {
  Index count = 0;
  long double pivot = 1;
  for (std::size_t i = 0; i < t.diagonal.size(); ++i) {
    const long double e = i > 0 ? t.beside[i - 1] : 0;
    pivot = t.diagonal[i] - x - (e == 0 ? 0 : e * e / pivot);
    if (pivot == 0) pivot = -1e-4900L;
    count += pivot < 0;
  }
  return count;
}

void check(const std::string& name, const Tridiagonal& t) {
  const Index d = std::ssize(t.diagonal);
  double norm = 0;
  for (const double v : t.diagonal) norm = std::max(norm, std::abs(v));
  for (const double v : t.beside) norm = std::max(norm, std::abs(v));
  const double few = 4 * std::sqrt(static_cast<double>(d)) * 0x1p-53 * norm;
  for_each_target([&] {
    CAPTURE(name);
    CAPTURE(d);
    std::vector<double> values = t.diagonal, beside = t.beside, rows(usize(d * d), 7);
    std::vector<Index> order(usize(d));
    beside.push_back(0);
    REQUIRE(tridiagonal_eigen(values.data(), beside.data(), d, rows.data(), order.data()));
    Index disordered = 0, wrong = 0;
    double residual = 0, skew = 0;
    for (Index j = 0; j < d; ++j) {
      const Index at = order[usize(j)];
      const double value = values[usize(at)], *const v = rows.data() + at * d;
      disordered += j > 0 && values[usize(order[usize(j - 1)])] > value;
      wrong += count_below(t, static_cast<long double>(value) - few - 1e-4900L) > j;
      wrong += count_below(t, static_cast<long double>(value) + few + 1e-4900L) <= j;
      for (Index i = 0; i < d; ++i) {
        double sum = (t.diagonal[usize(i)] - value) * v[i];
        if (i > 0) sum += t.beside[usize(i - 1)] * v[i - 1];
        if (i + 1 < d) sum += t.beside[usize(i)] * v[i + 1];
        residual = std::max(residual, std::abs(sum));
      }
      for (Index l = 0; l <= j; ++l) {
        const double* const other = rows.data() + order[usize(l)] * d;
        double sum = l == j ? -1 : 0;
        for (Index i = 0; i < d; ++i) sum += v[i] * other[i];
        skew = std::max(skew, std::abs(sum));
      }
    }
    CHECK(disordered == 0);
    CHECK(wrong == 0);
    CHECK(residual <= few);
    CHECK(skew <= 8 * std::sqrt(static_cast<double>(d)) * 0x1p-53);
  });
}

}  // namespace

TEST_CASE("vectors of numbers without order are orthogonal, and each value is found, at any size") {
  for (const Index d : {1, 2, 3, 32, 33, 64, 67, 150, 300}) {
    Random random(3, Purpose::kTest, 0, static_cast<std::uint64_t>(d));
    check("normal",
          made(
              d, [&](Index) { return random.normal(); }, [&](Index) { return random.normal(); }));
  }
}

TEST_CASE("equal and all but equal values have orthogonal vectors") {
  const Index d = 170;
  const auto constant = [](double v) { return [v](Index) { return v; }; };
  check("zero", made(d, constant(0), constant(0)));
  check("identity", made(d, constant(1), constant(0)));
  check("near the identity", made(d, constant(1), constant(1e-15)));
  check("values in closed form", made(d, constant(2), constant(-1)));
  check("nothing on the diagonal", made(d, constant(0), constant(1)));
  check("three values", made(
                            d, [](Index i) { return static_cast<double>(i % 3); },
                            [](Index i) { return i % 7 == 0 ? 1e-9 : 1e-16; }));
  check("signs that alternate",
        made(d, constant(0.5), [](Index i) { return i % 2 == 0 ? -1.0 : 1e-7; }));
}

TEST_CASE("pairs of values that agree to all digits, single and glued, are told apart") {
  check("Wilkinson", glued(21, 1, 0));
  check("Wilkinson", glued(201, 1, 0));
  for (const double glue : {0.0, 1e-14, 1e-8, 1e-3, 1.0}) {
    CAPTURE(glue);
    check("glued", glued(21, 9, glue));
  }
}

TEST_CASE("graded matrices and numbers near underflow are solved") {
  const auto grade = [](double base) {
    return [base](Index i) { return std::pow(base, static_cast<double>(i)); };
  };
  check("falling", made(150, grade(0.5), grade(0.5)));
  check("steep", made(150, grade(0.01), grade(0.01)));
  check("rising", made(
                      150, [](Index i) { return std::pow(0.5, 149.0 - static_cast<double>(i)); },
                      [](Index i) { return std::pow(0.5, 149.5 - static_cast<double>(i)); }));
  check("small", made(150, grade(0.9), [](Index) { return 1e-200; }));
  check("denormal",
        made(
            150, [](Index i) { return i == 70 ? 1 : 1e-310 * static_cast<double>(i % 4); },
            [](Index) { return 1e-310; }));
}

}  // namespace craton::tridiagonal_test
