#include "craton/tables/correlations.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

namespace craton {
namespace {

// pandas 3.1: frame.corr(), and frame.corr(method="spearman")
TEST_CASE("correlations of numbers with ties and missing values are those of pandas") {
  const std::vector<double> values{1, 2, 5,    //
                                   2, 1, NAN,  //
                                   2, 4, 1,    //
                                   5, 3, 0,    //
                                   9, 8, -7};
  MemorySource source({Dense<double>{values.data(), 5, 3, 3}});
  const Correlations all = correlations(source, std::array<Index, 3>{0, 1, 2}, {});
  REQUIRE(all.pairs.size() == 3);
  CHECK(all.rows == 5);
  CHECK(all.pairs[0].pearson == doctest::Approx(0.86558180001412).epsilon(1e-11));
  CHECK(all.pairs[0].spearman == doctest::Approx(0.66688592885535).epsilon(1e-11));
  CHECK(all.pairs[1].pearson == doctest::Approx(-0.96154342430481).epsilon(1e-11));
  CHECK(all.pairs[1].spearman == -1);
  CHECK(all.pairs[1].rows == 4);
  CHECK(all.pairs[2].pearson == doctest::Approx(-0.95852248927876).epsilon(1e-11));
  CHECK(all.pairs[2].spearman == doctest::Approx(-0.8).epsilon(1e-11));
}

TEST_CASE("a constant column goes with none, and extreme numbers neither overflow nor vanish") {
  const std::vector<double> values{1, 1e308,  1e-300,    //
                                   1, -1e308, 2e-300,    //
                                   1, 0,      INFINITY,  //
                                   1, 1e308,  1e-300};
  MemorySource source({Dense<double>{values.data(), 4, 3, 3}});
  const Correlations all = correlations(source, std::array<Index, 3>{0, 1, 2}, {});
  CHECK(std::isnan(all.pairs[0].pearson));
  CHECK(std::isnan(all.pairs[0].spearman));
  CHECK(all.pairs[2].pearson == doctest::Approx(-1));
  CHECK(all.pairs[2].rows == 3);
}

TEST_CASE("many rows are sampled over all of their length, the same on any threads") {
  constexpr Index kRows = 3 * Correlations::kMostRows + 7;
  std::vector<double> values;
  for (Index i = 0; i < kRows; ++i) {
    values.push_back(static_cast<double>(i));
    values.push_back(static_cast<double>(i < kRows / 2 ? i : kRows - i));
  }
  MemorySource source({Dense<double>{values.data(), kRows, 2, 2}});
  const std::array<Index, 2> columns{0, 1};
  const Correlations one = correlations(source, columns, {.threads = 1});
  CHECK(one.rows == Correlations::kMostRows);
  CHECK(std::abs(one.pairs[0].pearson) < 0.001);
  CHECK(one.pairs[0].pearson == correlations(source, columns, {.threads = 3}).pairs[0].pearson);
}

}  // namespace
}  // namespace craton
