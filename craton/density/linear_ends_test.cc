#include "craton/density/linear_ends.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/density/adaptive_sums.h"
#include "craton/density/kde.h"
#include "craton/kernels/special.h"
#include "tests/refused.h"

namespace craton::linear_ends_test {

namespace {

using Numbers = std::vector<double>;
using Options = KernelDensity::Options;

Fit<KernelDensity> fit(const Numbers& x, const Options& options, const Numbers& weights = {}) {
  const Dense<double> view{x.data(), std::ssize(x), 1, 1};
  MemorySource source({.x = view, .weights = weights}, numbered_schema(1), "data");
  return KernelDensity::fit(source, options, {});
}

Options of(SmoothingKernel kernel, double h, const char* support) {
  Options options{.bandwidth = BandwidthRule::kNumber, .given_bandwidth = h, .kernel = kernel};
  options.support = support;
  return options;
}

bool goes(int kernel) { return LinearEnds::takes(static_cast<SmoothingKernel>(kernel)); }

const Numbers kTimes{0, 0.05, 0.1, 0.4, 0.4, 0.9, 1.3, 1.9, 2, 2};

// The formula of linear_ends.h, moments by the midpoint rule: p but for M.
double written_out(const KernelDensity& model, const Numbers& rows, const Numbers& weights,
                   double x) {
  const double h = model.bandwidth()[0];
  const ColumnSupport ends = model.shape().support[0];
  const auto profile = [&](double u) { return std::exp(log_profile(model.kernel(), std::abs(u))); };
  const double most = is_compact(model.kernel()) ? 1 : 10;
  const double low = std::max(-most, (x - ends.high) / h),
               high = std::min(most, (x - ends.low) / h);
  constexpr int kSteps = 40'000;
  const double step = (high - low) / kSteps, volume = std::exp(log_volume(model.kernel(), 1));
  double a[3] = {}, sum = 0, first = 0, weight = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double u = low + (i + 0.5) * step;
    for (int l = 0; l < 3; ++l) a[l] += profile(u) * std::pow(u, l) * step / volume;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double u = (x - rows[i]) / h;
    sum += weights[i] * profile(u);
    first += weights[i] * profile(u) * u;
    weight += weights[i];
  }
  const double ratio = a[0] * (a[2] - a[1] * first / sum) / (a[0] * a[2] - a[1] * a[1]);
  return sum / (weight * h * volume * a[0]) * std::exp(ratio - 1);
}

}  // namespace

TEST_CASE("densities with linear ends are their formula, and integrate to one") {
  Numbers weights;
  for (std::size_t i = 0; i < kTimes.size(); ++i) weights.push_back(static_cast<double>(1 + i % 3));
  for (int number = 0; number < kSmoothingKernels; ++number) {
    if (!goes(number)) continue;
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    for (const char* support :
         {"1=0.. linear", "1=..2 linear", "1=0..2 linear", "1=-1..2.5 linear"}) {
      CAPTURE(support);
      for (const double h : {0.1, 0.7, 1.9}) {
        CAPTURE(h);
        const KernelDensity model = fit(kTimes, of(kernel, h, support), weights).model;
        const ColumnSupport ends = model.shape().support[0];
        const double reach = is_compact(kernel) ? h : 12 * h;
        const double low = std::max(ends.low, -reach), high = std::min(ends.high, 2 + reach);
        constexpr int kSteps = 4000;
        const double step = (high - low) / kSteps;
        double sum = 0, mass = 0;
        for (int i = 0; i < kSteps; ++i) {
          const double at = low + (i + 0.5) * step;
          const KernelSum found = model.density(&at);
          sum += std::exp(found.log_sum) * step;
          if (i % 800 != 400 || found.log_sum == kNever) continue;
          CHECK(found.error < 1e-8);
          const double expected = written_out(model, kTimes, weights, at);
          if (mass == 0) mass = expected / std::exp(found.log_sum);
          CHECK(expected / std::exp(found.log_sum) == doctest::Approx(mass).epsilon(1e-6));
          CHECK(model.cdf(at + step / 2) == doctest::Approx(sum).epsilon(3e-3));
        }
        CHECK(sum == doctest::Approx(1).epsilon(2e-3));
        CHECK(model.cdf(high) == doctest::Approx(1).epsilon(1e-12));
        for (const double p : {1e-6, 0.2, 0.5, 0.93}) {
          CHECK(model.cdf(model.quantile(p)) == doctest::Approx(p).epsilon(1e-9));
        }
      }
    }
  }
}

