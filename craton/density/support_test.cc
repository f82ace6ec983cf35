#include "craton/density/support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/density/kde.h"
#include "tests/refused.h"

namespace craton::support_test {

namespace {

using Numbers = std::vector<double>;
using Options = KernelDensity::Options;

Fit<KernelDensity> fit(const Numbers& x, const Options& options, Index columns = 1) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  MemorySource source({.x = view}, numbered_schema(columns), "data");
  return KernelDensity::fit(source, options, {});
}

Options of(SmoothingKernel kernel, double h, const char* support) {
  Options options{.bandwidth = BandwidthRule::kNumber, .given_bandwidth = h, .kernel = kernel};
  options.support = support;
  return options;
}

const Numbers kTimes{0, 0.05, 0.1, 0.4, 0.4, 0.9, 1.3, 1.9, 2, 2};

}  // namespace

TEST_CASE("densities on a support integrate to one, and their distribution is the integral") {
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    for (const char* support : {"1=0..", "1=..2", "1=0..2", "1=0..2 periodic", "1=-1..2.5"}) {
      CAPTURE(support);
      for (const double h : {0.1, 0.7, 3.0}) {
        CAPTURE(h);
        if (h > 1 && !is_compact(kernel) && kernel != SmoothingKernel::kGaussian) continue;
        const KernelDensity model = fit(kTimes, of(kernel, h, support)).model;
        const ColumnSupport ends = model.shape().support[0];
        const double reach = is_compact(kernel) ? h : 42 * h;
        const double low = std::max(ends.low, -reach), high = std::min(ends.high, 2 + reach);
        constexpr int kSteps = 6000;
        const double step = (high - low) / kSteps;
        double sum = 0;
        for (int i = 0; i < kSteps; ++i) {
          const double at = low + (i + 0.5) * step;
          const KernelSum found = model.density(&at);
          CHECK(found.error < 1e-8);
          sum += std::exp(found.log_sum) * step;
          if (i % 500 == 0) {
            CHECK(model.cdf(at + step / 2) == doctest::Approx(sum).epsilon(3e-3));
          }
        }
        CHECK(sum == doctest::Approx(1).epsilon(2e-3));
        CHECK(model.cdf(high) == doctest::Approx(1).epsilon(1e-12));
        for (const double p : {1e-6, 0.2, 0.5, 0.93}) {
          CHECK(model.cdf(model.quantile(p)) == doctest::Approx(p).epsilon(1e-9));
        }
        const double outside = low - 1;
        if (ends.low > -1e300) CHECK(std::isinf(model.density(&outside).log_sum));
      }
    }
  }
}

TEST_CASE("reflected and wrapped kernels are those of rows written out again") {
  for (const auto kernel : {SmoothingKernel::kGaussian, SmoothingKernel::kTricube}) {
    const double h = 0.6;
    const KernelDensity one = fit(kTimes, of(kernel, h, "1=0..")).model;
    const KernelDensity turned = fit(kTimes, of(kernel, h, "1=0..2 periodic")).model;
    Numbers mirrored = kTimes, around;
    for (const double t : kTimes) mirrored.push_back(-t);
    for (int k = -8; k <= 8; ++k) {
      for (const double t : kTimes) around.push_back(t + 2 * k);
    }
    const KernelDensity by_mirror = fit(mirrored, of(kernel, h, "")).model;
    const KernelDensity by_turns = fit(around, of(kernel, h, "")).model;
    for (const double at : {0.0, 0.3, 1.1, 2.0}) {
      CHECK(one.density(&at).log_sum ==
            doctest::Approx(by_mirror.density(&at).log_sum + std::log(2)).epsilon(1e-12));
      CHECK(turned.density(&at).log_sum ==
            doctest::Approx(by_turns.density(&at).log_sum + std::log(17)).epsilon(1e-12));
    }
    const double low = 0, high = 2;
    CHECK(turned.density(&low).log_sum == doctest::Approx(turned.density(&high).log_sum));
  }
  const double far = 60;  // in the tail the image is a part as it is elsewhere
  const KernelDensity model = fit({30}, of(SmoothingKernel::kGaussian, 1, "1=0..60")).model;
  CHECK(model.density(&far).log_sum ==
        doctest::Approx(-450 - 0.5 * std::log(2 * 3.14159265358979) + std::log(2)).epsilon(1e-12));
}

