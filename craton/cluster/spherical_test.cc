#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "craton/base/random.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/unit_rows.h"
#include "craton/model/model_file.h"
#include "craton/model/registry.h"

// Spherical k-means: rows count by their directions. Its numbers are compared with plain NumPy in
// python/tests/test_spherical.py.

namespace craton::spherical_test {

namespace {

constexpr Index kColumns = 6;

// Directions about four axes, of any length; some entries are 0.
std::vector<double> directions(Index n) {
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    Random random(7, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index axis = random.below(4);
    const double length = std::exp(random.normal());
    for (Index j = 0; j < kColumns; ++j) {
      const double value = (j == axis ? 9 : 0) + 2 * random.normal();
      x.push_back(std::abs(value) < 0.4 ? 0 : static_cast<float>(length * value));
    }
  }
  return x;
}

MemorySource source_of(const std::vector<double>& x, std::span<const double> weights = {}) {
  return MemorySource({.x = Dense<double>{x.data(), std::ssize(x) / kColumns, kColumns, kColumns},
                       .weights = weights});
}

KMeans::Options cosine(Index k) {
  KMeans::Options options;
  options.n_clusters = k;
  options.metric = KMeans::Metric::kCosine;
  options.tol = 0;
  return options;
}

// Sum of 1 - cos to the nearest centre.
double spread(const std::vector<double>& x, const Array& centers) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); i += kColumns) {
    double most = -1, square = 0;
    for (std::size_t j = 0; j < kColumns; ++j) square += x[i + j] * x[i + j];
    for (Index c = 0; c < centers.rows(); ++c) {
      double dot = 0;
      for (std::size_t j = 0; j < kColumns; ++j) {
        dot += x[i + j] * centers.view().row(c)[static_cast<Index>(j)];
      }
      most = std::max(most, dot / std::sqrt(square));
    }
    sum += 1 - most;
  }
  return sum;
}

double largest_gap(const Array& a, const Array& b) {
  double gap = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    gap = std::max(gap, std::abs(a.values[i] - b.values[i]));
  }
  return gap;
}

}  // namespace

