#include "craton/tables/order_statistics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "craton/base/random.h"

namespace craton {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kLevels{0.0, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0};

// NumPy's quantile, of a list in memory.
double expected(std::vector<double> values, double level) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return kNan;
  std::sort(values.begin(), values.end());
  const double at = level * static_cast<double>(values.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at);
  const double next = values[std::min(low + 1, values.size() - 1)];
  return values[low] + (next - values[low]) * (at - std::floor(at));
}

std::vector<double> numbers(Index rows, Index cols, int kind) {
  std::vector<double> x;
  for (Index i = 0; i < rows * cols; ++i) {
    Random random(static_cast<std::uint64_t>(kind), Purpose::kTest, 1,
                  static_cast<std::uint64_t>(i));
    const double normal = random.normal();
    double v = normal;
    if (kind == 1) v = std::round(normal * 2);                         // many ties, and -0
    if (kind == 2) v = std::exp(60 * normal) * (i % 2 == 0 ? 1 : -1);  // all magnitudes
    if (kind == 3) v = i % 5 == 0 ? kNan : normal;
    if (kind == 4) v = i % cols == 0 ? kNan : 3;
    x.push_back(v);
  }
  return x;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST_CASE("quantiles are those of the sorted column") {
  for (const Index rows : {1, 2, 3, 10, 1001, 50'000}) {
    for (int kind = 0; kind < 5; ++kind) {
      CAPTURE(rows);
      CAPTURE(kind);
      constexpr Index kCols = 3;
      const std::vector<double> x = numbers(rows, kCols, kind);
      MemorySource source({.x = Dense<double>{x.data(), rows, kCols, kCols}});
      const auto found = quantiles(source, kLevels, {.threads = 1});
      for (Index j = 0; j < kCols; ++j) {
        std::vector<double> column;
        for (Index i = 0; i < rows; ++i) column.push_back(x[usize(i * kCols + j)]);
        for (std::size_t l = 0; l < kLevels.size(); ++l) {
          CHECK(same(found[l][usize(j)], expected(column, kLevels[l])));
        }
      }
      for (const int threads : {2, 7}) {
        const auto again = quantiles(source, kLevels, {.threads = threads});
        for (std::size_t l = 0; l < kLevels.size(); ++l) {
          CHECK(std::ranges::equal(again[l], found[l], same));
        }
      }
    }
  }
}

TEST_CASE("weights are repeats in quantiles and frequencies") {
  for (const Index rows : {500, 150'000}) {
    const std::vector<double> x = numbers(rows, 1, 1);
    std::vector<double> weights, repeated;
    for (Index i = 0; i < rows; ++i) {
      weights.push_back(static_cast<double>(i % 4));
      repeated.insert(repeated.end(), usize(i % 4), x[usize(i)]);
    }
    MemorySource weighted({.x = Dense<double>{x.data(), rows, 1, 1}, .weights = weights});
    MemorySource copies({.x = Dense<double>{repeated.data(), ssize(repeated), 1, 1}});
    CHECK(quantiles(weighted, kLevels, {}) == quantiles(copies, kLevels, {}));
    const std::vector<Index> first{0};
    CHECK(most_frequent(weighted, first, {}) == most_frequent(copies, first, {}));
  }
}

TEST_CASE("the most frequent value, the least of equals") {
  const std::vector<double> x{2,    5, kNan,  //
                              1,    5, kNan,  //
                              kNan, 4, kNan,  //
                              2,    4, kNan,  //
                              1,    7, kNan};
  MemorySource source({.x = Dense<double>{x.data(), 5, 3, 3}});
  const std::vector<Index> columns{2, 0, 1};
  const std::vector<double> found = most_frequent(source, columns, {});
  CHECK(std::isnan(found[0]));
  CHECK(found[1] == 1);
  CHECK(found[2] == 4);

  const std::vector<double> many = numbers(30'000, 2, 1);
  MemorySource large({.x = Dense<double>{many.data(), 30'000, 2, 2}});
  std::map<double, int> counts;
  for (std::size_t i = 1; i < many.size(); i += 2) ++counts[many[i] + 0.0];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::vector<Index> second{1};
  for (const int threads : {1, 2, 7}) {
    CHECK(most_frequent(large, second, {.threads = threads})[0] == most->first);
  }
}

}  // namespace
}  // namespace craton
