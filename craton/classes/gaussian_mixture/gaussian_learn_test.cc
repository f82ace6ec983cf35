#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/classes/gaussian_mixture/gaussian_memory.h"
#include "tests/gaussian_data.h"
#include "tests/refused.h"

using namespace craton;
using namespace craton::gaussian_tests;

namespace {

using Options = GaussianMixture::Options;

Options three(Covariance type, Index max_iter) {
  Options options;
  options.n_components = 3;
  options.covariance_type = type;
  options.tol = 0;
  options.max_iter = max_iter;
  return options;
}

double largest_gap(const Array& a, const Array& b) {
  REQUIRE(a.shape == b.shape);
  double gap = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    gap = std::max(gap, std::abs(a.values[i] - b.values[i]));
  }
  return gap;
}

GaussianMemory memory_of(const Fit<GaussianMixture>& fit) {
  return GaussianMemory::read(fit.model, fit.memory.get());
}

}  // namespace

TEST_CASE("the same rows once more are a step of EM") {
  const std::vector<double> x = grouped(400, 2, 3, 1);
  for (const Covariance type : kTypes) {
    MemorySource source = source_of(x, 2);
    const Fit<GaussianMixture> start = GaussianMixture::fit(source, three(type, 0), {});
    const Fit<GaussianMixture> em = GaussianMixture::fit(source, three(type, 1), {});
    for (const double decay : {0.5, 0.7, 1.0}) {
      Options options = three(type, 0);
      options.learning_decay = decay;
      const auto next = GaussianMixture::partial_fit(start, source, options, {});
      CHECK(next.report.objective == em.report.trace[0]);
      CHECK(next.report.iterations == 1);
      CHECK(largest_gap(next.model.means(), em.model.means()) < 1e-12);
      CHECK(largest_gap(next.model.covariances(), em.model.covariances()) < 1e-11);
    }
  }
}

TEST_CASE("with decay 1 all rows count alike, and the memory holds the sums of all") {
  const std::vector<double> x = grouped(900, 2, 3, 4);
  const std::vector<double> first(x.begin(), x.begin() + 300 * 2),
      rest(x.begin() + 300 * 2, x.end());
  for (const Covariance type : kTypes) {
    MemorySource a = source_of(first, 2), b = source_of(rest, 2), all = source_of(x, 2);
    const Fit<GaussianMixture> start = GaussianMixture::fit(a, three(type, 0), {});
    Options options = three(type, 0);
    options.learning_decay = 1;
    const auto next = GaussianMixture::partial_fit(start, b, options, {});
    const auto em = GaussianMixture::fit_from(start.model, all, three(type, 1), {});
    CHECK(largest_gap(next.model.means(), em.model.means()) < 1e-12);
    CHECK(largest_gap(next.model.covariances(), em.model.covariances()) < 1e-11);
    CHECK(largest_gap(next.model.weights(), em.model.weights()) < 1e-14);
    const GaussianMemory memory = memory_of(next);
    CHECK(memory.columns.rows() == 900);
    CHECK(memory.statistics.total() == doctest::Approx(900).epsilon(1e-14));
    CHECK(next.report.data_hash == em.report.data_hash);
    // About the new means: what the component's rows sum to is nothing.
    for (Index c = 0; c < 3; ++c) {
      for (const double s : memory.statistics.sum(c)) CHECK(std::abs(s) < 1e-9);
    }
  }
}

