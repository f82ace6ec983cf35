#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/density/kde.h"
#include "craton/model/model_file.h"
#include "tests/refused.h"

// Densities whose kernel is a function (kernels/smoothing/given_kernel.h), beside those of the same
// kernel by name.

namespace craton::kernel_function_test {

namespace {

using Numbers = std::vector<double>;
using Options = KernelDensity::Options;

class Bell final : public GivenKernel {
 public:
  explicit Bell(double wide = 1) : wide_(wide) {}
  void values(std::span<const double> u, std::span<double> out) const override {
    std::ranges::transform(u, out.begin(), [&](double v) {
      v /= wide_;
      return std::exp(-v * v / 2) / (std::sqrt(2 * 3.14159265358979323846) * wide_);
    });
  }

 private:
  double wide_;
};

MemorySource table(const Numbers& x, Index columns) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  return MemorySource({.x = view}, numbered_schema(columns), "data");
}

const Numbers kRows{0, 0.05, 0.1, 0.4, 0.4, 0.9, 1.3, 1.9, 2, 2};

Fit<KernelDensity> given(const Options& options, Index columns = 1, double wide = 1) {
  MemorySource source = table(kRows, columns);
  return KernelDensity::fit(source, options, {.threads = 2}, std::make_shared<Bell>(wide));
}

}  // namespace

TEST_CASE("a gaussian as a function gives what the gaussian by name does") {
  for (const Index columns : {Index{1}, Index{2}}) {
    CAPTURE(columns);
    Options matrix;
    matrix.bandwidth_matrix = KernelDensity::BandwidthMatrix::kCovariance;
    for (const Options& options : {Options{}, matrix}) {
      MemorySource source = table(kRows, columns);
      const KernelDensity named = KernelDensity::fit(source, options, {}).model;
      const KernelDensity model = given(options, columns).model;
      CHECK(model.bandwidth()[0] == doctest::Approx(named.bandwidth()[0]).epsilon(1e-8));
      ResultTable rows{"rows", "rows"}, expected{"rows", "rows"}, bands{"rows", "rows"},
          named_bands{"rows", "rows"};
      model.diagnose(source, rows, {.threads = 7});
      named.diagnose(source, expected, {});
      model.intervals(source, 0.9, bands, {.threads = 7});
      named.intervals(source, 0.9, named_bands, {});
      for (std::size_t i = 0; i < kRows.size() / usize(columns); ++i) {
        for (const char* name : {"standard_error", "leave_one_out"}) {
          CHECK((*rows.find(name)->numbers())[i] ==
                doctest::Approx((*expected.find(name)->numbers())[i]).epsilon(1e-6));
        }
        for (const char* name : {"log_density", "low", "high"}) {
          CHECK((*bands.find(name)->numbers())[i] ==
                doctest::Approx((*named_bands.find(name)->numbers())[i]).epsilon(1e-6));
        }
        if (columns > 1) continue;
        const double x = kRows[i] + 0.1;
        CHECK(model.cdf(x) == doctest::Approx(named.cdf(x)).epsilon(1e-7));
        CHECK(model.quantile(0.3) == doctest::Approx(named.quantile(0.3)).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("samples of a function are spread as it is") {
  Options options{.bandwidth = BandwidthRule::kNumber, .given_bandwidth = 0.5};
  const KernelDensity model = given(options).model;
  Numbers drawn = model.sample(20'000, 3).x.values;
  std::sort(drawn.begin(), drawn.end());
  double worst = 0;
  for (std::size_t i = 0; i < drawn.size(); i += 50) {
    worst =
        std::max(worst, std::abs(model.cdf(drawn[i]) - (static_cast<double>(i) + 0.5) / 20'000));
  }
  CHECK(worst < 1.95 / std::sqrt(20'000.0));
}

TEST_CASE("models with a function learn on, merge, and sleep in files until they have it again") {
  const Fit<KernelDensity> fit = given({});
  const Numbers others{0.5, 0.7};
  MemorySource more = table(others, 1);
  const Fit<KernelDensity> twice =
      KernelDensity::unlearn(KernelDensity::partial_fit(fit, more, {}, {}), more, {}, {});
  CHECK(parameters_of(twice.model) == parameters_of(fit.model));
  CHECK(parameters_of(KernelDensity::merge(fit, fit, {}).model) != parameters_of(fit.model));
  check_refused([&] { KernelDensity::merge(fit, given({}, 1, 2), {}); }, Code::kBadOption, -1,
                "other functions");
  const double x = 0.3;
  Fit<KernelDensity> read{KernelDensity::from_parameters(ParameterList::of(fit.model)), fit.report};
  CHECK(read.model.asleep());
  CHECK(!read.model.tables(numbered_schema(1)).empty());
  const auto sleeps = [](auto f) { check_refused(f, Code::kNotAble, -1, "files hold none"); };
  Numbers out(10);
  MemorySource rows = table(kRows, 1);
  sleeps([&] { read.model.score_samples(rows, out, {}); });
  sleeps([&] { read.model.density(&x); });
  sleeps([&] { read.model.sample(1, 0); });
  sleeps([&] { read.model.cdf(1); });
  sleeps([&] { KernelDensity::partial_fit(read, more, {}, {}); });
  check_refused([&] { KernelDensity::with_kernel(read, std::make_shared<Bell>(1.1)); },
                Code::kBadOption, -1, "where that of the fit was 0.398");
  const Fit<KernelDensity> awake = KernelDensity::with_kernel(read, std::make_shared<Bell>());
  CHECK(awake.model.density(&x).log_sum == fit.model.density(&x).log_sum);
  CHECK(parameters_of(awake.model) == parameters_of(fit.model));
  MemorySource plain = table(kRows, 1);
  const Fit<KernelDensity> named = KernelDensity::fit(plain, {}, {});
  check_refused([&] { KernelDensity::with_kernel(named, std::make_shared<Bell>()); },
                Code::kBadOption, -1, "is none");
}

TEST_CASE("what a function does not go with is refused with what to do") {
  const auto refused = [](const Options& options, const char* words) {
    check_refused([&] { given(options); }, Code::kBadOption, -1, words);
  };
  Options support, adaptive;
  support.support = "1=0..";
  adaptive.adaptive = true;
  refused(support, "support");
  refused(adaptive, "adaptive");
  check_refused(
      [] {
        KernelDensity::marginal(given({}, 2), std::vector<Index>{0}, numbered_schema(2),
                                *std::make_unique<Options>());
      },
      Code::kNotAble, -1, "not gaussian");
  check_refused([] { given({}, 1, -1); }, Code::kBadOption, -1, "is -");
}

}  // namespace craton::kernel_function_test
