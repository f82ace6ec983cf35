#include "craton/kernels/algebra/products.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "craton/base/random.h"
#include "tests/each_target.h"

namespace craton::products_test {
namespace {

using kernel_test::for_each_target;
using kernel_test::some_numbers;

// The sum that the header promises, with a_ik at a(i, k), by fused multiply-adds or without.
template <class T, class A, class B>
T block_sums(T c, Index depth, bool fused, const A& a, const B& b) {
  for (Index first = 0; first < depth; first += kProductDepth) {
    T s = 0;
    for (Index k = first; k < std::min(depth, first + kProductDepth); ++k) {
      s = fused ? std::fma(a(k), b(k), s) : a(k) * b(k) + s;
    }
    c += s;
  }
  return c;
}

template <class T>
bool target_fuses() {  // (1 + u)^2 = 1 + 2u + u^2 shows its last term only when it is not rounded
  const T u = std::ldexp(T{1}, std::is_same_v<T, float> ? -12 : -27), a[2] = {1, 1 + u};
  const T b[2] = {-1 - 2 * u, 1 + u};
  T c = 0;
  row_products(a, 1, 2, b, 1, 2, 2, &c, 1);
  return c != 0;
}

}  // namespace

TEST_CASE_TEMPLATE("a product is the promised sum, bit for bit, on every target", T, float,
                   double) {
  const Index depths[] = {0, 1, 7, 255, 256, 257, 600};
  for_each_target([&] {
    const bool fused = target_fuses<T>();
    for (const Index rows : {1, 5, 6, 13, 70}) {
      for (const Index columns : {1, 8, 17, 33}) {
        for (const Index depth : depths) {
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(depth);
          const Index stride = depth + 3, out = columns + 2;
          const std::vector<T> a = some_numbers<T>(rows * stride, 1);
          const std::vector<T> b = some_numbers<T>(columns * stride, 2);
          std::vector<T> c(usize(rows * out), T{7});
          row_products(a.data(), rows, stride, b.data(), columns, stride, depth, c.data(), out);
          Index wrong = 0;
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < out; ++j) {
              const T expected =
                  j >= columns
                      ? T{7}
                      : block_sums(
                            T{0}, depth, fused, [&](Index k) { return a[usize(i * stride + k)]; },
                            [&](Index k) { return b[usize(j * stride + k)]; });
              wrong += c[usize(i * out + j)] != expected;
            }
          }
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE_TEMPLATE("a Gram matrix is the promised sum, and only its lower half is touched", T,
                   float, double) {
  for_each_target([&] {
    const bool fused = target_fuses<T>();
    for (const Index rows : {0, 1, 255, 600}) {
      for (const Index columns : {1, 2, 6, 17, 64, 100}) {
        for (const bool weighted : {false, true}) {
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(weighted);
          const Index stride = columns + rows % 2, out = columns + 2;
          const std::vector<T> x = some_numbers<T>(rows * stride, 1);
          const std::vector<T> w = some_numbers<T>(rows, 2);
          const std::vector<T> start = some_numbers<T>(columns * out, 3);
          std::vector<T> gram = start;
          add_gram(x.data(), rows, stride, columns, weighted ? w.data() : nullptr, gram.data(),
                   out);
          Index wrong = 0;
          for (Index u = 0; u < columns; ++u) {
            for (Index v = 0; v < out; ++v) {
              T expected = start[usize(u * out + v)];
              if (v <= u) {
                expected = block_sums(
                    expected, rows, fused,
                    [&](Index i) {
                      return (weighted ? w[usize(i)] : T{1}) * x[usize(i * stride + u)];
                    },
                    [&](Index i) { return x[usize(i * stride + v)]; });
              }
              wrong += gram[usize(u * out + v)] != expected;
            }
          }
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE_TEMPLATE("a part of a product is the product of parts, to the last bit", T, float,
                   double) {
  const Index rows = 211, columns = 1100, depth = 530;  // more than a block of each
  const std::vector<T> a = some_numbers<T>(rows * depth, 1),
                       b = some_numbers<T>(columns * depth, 2);
  for_each_target([&] {
    std::vector<T> whole(usize(rows * columns));
    row_products(a.data(), rows, depth, b.data(), columns, depth, depth, whole.data(), columns);
    Random random(6, Purpose::kTest);
    for (int round = 0; round < 12; ++round) {
      const Index i = random.below(rows), j = random.below(columns);
      const Index m = 1 + random.below(rows - i), n = 1 + random.below(columns - j);
      std::vector<T> part(usize(m * n));
      row_products(a.data() + i * depth, m, depth, b.data() + j * depth, n, depth, depth,
                   part.data(), n);
      Index wrong = 0;
      for (Index u = 0; u < m; ++u) {
        for (Index v = 0; v < n; ++v) {
          wrong += part[usize(u * n + v)] != whole[usize((i + u) * columns + j + v)];
        }
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE_TEMPLATE("the layout of a factor changes nothing, and what is there is added to", T,
                   float, double) {
  const Index rows = 37, columns = 29, depth = 300;
  const std::vector<T> a = some_numbers<T>(rows * depth, 1),
                       b = some_numbers<T>(columns * depth, 2);
  std::vector<T> at(a.size()), bt(b.size());
  for (Index k = 0; k < depth; ++k) {
    for (Index i = 0; i < rows; ++i) at[usize(k * rows + i)] = a[usize(i * depth + k)];
    for (Index j = 0; j < columns; ++j) bt[usize(k * columns + j)] = b[usize(j * depth + k)];
  }
  const Factor<T> as[] = {by_rows(a.data(), depth), transposed(at.data(), rows)};
  const Factor<T> bs[] = {by_rows(b.data(), depth), transposed(bt.data(), columns)};
  for_each_target([&] {
    const bool fused = target_fuses<T>();
    for (const auto& left : as) {
      for (const auto& right : bs) {
        for (const Into into : {Into::kSet, Into::kAdd, Into::kSubtract}) {
          const std::vector<T> start = some_numbers<T>(rows * columns, 3);
          std::vector<T> c = start;
          multiply({left, right, rows, columns, depth, into, Part::kWhole, nullptr}, c.data(),
                   columns);
          Index wrong = 0;
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < columns; ++j) {
              const T before = into == Into::kSet ? T{0} : start[usize(i * columns + j)];
              const T sign = into == Into::kSubtract ? T{-1} : T{1};
              const T expected = block_sums(
                  before, depth, fused, [&](Index k) { return sign * a[usize(i * depth + k)]; },
                  [&](Index k) { return b[usize(j * depth + k)]; });
              wrong += c[usize(i * columns + j)] != expected;
            }
          }
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE_TEMPLATE("errors are within the stated bound", T, float, double) {
  const long double unit = std::is_same_v<T, float> ? 0x1p-24L : 0x1p-53L;
  const Index columns = 9;
  for (const Index rows : {3, 256, 5000}) {
    std::vector<T> x = some_numbers<T>(rows * columns, 1);
    for (Index i = 0; i < rows; i += 3) x[usize(i * columns)] *= T{1e6};  // of unlike sizes
    const std::vector<T> w = some_numbers<T>(rows, 2);
    std::vector<T> gram(usize(columns * columns));
    for_each_target([&] {
      std::fill(gram.begin(), gram.end(), T{0});
      add_gram(x.data(), rows, columns, columns, w.data(), gram.data(), columns);
      for (Index u = 0; u < columns; ++u) {
        for (Index v = 0; v <= u; ++v) {
          long double sum = 0, size = 0;
          for (Index i = 0; i < rows; ++i) {
            const long double term = static_cast<long double>(w[usize(i)]) *
                                     static_cast<long double>(x[usize(i * columns + u)]) *
                                     static_cast<long double>(x[usize(i * columns + v)]);
            sum += term;
            size += std::abs(term);
          }
          const long double terms = static_cast<long double>(rows) / kProductDepth;
          const long double bound = (kProductDepth + terms + 3) * unit * size;
          CHECK(std::abs(static_cast<long double>(gram[usize(u * columns + v)]) - sum) <= bound);
        }
      }
    });
  }
}

}  // namespace craton::products_test