// The bound is that of two sums; the integral M is the same for all.
TEST_CASE("no proved bound of a density with linear ends is broken, in tails too") {
  for (std::uint32_t number = 0; number < 60; ++number) {
    CAPTURE(number);
    Random random(31, Purpose::kTest, number);
    const double far = number % 3 == 0 ? 30 : number % 3 == 1 ? 0 : 1000;
    Numbers x;
    for (int i = 0; i < 400; ++i) x.push_back(7 + far * 0.05 - 0.3 * std::log(random.uniform()));
    const auto kernel = number % 2 == 0 ? SmoothingKernel::kGaussian : SmoothingKernel::kTricube;
    const KernelDensity model = fit(x, of(kernel, 0.05, "1=7..90 linear")).model;
    long double factor = 0;
    double factor_error = 0;
    for (const double beside : {0.01, 0.0, 0.02, 0.11, 0.4, 0.6}) {
      const double at = 7 + beside, h = model.bandwidth()[0];
      const KernelSum found = model.density(&at);
      if (found.log_sum == kNever) continue;
      if (far < 100) CHECK(found.error <= 1e-8);  // beyond, logarithms are large
      // By sums of long doubles, the nearest row's exponent divided out; moments of one end.
      const long double s = static_cast<long double>(at - 7) / h;
      long double a0, a1, a2;
      if (kernel == SmoothingKernel::kGaussian) {
        const long double bell = std::exp(-s * s / 2) / std::sqrt(2 * 3.14159265358979323846L);
        a0 = (1 + std::erf(s / std::sqrt(2.0L))) / 2, a1 = -bell, a2 = a0 - s * bell;
      } else {
        const auto moment = [&](int l, long double v) {
          const auto power = [&](int k) {
            return std::pow(v, static_cast<long double>(k + l + 1)) / (k + l + 1);
          };
          return 70.0L / 81 * (power(0) - 3 * power(3) + 3 * power(6) - power(9));
        };
        const long double v = std::min(s, 1.0L);
        a0 = moment(0, v) + 0.5L, a1 = moment(1, v) - moment(1, 1),
        a2 = moment(2, v) + moment(2, 1);
      }
      long double nearest = INFINITY, sum = 0, first = 0;
      const auto exponent = [&](double y) {
        const long double u = (static_cast<long double>(at) - y) / h;
        if (kernel == SmoothingKernel::kGaussian) return -u * u / 2;
        const long double v = std::abs(u);
        return v < 1 ? 3 * std::log(1 - v * v * v) : -INFINITY;
      };
      for (const double y : x) nearest = std::min(nearest, -exponent(y));
      for (const double y : x) {
        const long double term = std::exp(exponent(y) + nearest);
        sum += term, first += term * (static_cast<long double>(at) - y) / h;
      }
      const long double ratio = a0 * (a2 - a1 * first / sum) / (a0 * a2 - a1 * a1);
      const long double expected = std::log(sum) - nearest - std::log(a0) + ratio - 1;
      if (factor == 0) {
        factor = found.log_sum - expected;  // log M and the scale, from the first of them
        factor_error = found.error;
        continue;
      }
      CHECK(std::abs(std::expm1(found.log_sum - expected - factor)) <=
            1.001 * (found.error + factor_error));
    }
  }
}

// By theory the bias at an end is of order h for reflected kernels and h^2 for lines. Rows are of
// exp(-x), whose slope at 0 is -1; the mean over tables is nearly that over all rows of them.
TEST_CASE("at an end the bias of linear ends falls with the square of the bandwidth") {
  Numbers x;
  for (int i = 0; i < 400'000; ++i) x.push_back(-std::log((i + 0.5) / 400'000));
  const double at = 0;
  const auto bias = [&](double h, const char* support) {
    const KernelDensity model = fit(x, of(SmoothingKernel::kGaussian, h, support)).model;
    return std::exp(model.density(&at).log_sum) - 1;
  };
  for (const double h : {0.2, 0.1, 0.05}) {
    CAPTURE(h);
    CHECK(bias(h, "1=0..") / bias(h / 2, "1=0..") == doctest::Approx(2).epsilon(0.15));
    CHECK(bias(h, "1=0.. linear") / bias(h / 2, "1=0.. linear") ==
          doctest::Approx(4).epsilon(0.15));
    CHECK(std::abs(bias(h, "1=0.. linear")) < std::abs(bias(h, "1=0..")) / 3);
  }
  // In samples of 500 rows, too, lines are nearer than reflection, on average.
  double by_line = 0, reflected = 0;
  constexpr int kTables = 200;
  for (std::uint32_t t = 0; t < kTables; ++t) {
    Random random(8, Purpose::kTest, t);
    Numbers some;
    for (int i = 0; i < 500; ++i) some.push_back(-std::log(random.uniform()));
    const auto density = [&](const char* support) {
      return std::exp(
          fit(some, of(SmoothingKernel::kGaussian, 0.2, support)).model.density(&at).log_sum);
    };
    by_line += density("1=0.. linear") / kTables;
    reflected += density("1=0..") / kTables;
  }
  CHECK(std::abs(by_line - 1) < 0.05);
  CHECK(std::abs(reflected - 1) > 0.1);
}