TEST_CASE("centres have length 1, and the objective is minus the sum of 1 - cos") {
  const std::vector<double> x = directions(2'000);
  MemorySource source = source_of(x);
  const Fit<KMeans> fit = KMeans::fit(source, cosine(4), {});
  CHECK(fit.report.converged);
  for (Index c = 0; c < 4; ++c) {
    double square = 0;
    for (Index j = 0; j < kColumns; ++j)
      square += std::pow(fit.model.centers().view().row(c)[j], 2);
    CHECK(square == doctest::Approx(1).epsilon(1e-14));
  }
  CHECK(-fit.report.objective == doctest::Approx(spread(x, fit.model.centers())).epsilon(1e-12));
  CHECK(fit.model.score(source, {}) == doctest::Approx(fit.report.objective).epsilon(1e-13));
  for (std::size_t i = 1; i < fit.report.trace.size(); ++i) {
    CHECK(fit.report.trace[i] >= fit.report.trace[i - 1] * (1 + 1e-13));
  }
}

TEST_CASE("the lengths of rows do not matter") {
  const std::vector<double> x = directions(2'000);
  MemorySource source = source_of(x);
  KMeans::Options options = cosine(4);
  options.centers = Array{{4, kColumns}, {x.begin(), x.begin() + 4 * kColumns}};
  const Fit<KMeans> fit = KMeans::fit(source, options, {});
  const auto fit_scaled = [&](const auto& factor) {
    std::vector<double> scaled = x;
    for (std::size_t i = 0; i < x.size(); ++i) scaled[i] *= factor(i / kColumns);
    MemorySource other = source_of(scaled);
    return KMeans::fit(other, options, {}).model.centers();
  };
  const auto power = [](std::size_t row) { return std::ldexp(1.0, int(row % 400) - 200); };
  CHECK(fit_scaled(power) == fit.model.centers());  // the same bits
  const auto any = [](std::size_t row) { return 0.1 + static_cast<double>(row % 7); };
  CHECK(largest_gap(fit_scaled(any), fit.model.centers()) < 1e-13);
}

TEST_CASE("threads and bounds do not change a bit of spherical k-means") {
  const std::vector<double> x = directions(30'000);
  MemorySource source = source_of(x);
  std::set<std::vector<double>> results;
  for (const int threads : {1, 2, 7}) {
    for (const auto algorithm :
         {KMeans::Algorithm::kAuto, KMeans::Algorithm::kLloyd, KMeans::Algorithm::kHamerly}) {
      KMeans::Options options = cosine(9);
      options.algorithm = algorithm;
      const Fit<KMeans> fit = KMeans::fit(source, options, {.threads = threads});
      std::vector<double> all = fit.model.centers().values;
      all.insert(all.end(), fit.report.trace.begin(), fit.report.trace.end());
      results.insert(std::move(all));
    }
  }
  CHECK(results.size() == 1);
}

TEST_CASE("sparse and float rows have the directions of dense ones in double") {
  const std::vector<double> x = directions(3'000);
  const std::vector<float> floats(x.begin(), x.end());
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != 0) {
      columns.push_back(static_cast<std::int32_t>(i % kColumns));
      values.push_back(x[i]);
    }
    if (i % kColumns == kColumns - 1) offsets.push_back(std::ssize(values));
  }
  MemorySource dense = source_of(x);
  MemorySource in_float({.x = Dense<float>{floats.data(), 3'000, kColumns, kColumns}});
  MemorySource sparse(
      {.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 3'000, kColumns}});
  const Fit<KMeans> fit = KMeans::fit(dense, cosine(5), {});
  CHECK(KMeans::fit(in_float, cosine(5), {}).model.centers() == fit.model.centers());
  const Fit<KMeans> other = KMeans::fit(sparse, cosine(5), {});
  CHECK(largest_gap(other.model.centers(), fit.model.centers()) < 1e-12);
  std::vector<std::int32_t> labels(3'000), others(3'000);
  fit.model.predict(dense, labels, {});
  other.model.predict(sparse, others, {});
  CHECK(labels == others);
}

TEST_CASE("weights equal repeats in spherical k-means") {
  const std::vector<double> x = directions(600);
  std::vector<double> weights, repeated;
  for (Index i = 0; i < 600; ++i) {
    weights.push_back(static_cast<double>(i % 4));
    for (Index copy = 0; copy < i % 4; ++copy) {
      repeated.insert(repeated.end(), x.begin() + i * kColumns, x.begin() + (i + 1) * kColumns);
    }
  }
  MemorySource weighted = source_of(x, weights), copies = source_of(repeated);
  const Fit<KMeans> a = KMeans::fit(weighted, cosine(4), {}),
                    b = KMeans::fit(copies, cosine(4), {});
  CHECK(largest_gap(a.model.centers(), b.model.centers()) < 1e-12);
  CHECK(a.report.objective == doctest::Approx(b.report.objective).epsilon(1e-12));
}

TEST_CASE("a row of zeros is refused by its number, unless its weight is 0") {
  std::vector<double> x = directions(3'000);
  MemorySource source = source_of(x);
  const KMeans model = KMeans::fit(source, cosine(3), {}).model;
  std::fill_n(x.begin() + 2'345 * kColumns, kColumns, 0.0);
  const auto row_of_error = [&](const auto& ask) {
    try {
      ask();
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kZeroRow);
      return error.place().row;
    }
    return Index{-1};
  };
  std::vector<std::int32_t> labels(3'000);
  std::vector<double> distances(9'000), weights(3'000, 1.0);
  CHECK(row_of_error([&] { KMeans::fit(source, cosine(3), {}); }) == 2'345);
  CHECK(row_of_error([&] { model.predict(source, labels, {}); }) == 2'345);
  CHECK(row_of_error([&] { model.transform(source, distances, {}); }) == 2'345);
  CHECK(row_of_error([&] { model.score(source, {}); }) == 2'345);
  weights[2'345] = 0;
  MemorySource left_out = source_of(x, weights);
  CHECK(KMeans::fit(left_out, cosine(3), {}).report.converged);
  KMeans::Options options = cosine(1);
  options.centers = Array{{1, kColumns}, std::vector<double>(kColumns)};
  CHECK_THROWS_WITH_AS(KMeans::fit(left_out, options, {}), doctest::Contains("only zeros in row 0"),
                       InputError);
}

TEST_CASE("rows that cancel leave their centre where it is") {
  const std::vector<double> x{1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0};
  MemorySource source = source_of(x);
  KMeans::Options options = cosine(1);
  options.centers = Array{{1, kColumns}, {0, 2, 0, 0, 0, 0}};
  const Fit<KMeans> fit = KMeans::fit(source, options, {});
  CHECK(fit.model.centers().values == std::vector<double>{0, 1, 0, 0, 0, 0});
  CHECK(fit.report.objective == -2);
}

TEST_CASE("a model file keeps the metric") {
  const std::vector<double> x = directions(500);
  MemorySource source = source_of(x);
  const std::vector<NamedOption> options{{"n_clusters", Index{3}}, {"metric", "cosine"}};
  const Fitted fitted = find_model("kmeans").fit(source, options, {});
  const Fitted loaded = unpack_model(pack_model(fitted), "m");
  CHECK(digest(loaded) == digest(fitted));
  CHECK(loaded.model->score(source, {}) == fitted.model->score(source, {}));
  std::vector<double> a(1'500), b(1'500);
  fitted.model->transform(source, a, {});
  loaded.model->transform(source, b, {});
  CHECK(a == b);
  CHECK(fitted.model->score(source, {}) !=
        KMeans(fitted.model->parameters()[0].value).score(source, {}));
}

TEST_CASE("lengths neither overflow nor vanish") {
  for (const double scale : {1e-320, 1e-200, 1.0, 1e200, 1e308}) {
    std::vector<double> values{0.6 * scale, 0, 0.8 * scale};
    REQUIRE(make_unit(values));
    CHECK(values[0] == doctest::Approx(0.6).epsilon(scale < 1e-300 ? 1e-3 : 1e-15));
    CHECK(std::hypot(values[0], values[2]) == doctest::Approx(1).epsilon(1e-15));
  }
  std::vector<double> zeros(3);
  CHECK_FALSE(make_unit(zeros));
}

}  // namespace craton::spherical_test
