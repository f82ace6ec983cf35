#include "craton/density/adaptive_sums.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/density/kde.h"
#include "craton/model/model_file.h"
#include "tests/kernel_problems.h"
#include "tests/refused.h"

namespace craton::adaptive_sums_test {

namespace {

using Numbers = std::vector<double>;

// As exact_log_sum(), with a scale for each point.
long double exact_adaptive_sum(const KernelProblem& p, const Numbers& scales, const double* x) {
  long double top = -INFINITY;
  std::vector<long double> logs;
  for (Index i = 0; i < p.size(); ++i) {
    Quad square = 0;
    for (Index j = 0; j < p.columns; ++j) {
      const Quad gap = (Quad(x[j]) - Quad(p.points[usize(i * p.columns + j)])) /
                       Quad(p.bandwidths[usize(j)]) / Quad(scales[usize(i)]);
      square += gap * gap;
    }
    const long double u = std::sqrt(static_cast<long double>(square));
    long double log_term = -static_cast<long double>(square) / 2;
    if (p.kernel == SmoothingKernel::kExponential) {
      log_term = -u;
    } else if (p.kernel == SmoothingKernel::kLogistic) {
      log_term = std::log(4.0L) - u - 2 * std::log1p(std::exp(-u));
    } else if (p.kernel != SmoothingKernel::kGaussian) {
      log_term = std::log(profile_from_end(p.kernel, static_cast<long double>(1 - square), u));
    }
    logs.push_back(std::log(static_cast<long double>(p.weights[usize(i)])) + log_term -
                   static_cast<long double>(p.columns) *
                       std::log(static_cast<long double>(scales[usize(i)])));
    top = std::max(top, logs.back());
  }
  if (top == -INFINITY) return top;
  long double sum = 0;
  for (const long double v : logs) sum += std::exp(v - top);
  return top + std::log(sum);
}

const Numbers kSkewed{0.1, 0.15, 0.2, 0.22, 0.3, 0.34, 0.5, 0.6, 1.1, 1.4, 2.2, 4, 9};

Fit<KernelDensity> fit(const Numbers& x, Index columns, KernelDensity::Options options,
                       const Numbers& weights = {}) {
  options.adaptive = true;
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  MemorySource source({.x = view, .weights = weights}, numbered_schema(columns), "data");
  return KernelDensity::fit(source, options, {});
}

KernelDensity::Options of(SmoothingKernel kernel, double h) {
  return {.bandwidth = BandwidthRule::kNumber, .given_bandwidth = h, .kernel = kernel};
}

}  // namespace

TEST_CASE("no proved bound of an adaptive sum is broken") {
  int seen = 0;
  for (std::uint64_t number = 7000; number < 7300; ++number) {
    CAPTURE(number);
    KernelProblem p = kernel_problem(number, 5, 1500);
    if (p.kernel == SmoothingKernel::kTophat) continue;
    Numbers scales;
    Random random(number, Purpose::kTest, 2);
    for (Index i = 0; i < p.size(); ++i) scales.push_back(std::exp(random.normal()));
    const AdaptiveSums sums(p.kernel, p.bandwidths, {p.columns, p.points, p.weights}, scales);
    for (Index q = 0; q < std::ssize(p.queries) / p.columns; ++q) {
      const double* const x = &p.queries[usize(q * p.columns)];
      const KernelSum found = sums.at(x, p.columns);
      const long double expected = exact_adaptive_sum(p, scales, x);
      if (std::isinf(found.log_sum) || std::isinf(expected)) continue;
      ++seen;
      CHECK(std::abs(std::expm1(found.log_sum - expected)) <= found.error);
      if (!is_compact(p.kernel)) CHECK(found.error <= 1e-9);
    }
  }
  CHECK(seen > 2000);
}

TEST_CASE("bandwidths go by the root of the pilot, and their geometric mean is the pilot's") {
  const auto rows = [](const KernelDensity& model) { return model.points(); };
  const Numbers weights{1, 2, 1, 1, 3, 1, 1, 1, 0.5, 1, 1, 1, 2};
  const KernelDensity::Options options = of(SmoothingKernel::kGaussian, 0.4);
  const KernelDensity model = fit(kSkewed, 1, options, weights).model;
  const Dense<double> view{kSkewed.data(), 13, 1, 1};
  MemorySource source({.x = view, .weights = weights}, numbered_schema(1), "data");
  const KernelDensity pilot = KernelDensity::fit(source, options, {}).model;
  double log_mean = 0, weight = 0;
  for (std::size_t i = 0; i < 13; ++i) {
    log_mean += weights[i] * pilot.density(&kSkewed[i]).log_sum;
    weight += weights[i];
  }
  log_mean /= weight;
  double product = 0;
  for (std::size_t i = 0; i < 13; ++i) {
    const double expected = std::exp((log_mean - pilot.density(&kSkewed[i]).log_sum) / 2);
    CHECK(model.shape().row_scales[i] == doctest::Approx(expected).epsilon(1e-12));
    product += weights[i] * std::log(model.shape().row_scales[i]);
  }
  CHECK(std::abs(product) < 1e-12);
  CHECK(rows(model) == rows(pilot));
  CHECK(unpack_model(pack_model(find_model("kde").fit(
                         source, std::vector<NamedOption>{{"adaptive", true}}, {})),
                     "")
            .model->parameters()
            .size() == 6);
}

TEST_CASE("adaptive densities integrate to one, and cdf and samples are theirs") {
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    for (const char* support : {"", "1=0.."}) {
      KernelDensity::Options options = of(kernel, 0.5);
      options.support = support;
      const KernelDensity model = fit(kSkewed, 1, options).model;
      const bool tails = !is_compact(kernel);
      const double low = *support != 0 ? 0 : tails ? -60 : -2, high = tails ? 120 : 20;
      constexpr int kSteps = 20'000;
      const double step = (high - low) / kSteps;
      double sum = 0;
      for (int i = 0; i < kSteps; ++i) {
        const double at = low + (i + 0.5) * step;
        sum += std::exp(model.density(&at).log_sum) * step;
        if (i % 2000 == 0) CHECK(model.cdf(at + step / 2) == doctest::Approx(sum).epsilon(5e-3));
      }
      CHECK(sum == doctest::Approx(1).epsilon(2e-3));
      CHECK(model.cdf(model.quantile(0.3)) == doctest::Approx(0.3).epsilon(1e-9));
      constexpr Index kDraws = 20'000;
      options.given_bandwidth = 2;  // so that the widths tell
      const KernelDensity wide = fit(kSkewed, 1, options).model;
      Numbers drawn = wide.sample(kDraws, 4).x.values;
      std::sort(drawn.begin(), drawn.end());
      const Numbers below = wide.cdf(drawn, {});
      double worst = 0;
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        worst = std::max(worst, std::abs(below[i] - (static_cast<double>(i) + 0.5) / kDraws));
      }
      CHECK(worst < 1.95 / std::sqrt(static_cast<double>(kDraws)));
    }
  }
}

TEST_CASE("adaptive densities of two columns integrate to one, aslant too") {
  const Numbers x{0, 0, 1, 3, 4, 1, 0.2, 0.1, 0.3, 0.4, 0.1, 0.3};
  for (const auto kernel : {SmoothingKernel::kGaussian, SmoothingKernel::kTriweight}) {
    KernelDensity::Options options{.kernel = kernel};
    options.given_matrix = Array{{2, 2}, {1, 0.4, 0.4, 0.5}};
    const KernelDensity model = fit(x, 2, options).model;
    constexpr int kSteps = 400;
    const double low = -9, high = 13, step = (high - low) / kSteps;
    double sum = 0;
    for (int i = 0; i < kSteps * kSteps; ++i) {
      const double at[] = {low + (i % kSteps + 0.5) * step, low + (i / kSteps + 0.5) * step};
      sum += std::exp(model.density(at).log_sum) * step * step;
    }
    CHECK(sum == doctest::Approx(1).epsilon(2e-3));
  }
}

}  // namespace craton::adaptive_sums_test
