#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "tests/mixture_data.h"

namespace craton::mixture_em_test {
namespace {

using mixture_tests::draw;
using mixture_tests::families_of;
using mixture_tests::Planted;
using mixture_tests::planted;
using mixture_tests::Rows;

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

// A column of some family, of k components.
Planted some_column(Random& random, Index k) {
  const auto all = families();
  const Family* family = nullptr;
  // Not those that keep all values, whose estimates are searched for, nor what must be told.
  while (family == nullptr || family->info().told > 0 ||
         std::holds_alternative<Values>(family->empty(1)) ||
         std::holds_alternative<Range>(family->empty(1))) {
    family = all[usize(random.below(ssize(all)))];
  }
  Planted column{std::string(family->name()), {}};
  for (Index z = 0; z < k; ++z) {
    const double a = between(random, 0.3, 8), b = between(random, 0.3, 4);
    switch (family->info().support) {
      case Support::kBinary:
      case Support::kCounts:
        column.parameters.push_back({family->name() == "poisson" ? a : between(random, 0.1, 0.9)});
        break;
      case Support::kCategory: {
        const double p = between(random, 0.1, 0.6);
        column.parameters.push_back({p, 0.9 - p, 0.1});
        break;
      }
      case Support::kPositive:
      case Support::kNonNegative:
        column.parameters.push_back({a});
        if (family->info().parameters.size() == 2) column.parameters.back().push_back(b);
        break;
      default:
        column.parameters.push_back({a, b});
    }
  }
  return column;
}

}  // namespace

TEST_CASE("the bound never falls, at any half-step, whatever the families") {
  for (std::uint64_t problem = 0; problem < 500; ++problem) {
    CAPTURE(problem);
    Random random(21, Purpose::kTest, 0, problem);
    const Index k = 1 + random.below(4), d = 1 + random.below(4);
    std::vector<Planted> columns;
    for (Index j = 0; j < d; ++j) columns.push_back(some_column(random, k));
    const ClassProduct truth =
        planted(std::vector<double>(usize(k), 1 / static_cast<double>(k)), columns);
    CAPTURE(families_of(truth));
    const Index n = 20 + random.below(60);
    Rows rows = draw(truth, n, problem, problem % 4 == 1 ? n / 2 : 0);
    if (problem % 3 == 0) {
      for (std::size_t i = 0; i < rows.x.values.size(); i += 9) rows.x.values[i] = NAN;
    }
    if (problem % 5 == 0) {
      for (Index i = 0; i < n; ++i) rows.weights.push_back(between(random, 0, 3));
    }
    Mixture::Options o;
    o.n_components = 1 + random.below(5);
    o.choice.family = families_of(truth);
    o.choice.smoothing.prior_rows = problem % 2 == 0 ? 1 : 0.1;
    o.weight_concentration = problem % 7 == 0 ? 2 : 1;
    o.latent.assignment = problem % 6 == 0 ? Assignment::kHard : Assignment::kSoft;
    o.latent.unlabelled_weight = problem % 8 == 1 ? 0.3 : 1;
    o.init_params = problem % 2 == 0 ? Mixture::Init::kRandom : Mixture::Init::kRandomRows;
    o.max_iter = 30;
    o.tol = 0;
    MemorySource x = rows.source();
    bool every = true;
    for (Index c = 0; c < rows.classes && !rows.labels.empty(); ++c) {
      every = every && std::ranges::count(rows.labels, static_cast<std::int32_t>(c)) > 0;
    }
    if (!every) continue;
    const FitReport report = Mixture::fit(x, o, {.threads = 1}).report;
    REQUIRE(report.half_steps.size() >= usize(2 * report.iterations + 1));
    double last = -INFINITY;
    bool climbs = true;
    for (const HalfStep& step : report.half_steps) {
      climbs = climbs && step.bound() >= last - 1e-9 * (1 + std::abs(last));
      last = step.bound();
    }
    CHECK(climbs);
    CHECK(last == doctest::Approx(report.objective).epsilon(1e-12));
  }
}

}  // namespace craton::mixture_em_test
