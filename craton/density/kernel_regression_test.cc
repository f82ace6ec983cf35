#include "craton/density/kernel_regression.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/density/local_fit.h"
#include "craton/density/regression_bandwidth.h"
#include "craton/model/model_file.h"
#include "tests/refused.h"

namespace craton::kernel_regression_test {

namespace {

using Numbers = std::vector<double>;
using Options = KernelRegression::Options;
using Rule = KernelRegression::Rule;

struct Rows {
  Numbers x, y, weights = {};
  Index columns = 1;
};

MemorySource table(const Rows& rows) {
  const Index n = std::ssize(rows.x) / rows.columns;
  Schema schema = numbered_schema(rows.columns);
  schema.target = Column{"number"};
  const Dense<double> view{rows.x.data(), n, rows.columns, rows.columns};
  return MemorySource({.x = view, .targets = rows.y, .weights = rows.weights}, schema, "data");
}

Fit<KernelRegression> fit(const Rows& rows, const Options& options, const Exec& exec = {}) {
  MemorySource source = table(rows);
  return KernelRegression::fit(source, options, exec);
}

Options with(double bandwidth, SmoothingKernel kernel = SmoothingKernel::kGaussian,
             Index degree = 0) {
  return {
      .bandwidth = Rule::kNumber, .given_bandwidth = bandwidth, .kernel = kernel, .degree = degree};
}

Rows wave(Index n, Index columns, std::uint64_t seed) {
  Rows rows{{}, {}, {}, columns};
  for (Index i = 0; i < n; ++i) {
    Random random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < columns; ++j) rows.x.push_back(6 * random.uniform());
    rows.y.push_back(std::sin(rows.x[usize(i * columns)]) + 0.3 * random.normal());
  }
  return rows;
}

// m(x) with sums in long double.
long double exact(const Rows& rows, const Numbers& h, const double* x, bool gaussian) {
  long double above = 0, below = 0;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    long double square = 0;
    for (std::size_t j = 0; j < h.size(); ++j) {
      const long double gap = (static_cast<long double>(x[j]) - rows.x[i * h.size() + j]) /
                              static_cast<long double>(h[j]);
      square += gap * gap;
    }
    const long double k = gaussian ? std::exp(-square / 2) : std::max(1 - square, 0.0L);
    above += k * rows.y[i];
    below += k;
  }
  return above / below;
}

// Waiting times and durations of the first 20 eruptions of Old Faithful in R's table `faithful`.
const Rows kGeyser{
    {3.6,   1.8,   3.333, 2.283, 4.533, 2.883, 4.7,  3.6, 1.95, 4.35,
     1.833, 3.917, 4.2,   1.75,  4.7,   2.167, 1.75, 4.8, 1.6,  4.25},
    {79, 54, 74, 62, 85, 55, 88, 85, 51, 85, 54, 84, 78, 47, 83, 52, 62, 84, 52, 79}};

constexpr std::array kKernels{SmoothingKernel::kGaussian,     SmoothingKernel::kTophat,
                              SmoothingKernel::kEpanechnikov, SmoothingKernel::kExponential,
                              SmoothingKernel::kLinear,       SmoothingKernel::kCosine,
                              SmoothingKernel::kBiweight,     SmoothingKernel::kTriweight,
                              SmoothingKernel::kTricube,      SmoothingKernel::kLogistic};

}  // namespace

// statsmodels 0.15 and least squares by hand: tests/reference/kernel_regression.py.
TEST_CASE("means and lines are those of statsmodels, and of weighted least squares") {
  const Numbers at{2, 3.1, 5};
  const auto check = [&](const Options& options, const Numbers& expected) {
    const KernelRegression model = fit(kGeyser, options).model;
    for (std::size_t i = 0; i < at.size(); ++i) {
      CHECK(model.number(&at[i]).value == doctest::Approx(expected[i]).epsilon(1e-10));
    }
  };
  constexpr auto kEpanechnikov = SmoothingKernel::kEpanechnikov;
  Options precise = with(0.4);
  precise.rtol = 0;
  check(precise, {54.177533141053, 70.27829933512736, 84.3861944148513});
  check(with(0.4, SmoothingKernel::kGaussian, 1),
        {54.6664287501368, 67.13836276949415, 86.54287112816064});
  check(with(0.9, kEpanechnikov), {54.22000815618599, 72.00922034283245, 84.24450589437889});
  check(with(0.9, kEpanechnikov, 1), {54.882395265928025, 66.93985919519126, 87.06762658456388});
}