TEST_CASE("samples with linear ends have the distribution") {
  constexpr Index kDraws = 20'000;
  for (int number = 0; number < kSmoothingKernels; ++number) {
    if (!goes(number)) continue;
    CAPTURE(number);
    for (const char* support : {"1=0.. linear", "1=0..2 linear"}) {
      const KernelDensity model =
          fit(kTimes, of(static_cast<SmoothingKernel>(number), 0.5, support)).model;
      Numbers drawn = model.sample(kDraws, 4).x.values;
      std::sort(drawn.begin(), drawn.end());
      const Numbers below = model.cdf(drawn, {});
      double worst = 0;
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        worst = std::max(worst, std::abs(below[i] - (static_cast<double>(i) + 0.5) / kDraws));
      }
      CHECK(worst < 1.95 / std::sqrt(static_cast<double>(kDraws)));
    }
  }
}

// By differences of the weights: dp / dw_i is (K_i - p) / W but for the change of M.
TEST_CASE("rows without themselves and standard errors follow from the weights") {
  const Numbers rows{0.05, 0.2, 0.25, 0.7, 1.1}, weights{2, 1, 1, 3, 1};
  for (const SmoothingKernel kernel : {SmoothingKernel::kGaussian, SmoothingKernel::kBiweight}) {
    const KernelDensity model = fit(rows, of(kernel, 0.4, "1=0.. linear"), weights).model;
    const Dense<double> view{rows.data(), 5, 1, 1};
    MemorySource source({.x = view}, numbered_schema(1), "data");
    ResultTable told{"rows", "rows"};
    model.diagnose(source, told, {});
    for (std::size_t q = 0; q < rows.size(); ++q) {
      CAPTURE(q);
      const double mass =
          written_out(model, rows, weights, rows[q]) / std::exp(model.density(&rows[q]).log_sum);
      const double p = written_out(model, rows, weights, rows[q]);
      double squares = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double step = 1e-4;
        Numbers more = weights, fewer = weights;
        more[i] += step, fewer[i] -= step;
        const double slope =
            (written_out(model, rows, more, rows[q]) - written_out(model, rows, fewer, rows[q])) /
            (2 * step);
        const double effect = slope * 8 + p;  // W is 8
        squares += weights[i] / 8 * effect * effect;
      }
      const double error = std::sqrt((squares - p * p) / 8) / p;
      CHECK((*told.find("standard_error")->numbers())[q] == doctest::Approx(error).epsilon(1e-5));
      Numbers without = weights;
      without[q] -= 1;
      const double rest = written_out(model, rows, without, rows[q]);  // NaN: 0 / 0, no others
      CHECK(std::exp((*told.find("leave_one_out")->numbers())[q]) * mass ==
            doctest::Approx(std::isnan(rest) ? 0 : rest).epsilon(1e-6));
    }
  }
}

TEST_CASE("a model with linear ends is the same of a file, merged, and on any threads") {
  const Options options = of(SmoothingKernel::kEpanechnikov, 0.5, "1=0..2 linear");
  const Fit<KernelDensity> whole = fit(kTimes, options);
  const Numbers first(kTimes.begin(), kTimes.begin() + 4), second(kTimes.begin() + 4, kTimes.end());
  CHECK(parameters_of(
            KernelDensity::merge(fit(first, options), fit(second, options), options).model) ==
        parameters_of(whole.model));
  const KernelDensity read = KernelDensity::from_parameters(ParameterList::of(whole.model));
  const Dense<double> view{kTimes.data(), std::ssize(kTimes), 1, 1};
  MemorySource source({.x = view}, numbered_schema(1), "data");
  const KernelDensity other = KernelDensity::fit(source, options, {.threads = 7}).model;
  for (const double x : {0.0, 0.3, 1.7, 2.0}) {
    CHECK(read.density(&x).log_sum == whole.model.density(&x).log_sum);
    CHECK(other.density(&x).log_sum == whole.model.density(&x).log_sum);
    CHECK(read.cdf(x) == whole.model.cdf(x));
  }
}

TEST_CASE("what linear ends do not go with is refused with what to do") {
  const auto refused = [](const Options& options, const char* words) {
    check_refused([&] { fit(kTimes, options); }, Code::kBadOption, -1, words);
  };
  refused(of(SmoothingKernel::kExponential, 0.1, "1=0.. linear"), "gaussian kernels");
  refused(of(SmoothingKernel::kGaussian, 2.5, "1=0..2 linear"), "too wide");
  refused(of(SmoothingKernel::kGaussian, 1e-4, "1=-1000000.. linear"), "rounding");
  refused(of(SmoothingKernel::kGaussian, 0.1, "1=0 linear"), "no '..'");
  Options adaptive = of(SmoothingKernel::kGaussian, 0.1, "1=0.. linear");
  adaptive.adaptive = true;
  refused(adaptive, "adaptive");
  const Dense<double> view{kTimes.data(), 5, 2, 2};
  MemorySource source({.x = view}, numbered_schema(2), "data");
  check_refused(
      [&] { KernelDensity::fit(source, of(SmoothingKernel::kGaussian, 0.1, "1=0.. linear"), {}); },
      Code::kBadOption, -1, "one column");
}

}  // namespace craton::linear_ends_test
