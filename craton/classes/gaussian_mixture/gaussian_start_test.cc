#include "craton/classes/gaussian_mixture/gaussian_start.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/classes/gaussian_mixture/start_metric.h"
#include "craton/classes/start_sample.h"
#include "tests/gaussian_data.h"

namespace craton::gaussian_start_test {
using namespace craton::gaussian_tests;

namespace {

using Options = GaussianMixture::Options;

Options components(Index k) {
  Options options;
  options.n_components = k;
  return options;
}

StartSample sample_of(const std::vector<double>& x, Index cols, Index size,
                      const std::vector<double>& weights = {}, const Exec& exec = {}) {
  MemorySource source(
      {.x = Dense<double>{x.data(), std::ssize(x) / cols, cols, cols}, .weights = weights});
  const ColumnStatistics columns = check_table(source, exec);
  std::vector<double> units = columns.variance();
  for (double& v : units) v = std::sqrt(v);
  return draw_sample(source, columns, units, size, exec);
}

std::vector<std::vector<double>> sorted_rows(const StartSample& sample) {
  std::vector<std::vector<double>> rows;
  const Index d = sample.x.cols();
  for (Index i = 0; i < sample.x.rows(); ++i) {
    std::vector<double>& row =
        rows.emplace_back(sample.x.view().row(i), sample.x.view().row(i) + d);
    row.push_back(sample.weights[usize(i)]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

TEST_CASE("a sample has about as many rows as asked for, and all of a small table") {
  const std::vector<double> x = grouped(20'000, 2, 3, 1);
  const StartSample all = sample_of(x, 2, 15'000), some = sample_of(x, 2, 2'000);
  CHECK(std::accumulate(all.weights.begin(), all.weights.end(), 0.0) == 20'000);
  CHECK(some.x.rows() > 1'500);
  CHECK(some.x.rows() < 2'500);
}

TEST_CASE("the order of rows, units, repeats for weights and threads do not change a sample") {
  std::vector<double> x = grouped(9'000, 2, 3, 2);
  const auto rows = sorted_rows(sample_of(x, 2, 1'000));
  CHECK(sorted_rows(sample_of(x, 2, 1'000, {}, {.threads = 7})) == rows);

  std::vector<double> reversed;
  for (std::size_t i = x.size(); i > 0; i -= 2) {
    reversed.insert(reversed.end(), {x[i - 2], x[i - 1]});
  }
  CHECK(sorted_rows(sample_of(reversed, 2, 1'000)) == rows);

  std::vector<double> scaled = x;
  for (std::size_t i = 0; i < x.size(); i += 2) scaled[i] *= 1024;
  auto unscaled = sorted_rows(sample_of(scaled, 2, 1'000));
  for (auto& row : unscaled) row[0] /= 1024;
  CHECK(unscaled == rows);

  std::vector<double> twice = x;
  twice.insert(twice.end(), x.begin(), x.end());
  const auto doubled = sorted_rows(sample_of(x, 2, 1'000, std::vector<double>(9'000, 2.0)));
  auto repeated = sorted_rows(sample_of(twice, 2, 2'000));
  CHECK(doubled.size() == rows.size());
  CHECK(repeated == doubled);
}

TEST_CASE("few rows that repeat often are all in the sample") {
  std::vector<double> x;
  for (int i = 0; i < 50'000; ++i) x.push_back(i % 37);
  const StartSample sample = sample_of(x, 1, 8192);
  CHECK(sample.x.rows() == 37);
  CHECK(std::accumulate(sample.weights.begin(), sample.weights.end(), 0.0) == 50'000);
  MemorySource source = source_of(x, 1);
  CHECK(GaussianMixture::fit(source, components(5), {}).model.classes() == 5);
}

TEST_CASE("whitened coordinates have unit covariance, and go back to where they came from") {
  const std::vector<double> x = grouped(4'000, 3, 3, 3);
  const StartSample sample = sample_of(x, 3, 8192);
  MemorySource source = source_of(x, 3);
  const ColumnStatistics columns = check_table(source, {});
  const StartMetric units(columns.mean(), columns.variance());
  const StartMetric whitened = StartMetric::whitening(units, sample.x, sample.weights);
  for (const StartMetric* metric : {&units, &whitened}) {
    const std::vector<float> z = metric->coordinates(sample.x, {.threads = 2});
    double covariance[3][3] = {};
    for (std::size_t i = 0; i < z.size(); i += 3) {
      for (std::size_t j = 0; j < 9; ++j) {
        covariance[j / 3][j % 3] += sample.weights[i / 3] * static_cast<double>(z[i + j / 3]) *
                                    static_cast<double>(z[i + j % 3]) / 4'000;
      }
    }
    for (int j = 0; j < 3; ++j) {
      CHECK(covariance[j][j] == doctest::Approx(1).epsilon(1e-5));
      if (metric == &whitened) CHECK(std::abs(covariance[j][(j + 1) % 3]) < 1e-5);
    }
    Array back{{1, 3}, {z[0], z[1], z[2]}};
    back = metric->restored(back);
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(back.values[j] == doctest::Approx(sample.x.values[j]).epsilon(1e-5));
    }
  }
  // L L' is the covariance that it whitens.
  const std::vector<double> covariance = whitened.covariance(true);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(covariance[j * 4] == doctest::Approx(columns.variance()[j] * (1 + 1e-6)).epsilon(1e-9));
  }
}

// k-means gives each half of the wide group: one start in three or so finds the narrow one.
TEST_CASE("a narrow group inside a wide one is found") {
  std::vector<double> x;
  for (std::uint64_t i = 0; i < 900; ++i) {
    Random random(4, Purpose::kTest, 0, i);
    const double width = i % 2 == 0 ? 5 : 0.5;
    x.insert(x.end(), {width * random.normal(), width * random.normal()});
  }
  MemorySource source = source_of(x, 2);
  for (Index seed = 0; seed < 5; ++seed) {
    Options options = components(2);
    options.random_state = seed;
    const GaussianMixture found = GaussianMixture::fit(source, options, {}).model;
    const double narrow = std::min(found.variance(0, 0), found.variance(1, 0));
    CHECK(narrow == doctest::Approx(0.25).epsilon(0.3));
  }
}

// k-means in the rows' own units is a start that does depend on them; the plain ones do not.
TEST_CASE("a column in other units changes no plain start, on a table larger than the sample") {
  std::vector<double> x = grouped(30'000, 3, 4, 5), scaled = x;
  for (std::size_t i = 0; i < x.size(); i += 3) scaled[i] *= 1000;
  MemorySource a = source_of(x, 3), b = source_of(scaled, 3);
  using Init = GaussianMixture::Init;
  for (const Init init : {Init::kPlusPlus, Init::kRandomRows, Init::kRandom}) {
    Options options = components(4);
    options.init_params = init;
    options.max_iter = 5;
    const Fit<GaussianMixture> one = GaussianMixture::fit(a, options, {});
    const Fit<GaussianMixture> other = GaussianMixture::fit(b, options, {});
    CHECK(one.report.iterations == other.report.iterations);
    for (std::size_t i = 0; i < one.model.means().values.size(); ++i) {
      const double unit = i % 3 == 0 ? 1000 : 1;
      CHECK(other.model.means().values[i] ==
            doctest::Approx(unit * one.model.means().values[i]).epsilon(1e-7));
    }
  }
}

// Whitening shrinks the very axis that they lie apart on.
TEST_CASE("round groups along an axis are all found from one start") {
  for (const std::size_t k : {3u, 4u, 6u, 8u}) {
    std::vector<double> x;
    for (std::uint64_t i = 0; i < 300 * k; ++i) {
      Random random(k, Purpose::kTest, 0, i);
      x.push_back(10.0 * static_cast<double>(i / 300) + random.normal());
      x.push_back(random.normal());
    }
    MemorySource source = source_of(x, 2);
    for (const Covariance type : kTypes) {
      for (Index seed = 0; seed < 4; ++seed) {
        Options options = components(static_cast<Index>(k));
        options.covariance_type = type;
        options.random_state = seed;
        const GaussianMixture found = GaussianMixture::fit(source, options, {}).model;
        std::vector<double> places;
        for (std::size_t c = 0; c < k; ++c) places.push_back(found.means().values[2 * c]);
        std::sort(places.begin(), places.end());
        for (std::size_t c = 0; c < k; ++c) {
          CHECK(std::abs(places[c] - 10.0 * static_cast<double>(c)) < 0.5);
        }
      }
    }
  }
}

TEST_CASE("the first of several starts is the only one of one") {
  const std::vector<double> x = grouped(600, 2, 4, 6);
  MemorySource source = source_of(x, 2);
  Options options = components(4);
  const Fit<GaussianMixture> one = GaussianMixture::fit(source, options, {});
  options.n_init = 3;
  const Fit<GaussianMixture> three = GaussianMixture::fit(source, options, {});
  CHECK(three.report.start_traces[0] == one.report.trace);
  CHECK(three.report.objective >= one.report.objective);
}

}  // namespace craton::gaussian_start_test
