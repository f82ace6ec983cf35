#include "craton/kernels/smoothing/given_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "tests/refused.h"

namespace craton::given_kernel_test {

namespace {

template <class F>
class Function final : public GivenKernel {
 public:
  explicit Function(F f) : f_(f) {}
  void values(std::span<const double> u, std::span<double> out) const override {
    std::ranges::transform(u, out.begin(), f_);
  }

 private:
  F f_;
};

template <class F>
KernelTable table(F f) {
  return KernelTable(std::make_shared<Function<F>>(f));
}

constexpr double kPi = 3.14159265358979323846;
double bell(double u) { return std::exp(-u * u / 2) / std::sqrt(2 * kPi); }
double box(double u) { return std::abs(u) < 1 ? 0.5 : 0; }
double narrow_box(double u) { return std::abs(u) < 1e-4 ? 5e3 : 0; }
double far_box(double u) { return std::abs(u) > 3 && std::abs(u) <= 4 ? 0.5 : 0; }
double cauchy(double u) { return 1 / (kPi * (1 + u * u)); }
double triangle(double u) { return std::max(0.0, 1 - std::abs(u)); }
double laplace(double u) { return std::exp(-std::abs(u)) / 2; }

}  // namespace

TEST_CASE("deviations and tails of functions are those of the kernels with a name") {
  const auto check = [](const KernelTable& given, SmoothingKernel kernel) {
    CAPTURE(static_cast<int>(kernel));
    CHECK(given.deviation() == doctest::Approx(kernel_deviation(kernel, 1)).epsilon(1e-9));
    for (const double u : {0.0, 0.2, 0.999, 1.5, 6.0}) {
      CHECK(std::abs(given.tail(u) - kernel_tail(kernel, u)) < 1e-11);
    }
  };
  check(table(bell), SmoothingKernel::kGaussian);
  check(table(box), SmoothingKernel::kTophat);
  check(table(triangle), SmoothingKernel::kLinear);
  check(table(laplace), SmoothingKernel::kExponential);
  CHECK(table(far_box).deviation() == doctest::Approx(std::sqrt(37.0 / 3)).epsilon(1e-9));
  CHECK(table(narrow_box).deviation() == doctest::Approx(1e-4 / std::sqrt(3)).epsilon(1e-9));
  CHECK(std::isinf(table(cauchy).deviation()));
  CHECK(table(cauchy).tail(5) == doctest::Approx(0.5 - std::atan(5) / kPi).epsilon(1e-6));
}

TEST_CASE("draws of a function have its tails") {
  constexpr int kDraws = 20'000;
  const auto check = [](const KernelTable& given) {
    std::vector<double> drawn;
    for (int i = 0; i < kDraws; ++i) {
      Random random(5, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
      drawn.push_back(given.draw(random));
    }
    std::sort(drawn.begin(), drawn.end());
    double worst = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double u = drawn[static_cast<std::size_t>(i)], tail = given.tail(std::abs(u));
      worst = std::max(worst, std::abs((u < 0 ? tail : 1 - tail) - (i + 0.5) / kDraws));
    }
    CHECK(worst < 1.95 / std::sqrt(kDraws));
  };
  check(table(bell));
  check(table(box));
  check(table(far_box));
  check(table(cauchy));
}

TEST_CASE("sums are those of the products, and roundings are within their bound") {
  const KernelTable given = table(laplace);
  std::vector<double> points, weights;
  Random random(2, Purpose::kTest, 1);
  for (int i = 0; i < 10'000; ++i) {
    points.push_back(1e6 + random.normal());
    points.push_back(random.normal());
    weights.push_back(random.uniform());
  }
  const double x[] = {1e6 + 0.3, 2}, h[] = {0.5, 2};
  const KernelSum found = given.sum(x, h, {points.data(), 10'000, 2, 2}, weights);
  long double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double u = std::abs(x[0] - points[2 * i]) / 0.5L;
    const long double v = std::abs(x[1] - points[2 * i + 1]) / 2.0L;
    sum += weights[i] * std::exp(-u - v) / 4;
  }
  CHECK(std::abs(std::expm1(found.log_sum - std::log(sum))) <= found.error + 1e-15);
  CHECK(found.error < 1e-12);
}

TEST_CASE("what is no kernel is refused, with the integral found") {
  const auto refused = [](auto f, const char* words) {
    check_refused([&] { table(f); }, Code::kBadOption, -1, words);
  };
  refused([](double u) { return std::exp(-u * u / 2); }, "has the integral 2.5066283, not 1");
  refused([](double) { return 0.0; }, "has the integral 0, not 1");
  refused([](double) { return 0.5; }, "has the integral 1.0737418e+09");
  refused([](double u) { return bell(u - 0.1); }, "is not symmetric");
  refused([](double u) { return bell(u) * (3 - u * u) / 2; }, "is -");
  refused([](double u) { return u == 0 ? 1.0 : std::sqrt(u); }, "nan");
  refused([](double u) { return bell(u) * (1 + std::sin(1e7 * u * u)); }, "too rough");
}

}  // namespace craton::given_kernel_test
