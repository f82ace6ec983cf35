#include "craton/density/bandwidth_matrix.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/density/kde.h"
#include "craton/model/model_file.h"
#include "tests/kernel_problems.h"
#include "tests/refused.h"

namespace craton::bandwidth_matrix_test {

namespace {

using Numbers = std::vector<double>;
using Options = KernelDensity::Options;

Fit<KernelDensity> fit(const Numbers& x, Index columns, const Options& options,
                       const Numbers& weights = {}) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  MemorySource source({.x = view, .weights = weights}, numbered_schema(columns), "data");
  return KernelDensity::fit(source, options, {});
}

Options of(const Numbers& matrix, Index columns,
           SmoothingKernel kernel = SmoothingKernel::kGaussian) {
  Options options{.kernel = kernel};
  options.given_matrix = Array{{columns, std::ssize(matrix) / columns}, matrix};
  return options;
}

// Rows of the problem in units of L, in 113 bits; then a problem of bandwidths 1.
long double exact_log_density(const KernelProblem& p, const Numbers& lower, const double* x) {
  const Index d = p.columns;
  std::vector<long double> logs;
  long double top = -INFINITY, weight = 0;
  for (Index i = 0; i < p.size(); ++i) {
    Quad z[8], square = 0;
    for (Index j = 0; j < d; ++j) {
      z[j] = Quad(x[j]) - Quad(p.points[usize(i * d + j)]);
      for (Index k = 0; k < j; ++k) z[j] -= Quad(lower[usize(j * d + k)]) * z[k];
      z[j] /= Quad(lower[usize(j * d + j)]);
      square += z[j] * z[j];
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
    weight += p.weights[usize(i)];
    logs.push_back(std::log(static_cast<long double>(p.weights[usize(i)])) + log_term);
    top = std::max(top, logs.back());
  }
  if (top == -INFINITY) return top;
  long double sum = 0, scale = log_volume(p.kernel, d);
  for (const long double v : logs) sum += std::exp(v - top);
  for (Index j = 0; j < d; ++j) {
    scale += std::log(static_cast<long double>(lower[usize(j * d + j)]));
  }
  return top + std::log(sum) - std::log(weight) - scale;
}

}  // namespace

TEST_CASE("no proved bound of a density with a matrix is broken") {
  int seen = 0, endless = 0;
  for (std::uint64_t number = 5000; number < 5400; ++number) {
    CAPTURE(number);
    KernelProblem p = kernel_problem(number, 4, 300);
    if (p.kernel == SmoothingKernel::kTophat) continue;
    const Index d = p.columns;
    const double h = p.bandwidths[0];
    Random random(number, Purpose::kTest, 3);
    Numbers lower(usize(d * d)), matrix(usize(d * d));
    for (Index j = 0; j < d; ++j) {
      for (Index k = 0; k < j; ++k) lower[usize(j * d + k)] = h * random.normal();
      lower[usize(j * d + j)] = h * (0.3 + random.uniform());
    }
    for (Index i = 0; i < d * d; ++i) {
      for (Index k = 0; k < d; ++k) {
        matrix[usize(i)] += lower[usize(i / d * d + k)] * lower[usize(i % d * d + k)];
      }
    }
    const KernelDensity model = fit(p.points, d, of(matrix, d, p.kernel), p.weights).model;
    const Numbers& used = d == 1 ? Numbers{model.bandwidth()[0]} : model.shape().factor;
    for (Index q = 0; q < std::ssize(p.queries) / d; ++q) {
      const double* const x = &p.queries[usize(q * d)];
      const KernelSum found = model.density(x);
      const long double expected = exact_log_density(p, used, x);
      // What lies within rounding of the end of a kernel is decided in double.
      if (std::isinf(found.log_sum) || std::isinf(expected)) continue;
      ++seen;
      CHECK(std::abs(std::expm1(found.log_sum - expected)) <= found.error);
      if (is_compact(p.kernel)) continue;
      // Tails, outliers and offsets hold rtol, but for the rounding of a large logarithm.
      ++endless;
      const double rounding = 1e-15 * static_cast<double>(std::abs(expected));
      CHECK(found.error <= std::max(1e-8, rounding));
    }
  }
  CHECK(seen > 2000);
  CHECK(endless > 1000);
}

TEST_CASE("a diagonal is that of bandwidths, and a matrix of one column its square") {
  const Numbers x{1, 2, 3, 5, 2, 8, 4, 1, 9, 3};
  const Numbers at{2.5, 4};
  const KernelDensity wide = fit(x, 2, of({4, 4}, 2)).model;
  const KernelDensity same =
      fit(x, 2, {.bandwidth = BandwidthRule::kNumber, .given_bandwidth = 2}).model;
  CHECK(wide.density(at.data()).log_sum == same.density(at.data()).log_sum);
  CHECK(parameters_of(wide) == parameters_of(same));
  const KernelDensity written = fit(x, 2, of({4, 0, 0, 4}, 2)).model;
  CHECK(parameters_of(written) == parameters_of(same));
  CHECK(fit(x, 1, of({9}, 1)).model.bandwidth()[0] == 3);
  const KernelDensity apart = fit(x, 2, of({4, 25}, 2)).model;
  CHECK(apart.bandwidth()[1] == 5);
}

TEST_CASE("samples have the covariance of rows and kernels, and densities without a row hold") {
  const Numbers x{0, 0, 1, 3, 4, 1};
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    const KernelDensity model = fit(x, 2, of({4, 1, 1, 0.5}, 2, kernel)).model;
    constexpr Index kDraws = 40'000;
    const Numbers drawn = model.sample(kDraws, 5).x.values;
    const double deviation = kernel_deviation(kernel, 2);
    double mean[2] = {}, product = 0, square = 0;
    for (Index i = 0; i < kDraws; ++i) {
      for (Index j = 0; j < 2; ++j) mean[j] += drawn[usize(2 * i + j)] / kDraws;
    }
    for (Index i = 0; i < kDraws; ++i) {
      const double a = drawn[usize(2 * i)] - mean[0], b = drawn[usize(2 * i + 1)] - mean[1];
      product += a * b / kDraws;
      square += a * a / kDraws;
    }
    // Of the rows: 26 / 9 and 1 / 9.
    CHECK(square == doctest::Approx(26.0 / 9 + 4 * deviation * deviation).epsilon(0.05));
    CHECK(product == doctest::Approx(1.0 / 9 + deviation * deviation).epsilon(0.1));
  }
}