TEST_CASE("densities of two columns on a support integrate to one") {
  const Numbers x{0, 350, 0.2, 10, 1, 90, 2.5, 180, 0.1, 5};
  for (const auto kernel :
       {SmoothingKernel::kGaussian, SmoothingKernel::kEpanechnikov, SmoothingKernel::kCosine}) {
    Options options{.kernel = kernel};
    options.given_matrix = Array{{2}, {0.25, 2500}};
    options.support = "1=0.., 2=0..360 periodic";
    const KernelDensity model = fit(x, options, 2).model;
    constexpr int kSteps = 300;
    double sum = 0;
    for (int i = 0; i < kSteps * kSteps; ++i) {
      const double at[] = {(i % kSteps + 0.5) * 6 / kSteps, (i / kSteps + 0.5) * 360 / kSteps};
      sum += std::exp(model.density(at).log_sum) * (6.0 / kSteps) * (360.0 / kSteps);
    }
    CHECK(sum == doctest::Approx(1).epsilon(2e-3));
    for (const double v : model.sample(1000, 1).x.values) CHECK((v >= 0 && v <= 360));
  }
}

TEST_CASE("samples on a support have its distribution") {
  constexpr Index kDraws = 20'000;
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    for (const char* support : {"1=0..", "1=..2", "1=0..2", "1=0..2 periodic"}) {
      CAPTURE(support);
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

TEST_CASE("rows without themselves and standard errors are of folded kernels") {
  const Numbers two{0.1, 1.5};
  const KernelDensity model = fit(two, of(SmoothingKernel::kGaussian, 0.5, "1=0..")).model;
  const Dense<double> view{two.data(), 2, 1, 1};
  MemorySource source({.x = view}, numbered_schema(1), "data");
  ResultTable rows{"rows", "rows"};
  model.diagnose(source, rows, {});
  const auto bump = [](double u) { return std::exp(-u * u / 2) / std::sqrt(2 * 3.14159265358979); };
  const double own = (bump(0) + bump(0.4)) / 0.5, other = (bump(2.8) + bump(3.2)) / 0.5;
  CHECK(std::exp((*rows.find("leave_one_out")->numbers())[0]) == doctest::Approx(other));
  const double p = (own + other) / 2, squares = (own * own + other * other) / 2;
  CHECK((*rows.find("standard_error")->numbers())[0] ==
        doctest::Approx(std::sqrt((squares - p * p) / 2) / p));
}

TEST_CASE("outside of a support bands are 0, and elsewhere without rows they are of one row") {
  const KernelDensity model = fit(kTimes, of(SmoothingKernel::kBiweight, 0.2, "1=-5..")).model;
  const Numbers at{-6, -4};
  const Dense<double> view{at.data(), 2, 1, 1};
  MemorySource source({.x = view}, numbered_schema(1), "data");
  ResultTable rows{"rows", "rows"};
  model.intervals(source, 0.95, rows, {});
  const Numbers high = *rows.find("high")->numbers();
  CHECK(std::isinf(high[0]));
  CHECK(std::isfinite(high[1]));
}

TEST_CASE("what is no support, and rows outside of one, are refused with what to do") {
  const auto refused = [](const char* support, Code code, const char* words, double h = 0.5) {
    check_refused([&] { fit(kTimes, of(SmoothingKernel::kGaussian, h, support)); }, code, -1,
                  words);
  };
  refused("1=2..1", Code::kBadOption, "which is empty");
  refused("1=2..2", Code::kBadOption, "which is empty");
  refused("1=a..b", Code::kBadOption, "no numbers");
  refused("1=nan..", Code::kBadOption, "no numbers");
  refused("1=0", Code::kBadOption, "no '..'");
  refused("0..1", Code::kBadOption, "names no column");
  refused("2=0..", Code::kUnknownName, "a column '2'");
  refused("1=0.. periodic", Code::kBadOption, "two ends");
  refused("1=0.5..", Code::kOutsideSupport,
          "data: row 0 (counted from 0), column '1': the value 0 is below 0.5");
  refused("1=..1.5", Code::kOutsideSupport,
          "data: row 7 (counted from 0), column '1': the value 1.9 is above 1.5");
  refused("1=0..2", Code::kBadOption, "too wide", 50);
  Options options = of(SmoothingKernel::kExponential, 0.1, "1=0..");
  check_refused([&] { fit(kTimes, options, 2); }, Code::kBadOption, -1, "more than one column");
  options = of(SmoothingKernel::kGaussian, 0.1, "1=0..");
  options.given_matrix = Array{{2, 2}, {1, 0.5, 0.5, 1}};
  check_refused([&] { fit(kTimes, options, 2); }, Code::kBadOption, -1, "aslant");
}

}  // namespace craton::support_test