TEST_CASE("statistics about other means are those that a pass about them gives") {
  const std::vector<double> x = grouped(400, 3, 3, 2);
  for (const Covariance type : kTypes) {
    MemorySource source = source_of(x, 3);
    const GaussianMixture model = GaussianMixture::fit(source, three(type, 2), {}).model;
    Array moved = model.means();
    for (double& v : moved.values) v += 0.25;
    const GaussianMixture other(model.weights(), moved, model.covariances());
    auto statistics = fold(source, model.statistics(), {});
    const auto before = statistics;
    statistics.recentre(model, other);
    // With the same r: sums about the new means, by the definition.
    std::vector<double> log_p(400 * 3);
    model.predict_log_proba(source, log_p, {});
    for (Index c = 0; c < 3; ++c) {
      CHECK(statistics.weight(c) == before.weight(c));
      for (std::size_t j = 0; j < 3; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < 400; ++i) {
          const double y = x[i * 3 + j] - moved.values[usize(c) * 3 + j];
          const double r = std::exp(log_p[i * 3 + usize(c)]);
          sum += r * y, squares += r * y * y;
        }
        CHECK(statistics.sum(c)[j] == doctest::Approx(sum).epsilon(1e-10));
        if (type == Covariance::kTied) continue;
        const std::size_t at = type == Covariance::kFull ? j * (j + 3) / 2 : j;
        CHECK(statistics.scatter(c)[at] == doctest::Approx(squares).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("a stream of batches, each seen once, comes near to EM on all rows") {
  constexpr Index kBatch = 500, kBatches = 60;
  const std::vector<double> x = grouped(kBatch * kBatches, 2, 3, 3);
  for (const Covariance type : kTypes) {
    MemorySource all = source_of(x, 2);
    const auto batch = [&](Index b) {
      return MemorySource({.x = Dense<double>{&x[usize(b * kBatch * 2)], kBatch, 2, 2}});
    };
    MemorySource first = batch(0);
    Fit<GaussianMixture> fit = GaussianMixture::fit(first, three(type, 5), {});
    const double start = fit.model.score(all, {});
    const std::size_t first_steps = fit.report.trace.size();
    for (Index b = 1; b < kBatches; ++b) {
      MemorySource next = batch(b);
      fit = GaussianMixture::partial_fit(fit, next, three(type, 5), {});
    }
    CHECK(memory_of(fit).columns.rows() == kBatch * kBatches);
    CHECK(fit.report.trace.size() == first_steps + usize(kBatches - 1));
    Options options = three(type, 300);
    options.tol = 1e-9;
    const double best = GaussianMixture::fit(all, options, {}).report.objective;
    const double reached = fit.model.score(all, {});
    CAPTURE(start);
    CHECK(reached > start);
    CHECK(best - reached < 0.1 * (best - start) + 1e-3);
  }
}

TEST_CASE("a small batch moves a model of many rows little") {
  const std::vector<double> x = grouped(5'000, 2, 3, 5), few = grouped(10, 2, 1, 6);
  MemorySource many = source_of(x, 2), batch = source_of(few, 2);
  const Fit<GaussianMixture> fit = GaussianMixture::fit(many, three(Covariance::kFull, 20), {});
  const auto next = GaussianMixture::partial_fit(fit, batch, three(Covariance::kFull, 20), {});
  // eta = (10 / 5010)^0.7 = 0.0129
  CHECK(largest_gap(fit.model.weights(), next.model.weights()) < 0.013);
  CHECK(largest_gap(fit.model.weights(), next.model.weights()) > 0.001);
}

TEST_CASE("a floor and a prior are in the units of all rows so far") {
  const std::vector<double> narrow = grouped(300, 1, 2, 7);
  std::vector<double> wide = narrow;
  for (double& v : wide) v *= 64;
  MemorySource a = source_of(narrow, 1), b = source_of(wide, 1);
  Options options = three(Covariance::kDiag, 3);
  options.learning_decay = 1;
  options.prior = GaussianMixture::Prior::kConjugate;
  const Fit<GaussianMixture> fit = GaussianMixture::fit(a, options, {});
  std::vector<double> both = narrow;
  both.insert(both.end(), wide.begin(), wide.end());
  MemorySource all = source_of(both, 1);
  const auto next = GaussianMixture::partial_fit(fit, b, options, {});
  const ColumnStatistics seen = memory_of(next).columns, columns = check_table(all, {});
  CHECK(seen.variance()[0] == doctest::Approx(columns.variance()[0]).epsilon(1e-13));
  CHECK(seen.data_hash() == columns.data_hash());
}

TEST_CASE("only components that are the same merge") {
  const std::vector<double> x = grouped(600, 2, 3, 8);
  MemorySource source = source_of(x, 2);
  Options options = three(Covariance::kFull, 20);
  options.means_init = {{3, 2}, {0, 12, 8, 0, 16, 8}};
  const Fit<GaussianMixture> a = GaussianMixture::fit(source, options, {});
  Fit<GaussianMixture> swapped = a;
  std::vector<Parameter> parameters = parameters_of(a.model);
  for (Parameter& p : parameters) {
    const std::size_t size = p.value.values.size() / 3;
    std::swap_ranges(p.value.values.begin(), p.value.values.begin() + static_cast<Index>(size),
                     p.value.values.begin() + static_cast<Index>(2 * size));
  }
  swapped.model = GaussianMixture::from_parameters(parameters);
  check_refused([&] { GaussianMixture::merge(a, swapped, options); }, Code::kBadOption, -1,
                "components 0 and 2 of one model are 2 and 0 of the other");
  // With itself every row counts twice, which changes nothing but the rows' number.
  const Fit<GaussianMixture> twice = GaussianMixture::merge(a, a, options);
  Options step = options;
  step.max_iter = 1;
  const Fit<GaussianMixture> em = GaussianMixture::fit_from(a.model, source, step, {});
  CHECK(largest_gap(twice.model.means(), em.model.means()) < 1e-11);
  CHECK(memory_of(twice).columns.rows() == 1200);
}

// Each half went its own way since the start, so the sums are about different means: the merged
// model has the moments of all rows, by sum r x and sum r x x' themselves.
TEST_CASE("models that went apart merge into the moments of both") {
  const std::vector<double> x = grouped(800, 2, 3, 11);
  const std::vector<double> north(x.begin(), x.begin() + 500 * 2),
      south(x.begin() + 500 * 2, x.end());
  MemorySource all = source_of(x, 2), a = source_of(north, 2), b = source_of(south, 2);
  const GaussianMixture start = GaussianMixture::fit(all, three(Covariance::kDiag, 20), {}).model;
  const Options options = three(Covariance::kDiag, 2);
  const Fit<GaussianMixture> parts[] = {GaussianMixture::fit_from(start, a, options, {}),
                                        GaussianMixture::fit_from(start, b, options, {})};
  const Fit<GaussianMixture> merged = GaussianMixture::merge(parts[0], parts[1], options);
  CHECK(largest_gap(parts[0].model.means(), parts[1].model.means()) > 0.01);
  for (Index c = 0; c < 3; ++c) {
    double n = 0, first[2] = {}, second[2] = {};
    for (const auto& part : parts) {
      const std::vector<double>& rows = &part == parts ? north : south;
      MemorySource source = source_of(rows, 2);
      std::vector<double> log_p(rows.size() / 2 * 3);
      part.model.predict_log_proba(source, log_p, {});
      for (std::size_t i = 0; i < rows.size() / 2; ++i) {
        const double r = std::exp(log_p[i * 3 + usize(c)]);
        n += r;
        for (std::size_t j = 0; j < 2; ++j) {
          first[j] += r * rows[i * 2 + j];
          second[j] += r * rows[i * 2 + j] * rows[i * 2 + j];
        }
      }
    }
    CHECK(merged.model.weights().values[usize(c)] == doctest::Approx(n / 800).epsilon(1e-12));
    for (std::size_t j = 0; j < 2; ++j) {
      const double mean = first[j] / n, variance = second[j] / n - mean * mean;
      CHECK(merged.model.means().values[usize(c) * 2 + j] == doctest::Approx(mean).epsilon(1e-11));
      CHECK(merged.model.variance(c, static_cast<Index>(j)) ==
            doctest::Approx(variance).epsilon(1e-9));
    }
  }
}

TEST_CASE("what a model cannot go on from is refused by name") {
  const std::vector<double> x = grouped(100, 2, 3, 9);
  MemorySource source = source_of(x, 2);
  const Options options = three(Covariance::kFull, 3);
  Fit<GaussianMixture> fit = GaussianMixture::fit(source, options, {});
  Options more = options;
  more.n_components = 4;
  check_refused([&] { GaussianMixture::fit_from(fit.model, source, more, {}); }, Code::kBadOption,
                -1, "n_components = 4, but the model to go on from has 3");
  check_refused([&] { GaussianMixture::partial_fit(fit, source, three(Covariance::kDiag, 3), {}); },
                Code::kBadOption, -1, "covariance_type");
  fit.memory = {};
  check_refused([&] { GaussianMixture::partial_fit(fit, source, options, {}); }, Code::kNotAble, -1,
                "keeps no statistics");
}

TEST_CASE("known weights and covariances win over those of the model that a fit starts from") {
  const std::vector<double> x = grouped(200, 2, 3, 10);
  MemorySource source = source_of(x, 2);
  Options options = three(Covariance::kSpherical, 5);
  const GaussianMixture start = GaussianMixture::fit(source, options, {}).model;
  options.weights = GaussianMixture::Weights::kEqual;
  options.known_covariances = {{1}, {4.0}};
  const GaussianMixture model = GaussianMixture::fit_from(start, source, options, {}).model;
  for (const double w : model.weights().values) CHECK(w == 1.0 / 3);
  for (const double v : model.covariances().values) CHECK(v == 4);
}