TEST_CASE("so they are in two columns, each with its bandwidth") {
  Points points{3, {}, {}};
  std::vector<std::array<double, 3>> rows;
  for (std::size_t i = 0; i + 1 < kGeyser.y.size(); ++i) {
    rows.push_back({kGeyser.x[i], kGeyser.y[i], kGeyser.y[i + 1]});
  }
  std::ranges::sort(rows);
  for (const auto& row : rows) {
    points.rows.insert(points.rows.end(), row.begin(), row.end());
    points.weights.push_back(1);
  }
  const Numbers h{0.5, 8};
  const Numbers at{2, 60, 4, 80, 3.1, 70};
  const std::array<Numbers, 2> expected{
      Numbers{80.01388156971576, 58.069448850705406, 64.74497360136778},
      Numbers{82.55103087570836, 55.31243472763052, 68.36706812323101}};
  for (const Index degree : {0, 1}) {
    LocalFit local(points, SmoothingKernel::kGaussian, h, degree);
    for (std::size_t i = 0; i < 3; ++i) {
      REQUIRE(local.look_from(&at[2 * i]));
      CHECK(local.value() == doctest::Approx(expected[usize(degree)][i]).epsilon(1e-10));
    }
  }
}

TEST_CASE("no proved bound of a mean is broken, with offsets, far rows and tails") {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed, Purpose::kTest);
    const Index columns = 1 + static_cast<Index>(seed % 3);
    Rows rows = wave(50 + static_cast<Index>(seed) * 20, columns, seed);
    const double offset = seed % 4 == 0 ? 1e9 : 0;
    for (double& v : rows.x) v = std::round((v + offset) * 1024) / 1024;
    for (double& v : rows.y) v = 1e3 * (v + (seed % 5 == 0 ? 1e6 : 0));
    const bool gaussian = seed % 2 == 0;
    const Numbers h(usize(columns), 0.2 + random.uniform());
    const Options options =
        with(h[0], gaussian ? SmoothingKernel::kGaussian : SmoothingKernel::kEpanechnikov);
    const KernelRegression model = fit(rows, options).model;
    for (int i = 0; i < 20; ++i) {
      Numbers x;
      for (Index j = 0; j < columns; ++j) {
        x.push_back(offset + (i < 15 ? 6 * random.uniform() : 25 * random.uniform()));
      }
      const KernelRegression::Number found = model.number(x.data());
      if (found.outside) continue;
      const auto error = static_cast<double>(
          std::abs(exact(rows, h, x.data(), gaussian) - static_cast<long double>(found.value)));
      CHECK(error <= found.error);
      most = std::max(most, found.error / 1e3);
    }
  }
  CHECK(most < 1e-6);
}

TEST_CASE("a line is what it was made of, and a plane, with every kernel") {
  for (const Index columns : {1, 2, 3}) {
    Rows rows = wave(300, columns, 7);
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      rows.y[i] = 5;
      for (Index j = 0; j < columns; ++j) {
        rows.y[i] += static_cast<double>(2 - j) * rows.x[i * usize(columns) + usize(j)];
      }
    }
    for (const SmoothingKernel kernel : kKernels) {
      CAPTURE(static_cast<int>(kernel));
      const KernelRegression model = fit(rows, with(1.7, kernel, 1)).model;
      const Numbers x{2.5, 3.5, 3};
      double expected = 5;
      for (Index j = 0; j < columns; ++j) expected += static_cast<double>(2 - j) * x[usize(j)];
      CHECK(model.number(x.data()).value == doctest::Approx(expected).epsilon(1e-11));
    }
  }
}