TEST_CASE("densities with a matrix integrate to one") {
  const Numbers x{0, 0, 1, 3, 4, 1};
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    const KernelDensity model = fit(x, 2, of({2, 0.7, 0.7, 0.5}, 2, kernel)).model;
    constexpr int kSteps = 400;
    const double low = is_compact(kernel) ? -3 : -22, high = is_compact(kernel) ? 7 : 26;
    const double step = (high - low) / kSteps;
    double sum = 0;
    for (int i = 0; i < kSteps * kSteps; ++i) {
      const double at[] = {low + (i % kSteps + 0.5) * step, low + (i / kSteps + 0.5) * step};
      sum += std::exp(model.density(at).log_sum);
    }
    CHECK(sum * step * step == doctest::Approx(1).epsilon(2e-3));
  }
}

TEST_CASE("what is no bandwidth matrix is refused with what to do") {
  const Numbers x{1, 2, 3, 5, 2, 8, 4, 1, 9, 3};
  const auto refused = [&](const Options& options, Code code, const char* words) {
    check_refused([&] { fit(x, 2, options); }, code, -1, words);
  };
  refused(of({1, 2, 3}, 1), Code::kBadOption, "3 values for 2 columns");
  refused(of({1, 0.5, 0.4, 1}, 2), Code::kBadOption, "not symmetric");
  refused(of({1, NAN, NAN, 1}, 2), Code::kBadOption, "Give finite numbers");
  refused(of({1, 2, 2, 1}, 2), Code::kBadOption, "not positive definite");
  refused(of({1, 0}, 2), Code::kBadOption, "not positive definite");
  refused(of({1e300, 1}, 2), Code::kNoSpread, "overflows");
  Options covariance{.bandwidth_matrix = KernelDensity::BandwidthMatrix::kCovariance};
  covariance.bandwidth = BandwidthRule::kNrd0;
  refused(covariance, Code::kBadOption, "number or");
  covariance.bandwidth = BandwidthRule::kScott;
  check_refused(
      [&] {
        fit({1, 2, 2, 4, 3, 6}, 2, covariance);
      },
      Code::kBadOption, -1, "not positive definite");
}

}  // namespace craton::bandwidth_matrix_test