TEST_CASE("the sums of kernels and a look at all rows give one mean, with every kernel") {
  const Rows rows = wave(400, 2, 8);
  for (const SmoothingKernel kernel : kKernels) {
    CAPTURE(static_cast<int>(kernel));
    const KernelRegression model = fit(rows, with(0.8, kernel)).model;
    LocalFit local(model.points(), kernel, model.bandwidth(), 0);
    for (const Numbers& x : {Numbers{1, 2}, Numbers{5.9, 0.1}, Numbers{3, 6.5}}) {
      REQUIRE(local.look_from(x.data()));
      CHECK(model.number(x.data()).value == doctest::Approx(local.value()).epsilon(1e-7));
    }
  }
}

TEST_CASE("outside of all kernels the nearest rows have equal weights") {
  const Rows rows{{0, 1, 2, 2}, {5, 7, 1, 4}, {1, 1, 3, 1}};
  for (const Index degree : {0, 1}) {
    const KernelRegression model = fit(rows, with(0.5, SmoothingKernel::kTricube, degree)).model;
    double x = 9;
    CHECK(model.number(&x).value == doctest::Approx((3 * 1 + 4) / 4.0));
    CHECK(model.number(&x).outside);
    x = 0.5;  // both are at its end
    CHECK(model.number(&x).value == doctest::Approx(6));
    CHECK(model.number(&x).outside);
    x = 0.25;
    CHECK(model.number(&x).value == doctest::Approx(5));
    CHECK_FALSE(model.number(&x).outside);
  }
  double far = 1e3;  // kernels without an end have no outside
  const KernelRegression model = fit(rows, with(0.5)).model;
  CHECK(model.number(&far).value == doctest::Approx(1.75));
  CHECK_FALSE(model.number(&far).outside);
}

// statsmodels' cv_ls finds 26.85488268033136 and 31.18936646864349.
TEST_CASE("rows left out are predicted no worse than with statsmodels' bandwidths") {
  const auto mean = fit(kGeyser, {});
  CHECK(-mean.report.objective <= 26.85488268033136 * (1 + 1e-6));
  CHECK(mean.model.bandwidth()[0] == doctest::Approx(0.6208).epsilon(0.02));
  const auto line = fit(kGeyser, {.degree = 1});
  CHECK(-line.report.objective <= 31.18936646864349 * (1 + 1e-6));
}

TEST_CASE("what is left out is one copy of a row, as if the model had not had it") {
  const Rows rows{{0, 0.5, 1.5, 2, 2.5}, {1, 2, 4, 3, 0}, {1, 2, 1, 0.5, 3}};
  const Numbers h{0.7};
  for (const Index degree : {0, 1}) {
    const KernelRegression whole = fit(rows, with(0.7, SmoothingKernel::kGaussian, degree)).model;
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      Rows rest = rows;
      rest.weights[i] = std::max(rest.weights[i] - 1, 0.0);
      const KernelRegression without =
          fit(rest, with(0.7, SmoothingKernel::kGaussian, degree)).model;
      LocalFit local(whole.points(), SmoothingKernel::kGaussian, h, degree);
      REQUIRE(local.look_from(&rows.x[i], static_cast<Index>(i)));
      CHECK(local.value() == doctest::Approx(without.number(&rows.x[i]).value).epsilon(1e-7));
    }
  }
}

TEST_CASE("a column that says nothing gets a great bandwidth") {
  Rows rows = wave(250, 2, 9);
  const auto found = fit(rows, {});
  const auto h = found.model.bandwidth();
  CHECK(h[0] < 1);
  CHECK(h[1] > 3);
}

TEST_CASE("bandwidths go with the units of columns, whatever the rule") {
  const Rows rows = wave(120, 1, 10);
  Rows other = rows;
  for (double& v : other.x) v = 1e3 - 64 * v;
  for (int rule = 0; rule < static_cast<int>(Rule::kNumber); ++rule) {
    const Options options{.bandwidth = static_cast<Rule>(rule)};
    CHECK(fit(other, options).model.bandwidth()[0] ==
          doctest::Approx(64 * fit(rows, options).model.bandwidth()[0]).epsilon(1e-6));
  }
}

TEST_CASE("1, 2 and 7 threads find the same bandwidth, and weights are copies") {
  Rows rows = wave(200, 2, 11);
  const auto one = fit(rows, {}, {.threads = 1});
  for (const int threads : {2, 7}) {
    const auto more = fit(rows, {}, {.threads = threads});
    CHECK(std::ranges::equal(more.model.bandwidth(), one.model.bandwidth()));
    CHECK(more.report.objective == one.report.objective);
  }
  Rows twice = rows;
  twice.x.insert(twice.x.end(), rows.x.begin(), rows.x.end());
  twice.y.insert(twice.y.end(), rows.y.begin(), rows.y.end());
  rows.weights.assign(200, 2);
  CHECK(std::ranges::equal(fit(rows, {}).model.bandwidth(), fit(twice, {}).model.bandwidth()));
}

TEST_CASE("batches learned on, merged and unlearned are one fit") {
  const Rows whole = wave(300, 2, 12);
  const auto part = [&](std::size_t first, std::size_t last) {
    const auto at = [](const Numbers& v, std::size_t i) {
      return v.begin() + static_cast<std::ptrdiff_t>(i);
    };
    return Rows{{at(whole.x, 2 * first), at(whole.x, 2 * last)},
                {at(whole.y, first), at(whole.y, last)},
                {},
                2};
  };
  const Options options{.bandwidth = Rule::kScott};
  const Rows rest = part(100, 300);
  const auto all = fit(whole, options), start = fit(part(0, 100), options);
  MemorySource more = table(rest);
  const auto same = [](const Fit<KernelRegression>& a, const Fit<KernelRegression>& b) {
    CHECK(a.model.points() == b.model.points());
    CHECK(std::ranges::equal(a.model.bandwidth(), b.model.bandwidth()));
    CHECK(a.report.data_hash == b.report.data_hash);
    CHECK(a.report.objective == b.report.objective);
  };
  same(KernelRegression::partial_fit(start, more, options, {}), all);
  same(KernelRegression::merge(start, fit(rest, options), options), all);
  same(KernelRegression::unlearn(all, more, options, {}), start);
}

// In 400 tables of 150 rows about a known curve, where that is straight.
TEST_CASE("the standard error is that of the mean") {
  double squares = 0, errors = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rows rows{{}, {}};
    for (int i = 0; i < 150; ++i) {
      Random random(seed, Purpose::kTest, 3, static_cast<std::uint64_t>(i));
      rows.x.push_back(random.uniform());
      rows.y.push_back(rows.x.back() + random.normal());
    }
    const KernelRegression model = fit(rows, with(0.15, SmoothingKernel::kEpanechnikov, 1)).model;
    const double x = 0.5;
    LocalFit local(model.points(), model.kernel(), model.bandwidth(), 1);
    REQUIRE(local.look_from(&x));
    squares += (local.value() - 0.5) * (local.value() - 0.5) / 400;
    errors += local.spread().error * local.spread().error / 400;
  }
  CHECK(errors == doctest::Approx(squares).epsilon(0.2));
}

TEST_CASE("columns without spread, and rows too far away, are refused by name") {
  const Rows flat{{3, 3, 3}, {1, 2, 3}};
  check_refused([&] { fit(flat, {}); }, Code::kNoSpread, -1, "bandwidth");
  CHECK(fit(flat, with(1)).model.columns() == 1);
  const KernelRegression model = fit(kGeyser, with(1)).model;
  const Rows far{{1e200}, {1}};
  MemorySource rows = table(far);
  Numbers out(1);
  check_refused([&] { model.predict_numbers(rows, out, {}); }, Code::kNotFinite, -1, "overflow");
}

TEST_CASE("a loaded model predicts what the saved one did, to the bit") {
  for (const Index degree : {0, 1}) {
    const KernelRegression model =
        fit(wave(80, 2, 13), with(0.6, SmoothingKernel::kBiweight, degree)).model;
    const auto parameters = parameters_of(model);
    const KernelRegression again = KernelRegression::from_parameters(parameters);
    const Numbers x{2, 3};
    CHECK(again.number(x.data()).value == model.number(x.data()).value);
  }
}

}  // namespace craton::kernel_regression_test
