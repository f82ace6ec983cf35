#include "craton/density/kde.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/kernels/special.h"
#include "craton/model/model_file.h"
#include "tests/kernel_problems.h"
#include "tests/refused.h"

namespace craton::kde_test {

namespace {

using Numbers = std::vector<double>;
using Options = KernelDensity::Options;

MemorySource table(const Numbers& x, Index columns, const Numbers& weights = {}) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  return MemorySource({.x = view, .weights = weights}, numbered_schema(columns), "data");
}

Fit<KernelDensity> fit(const Numbers& x, const Options& options = {}, Index columns = 1,
                       const Numbers& weights = {}) {
  MemorySource source = table(x, columns, weights);
  return KernelDensity::fit(source, options, {});
}

Options of(SmoothingKernel kernel, double bandwidth) {
  return {.bandwidth = BandwidthRule::kNumber, .given_bandwidth = bandwidth, .kernel = kernel};
}

// Durations of the first 20 eruptions of Old Faithful in R's table `faithful`.
const Numbers kEruptions{3.6,   1.8,   3.333, 2.283, 4.533, 2.883, 4.7,  3.6, 1.95, 4.35,
                         1.833, 3.917, 4.2,   1.75,  4.7,   2.167, 1.75, 4.8, 1.6,  4.25};

}  // namespace

// scikit-learn 1.9, tests/reference/kde.py. Its cosine kernel of two columns does not integrate to
// one: what that leaves out is added.
TEST_CASE("densities are scikit-learn's, in one and two columns") {
  struct Row {
    SmoothingKernel kernel;
    Numbers of_one, of_two;  // at 2, 3.1, 5 and at (2, 3), (3.1, 3.1), (5, 4)
  };
  const double rest = 1.0123055338772537;
  const std::vector<Row> rows{
      {SmoothingKernel::kGaussian,
       {-1.077043595566221, -1.8927186366539699, -1.7447687843502169},
       {-3.447733168920184, -3.2333456561003255, -3.756246967044903}},
      {SmoothingKernel::kTophat,
       {-0.6931471805599454, -2.0794415416798357, -1.6739764335716716},
       {-3.159632906391665, -3.159632906391665, -3.5650980144998297}},
      {SmoothingKernel::kEpanechnikov,
       {-0.737107639834329, -2.0549532182477566, -1.8816157983499153},
       {-3.528563812771863, -3.6890782129642004, -3.3520597500438494}},
      {SmoothingKernel::kExponential,
       {-1.17444980342816, -1.8398343919033584, -1.856468799727038},
       {-3.8641617702855364, -3.7039148188815423, -4.037001274013679}},
      {SmoothingKernel::kLinear,
       {-0.8033806609596459, -2.212972934304359, -2.0794415416798353},
       {-3.665414271422008, -3.777983244678029, -3.3109932970431304}},
      {SmoothingKernel::kCosine,
       {-0.7466552352202593, -2.08343859264646, -1.934062278076746},
       {-4.593124423794264 + rest, -4.72962697075152 + rest, -4.347626558182843 + rest}}};
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.kernel));
    const KernelDensity one = fit(kEruptions, of(row.kernel, 0.4)).model;
    const KernelDensity two = fit(kEruptions, of(row.kernel, 1.5), 2).model;
    const Numbers x{2, 3.1, 5}, y{2, 3, 3.1, 3.1, 5, 4};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(std::abs(one.density(&x[i]).log_sum - row.of_one[i]) < 1e-9);
      CHECK(std::abs(two.density(&y[2 * i]).log_sum - row.of_two[i]) < 1e-9);
    }
  }
}

// SciPy 1.17 and R's formulas, tests/reference/kde.py
TEST_CASE("rules give the bandwidths of SciPy and R, and weights are copies") {
  struct Row {
    BandwidthRule rule;
    double plain, weighted;
  };
  Numbers weights, repeated;
  for (std::size_t i = 0; i < 20; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    repeated.insert(repeated.end(), i % 3, kEruptions[i]);
  }
  for (const Row& row : {Row{BandwidthRule::kScott, 0.6581517399136665, 0.6526487570836729},
                         Row{BandwidthRule::kSilverman, 0.6971300139443127, 0.6913011233339013},
                         Row{BandwidthRule::kNrd0, 0.5923365659222999, 0.5873838813753056},
                         Row{BandwidthRule::kNrd, 0.6976408443084864, 0.6918076825086933}}) {
    CAPTURE(static_cast<int>(row.rule));
    const Options options{.bandwidth = row.rule};
    const auto width = [&](const Numbers& x, const Numbers& w = {}) {
      return fit(x, options, 1, w).model.bandwidth()[0];
    };
    CHECK(width(kEruptions) == doctest::Approx(row.plain).epsilon(1e-12));
    CHECK(width(kEruptions, weights) == doctest::Approx(row.weighted).epsilon(1e-12));
    CHECK(width(kEruptions, weights) == width(repeated));
    Numbers moved = kEruptions;
    for (double& v : moved) v = -8 * v + 1024;
    CHECK(width(moved) == doctest::Approx(8 * row.plain).epsilon(1e-12));
  }
  const double density_at_2 = -1.397631639752341, two = 2;
  CHECK(fit(kEruptions).model.density(&two).log_sum == doctest::Approx(density_at_2));
}

TEST_CASE("rules go by the spread of each column, and give the deviation of any kernel") {
  Numbers x;
  for (int i = 0; i < 400; ++i) {
    Random random(5, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    x.push_back(random.normal());
    x.push_back(1000 * random.normal());
  }
  const KernelDensity gaussian = fit(x, {}, 2).model;
  CHECK(gaussian.bandwidth()[1] / gaussian.bandwidth()[0] == doctest::Approx(1000).epsilon(0.15));
  const KernelDensity biweight = fit(x, {.kernel = SmoothingKernel::kBiweight}, 2).model;
  const double deviation = kernel_deviation(SmoothingKernel::kBiweight, 2);
  CHECK(biweight.bandwidth()[0] * deviation == doctest::Approx(gaussian.bandwidth()[0]));
  Options options = of(SmoothingKernel::kBiweight, 3);
  CHECK(fit(x, options, 2).model.bandwidth()[1] == 3);
  options.bandwidth_as = KernelDensity::BandwidthAs::kDeviation;
  CHECK(fit(x, options, 2).model.bandwidth()[1] == doctest::Approx(3 / deviation));
}

TEST_CASE("densities of one to three columns integrate to one") {
  for (int kernel = 0; kernel < kSmoothingKernels; ++kernel) {
    CAPTURE(kernel);
    for (const Index d : {1, 2, 3}) {
      CAPTURE(d);
      const Index n = 20 / d;
      const Numbers x(kEruptions.begin(), kEruptions.begin() + n * d);
      const KernelDensity model = fit(x, of(static_cast<SmoothingKernel>(kernel), 1), d).model;
      const bool tails = !is_compact(static_cast<SmoothingKernel>(kernel));
      const double low = tails ? -18 : 0, high = tails ? 25 : 6.5;
      const Index steps = d == 1 ? 20'000 : d == 2 ? 600 : tails ? 120 : 90;
      const double step = (high - low) / static_cast<double>(steps);
      Index cells = 1;
      for (Index j = 0; j < d; ++j) cells *= steps;
      double sum = 0;
      for (Index c = 0; c < cells; ++c) {
        double at[3];
        for (Index j = 0, rest = c; j < d; ++j, rest /= steps) {
          at[j] = low + (static_cast<double>(rest % steps) + 0.5) * step;
        }
        sum += std::exp(model.density(at).log_sum);
      }
      const double total = sum * std::pow(step, static_cast<double>(d));
      CHECK(std::abs(total - 1) < (d == 1 ? 1e-4 : d == 2 ? 1e-3 : 1e-2));
    }
  }
}

TEST_CASE("no proved bound of a density is broken") {
  for (std::uint64_t number = 2000; number < 2200; ++number) {
    CAPTURE(number);
    KernelProblem p = kernel_problem(number, 6, 5000);
    std::ranges::fill(p.bandwidths, p.bandwidths[0]);
    MemorySource source = table(p.points, p.columns, p.weights);
    const KernelDensity model = KernelDensity::fit(source, of(p.kernel, p.bandwidths[0]), {}).model;
    long double weight = 0;
    for (const double w : p.weights) weight += w;
    const double scale = log_volume(p.kernel, p.columns) +
                         static_cast<double>(p.columns) * std::log(p.bandwidths[0]);
    for (Index q = 0; q < std::ssize(p.queries) / p.columns; ++q) {
      const double* const x = &p.queries[usize(q * p.columns)];
      const KernelSum found = model.density(x);
      const long double expected = exact_log_sum(p, x) - std::log(weight) - scale;
      if (std::isinf(found.log_sum)) {
        CHECK(found.log_sum == static_cast<double>(expected));
        continue;
      }
      CHECK(found.error <= 1e-8);
      CHECK(std::abs(std::expm1(found.log_sum - expected)) <= found.error);
    }
  }
}

TEST_CASE("repeats are weights, and the order of rows does not change a bit of a file") {
  Numbers backwards(kEruptions.rbegin(), kEruptions.rend()), twice = kEruptions;
  twice.insert(twice.end(), kEruptions.begin(), kEruptions.end());
  const auto parameters = [](const Numbers& x, const Numbers& weights = {}) {
    return parameters_of(fit(x, {}, 1, weights).model);
  };
  CHECK(parameters(backwards) == parameters(kEruptions));
  CHECK(parameters(twice) == parameters(kEruptions, Numbers(20, 2.0)));
}

TEST_CASE("densities by cells of columns are the same bits on any threads and of a file") {
  Random random(3, Purpose::kTest, 4);
  Numbers x(2 * 3000), densities(3000), again(3000);
  for (double& value : x) value = random.normal();
  Options options = of(SmoothingKernel::kGaussian, 0.4);
  options.rtol = 1e-4;
  MemorySource source = table(x, 2);
  const auto model = KernelDensity::fit(source, options, {.threads = 1}).model;
  model.score_samples(source, densities, {.threads = 1});
  for (const int threads : {2, 7}) {
    KernelDensity::fit(source, options, {.threads = threads})
        .model.score_samples(source, again, {.threads = threads});
    CHECK(again == densities);
  }
  KernelDensity::from_parameters(ParameterList::of(model)).score_samples(source, again, {});
  CHECK(again == densities);
  // 1e-4 is what cells are made for: errors are larger than rounding.
  CHECK(model.density(x.data()).error > 1e-9);
}

TEST_CASE("a model of halves merged, or that learned on, is that of the whole") {
  const Numbers first(kEruptions.begin(), kEruptions.begin() + 8),
      second(kEruptions.begin() + 8, kEruptions.end());
  const Fit<KernelDensity> a = fit(first), b = fit(second), whole = fit(kEruptions);
  const auto expected = parameters_of(whole.model);
  const Fit<KernelDensity> both = KernelDensity::merge(a, b, {});
  CHECK(parameters_of(both.model) == expected);
  CHECK(both.report.data_hash == whole.report.data_hash);
  MemorySource more = table(second, 1);
  const Fit<KernelDensity> learned = KernelDensity::partial_fit(a, more, {}, {});
  CHECK(parameters_of(learned.model) == expected);
  const Fit<KernelDensity> back = KernelDensity::unlearn(learned, more, {}, {});
  CHECK(parameters_of(back.model) == parameters_of(a.model));
  CHECK(back.report.data_hash == a.report.data_hash);
}

TEST_CASE("rows of whole numbers or floats take two or four bytes in a file") {
  const auto bytes = [](double factor) {
    Numbers x;
    for (int i = 0; i < 1000; ++i) x.push_back(i * factor);
    MemorySource source = table(x, 1);
    return std::ssize(pack_model(find_model("kde").fit(source, {}, {})));
  };
  const Index whole = bytes(1), floats = bytes(0.5), doubles = bytes(0.1);
  CHECK(floats - whole == doctest::Approx(2000).epsilon(0.1));
  CHECK(doubles - whole == doctest::Approx(6000).epsilon(0.1));
}

// Kolmogorov's distance of 20 000 draws exceeds 1.95 / sqrt(20 000) once in a thousand samples.
TEST_CASE("samples have the density, whatever the kernel") {
  constexpr Index kDraws = 20'000, kSteps = 20'000;
  for (int kernel = 0; kernel < kSmoothingKernels; ++kernel) {
    CAPTURE(kernel);
    const KernelDensity model =
        fit(kEruptions, of(static_cast<SmoothingKernel>(kernel), 0.7)).model;
    Numbers drawn = model.sample(kDraws, 11).x.values;
    std::sort(drawn.begin(), drawn.end());
    const double low = -12, high = 20, step = (high - low) / kSteps;
    double cdf = 0, worst = 0;
    for (Index s = 0; s < kSteps; ++s) {
      const double at = low + (static_cast<double>(s) + 0.5) * step;
      cdf += std::exp(model.density(&at).log_sum) * step;
      const auto below = std::ranges::upper_bound(drawn, at + step / 2) - drawn.begin();
      worst = std::max(worst, std::abs(cdf - static_cast<double>(below) / kDraws));
    }
    CHECK(worst < 1.95 / std::sqrt(static_cast<double>(kDraws)));
  }
}

TEST_CASE("quantiles and the distribution function are inverse to each other") {
  for (int kernel = 0; kernel < kSmoothingKernels; ++kernel) {
    CAPTURE(kernel);
    const KernelDensity model =
        fit(kEruptions, of(static_cast<SmoothingKernel>(kernel), 0.9)).model;
    for (const double p : {1e-12, 1e-3, 0.2, 0.5, 0.9, 0.999}) {
      CAPTURE(p);
      CHECK(model.cdf(model.quantile(p)) == doctest::Approx(p).epsilon(1e-9));
    }
    for (const double x : {1.41, 2.47, 3.31, 5.12}) {
      CHECK(model.quantile(model.cdf(x)) == doctest::Approx(x).epsilon(1e-9));
      const double step = 1e-5, density = std::exp(model.density(&x).log_sum);
      const double slope = (model.cdf(x + step) - model.cdf(x - step)) / (2 * step);
      CHECK(slope == doctest::Approx(density).epsilon(1e-4));
    }
  }
  const KernelDensity two = fit(kEruptions, {}, 2).model;
  check_refused([&] { two.cdf(1); }, Code::kNotAble, -1, "2 columns");
  MemorySource x = table(kEruptions, 1);
  const Fitted fitted = find_model("kde").fit(x, {}, {});
  check_refused(
      [&] {
        fitted.model->quantile(Numbers{0.5, 1}, {});
      },
      Code::kBadOption, -1, "p = 1");
  check_refused([&] { fitted.model->cdf(Numbers{NAN}, {}); }, Code::kNotFinite, -1, "missing");
}

TEST_CASE("scaled columns have the distribution of columns that are not") {
  MemorySource x = table(kEruptions, 1);
  const std::vector<NamedOption> scaled{{"scale", std::string("standard")}};
  const Fitted a = find_model("kde").fit(x, {}, {}), b = find_model("kde").fit(x, scaled, {});
  const Numbers p{0.01, 0.4, 0.97}, at{1.2, 3, 5};
  const ResultTable band = a.model->intervals(x, 0.9, {}), same = b.model->intervals(x, 0.9, {});
  const ResultTable rows = a.model->diagnose(x, {}), rows_too = b.model->diagnose(x, {});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(b.model->cdf(at, {})[i] == doctest::Approx(a.model->cdf(at, {})[i]).epsilon(1e-12));
    CHECK(b.model->quantile(p, {})[i] == doctest::Approx(a.model->quantile(p, {})[i]));
    for (const char* name : {"log_density", "low", "high"}) {
      CHECK((*same.find(name)->numbers())[i] ==
            doctest::Approx((*band.find(name)->numbers())[i]).epsilon(1e-9));
    }
    for (const char* name : {"log_density", "standard_error", "leave_one_out", "cdf"}) {
      CHECK((*rows_too.find(name)->numbers())[i] ==
            doctest::Approx((*rows.find(name)->numbers())[i]).epsilon(1e-9));
    }
  }
}

TEST_CASE("standard errors and densities without a row are those of the sums written out") {
  for (int kernel = 0; kernel < kSmoothingKernels; ++kernel) {
    CAPTURE(kernel);
    const auto name = static_cast<SmoothingKernel>(kernel);
    Numbers copies;
    for (std::size_t i = 0; i < 20; ++i) {
      copies.insert(copies.end(), 1 + i % 3, kEruptions[i]);
    }
    for (const Index d : {Index{1}, Index{2}}) {
      CAPTURE(d);
      const KernelDensity model = fit(copies, of(name, 0.8), d).model;
      MemorySource source = table(copies, d);
      const Index n = std::ssize(copies) / d;
      ResultTable rows{"rows", "rows"};
      model.diagnose(source, rows, {});
      for (Index i = 0; i < n; ++i) {
        const double* const x = &copies[usize(i * d)];
        Numbers kernels;  // of the rows about x, each estimated by itself
        for (Index j = 0; j < n; ++j) {
          const Numbers row(&copies[usize(j * d)], &copies[usize(j * d)] + d);
          kernels.push_back(std::exp(fit(row, of(name, 0.8), d).model.density(x).log_sum));
        }
        double sum = 0, squares = 0;
        for (const double k : kernels) sum += k, squares += k * k;
        const double count = static_cast<double>(n), p = sum / count;
        const double error = std::sqrt((squares / count - p * p) / count);
        const double rest = (sum - kernels[usize(i)]) / (count - 1);
        CHECK((*rows.find("standard_error")->numbers())[usize(i)] * p ==
              doctest::Approx(error).epsilon(1e-7));
        CHECK(std::exp((*rows.find("leave_one_out")->numbers())[usize(i)]) ==
              doctest::Approx(rest).epsilon(1e-7));
      }
    }
  }
  const KernelDensity model = fit(kEruptions).model;
  const Numbers other{2.5, 100};
  MemorySource source = table(other, 1);
  ResultTable rows{"rows", "rows"};
  model.diagnose(source, rows, {});
  CHECK(std::isnan((*rows.find("leave_one_out")->numbers())[0]));
}

// SciPy 1.17: gaussian_kde(x, "scott", weights) has neff = (sum w)^2 / sum w^2.
TEST_CASE("Kish's number of rows is SciPy's, whether rows are equal or not") {
  Numbers weights;
  for (std::size_t i = 0; i < 20; ++i) weights.push_back(static_cast<double>(1 + i % 3));
  Options options{.effective_n = KernelDensity::EffectiveN::kKish};
  const auto width = [&](const Numbers& x, const Numbers& w) {
    return fit(x, options, 1, w).model.bandwidth()[0];
  };
  // By hand: n = (sum w)^2 / sum w^2, the variance as of copies divided by n - 1 for n.
  double sum = 0, squares = 0, mean = 0, variance = 0;
  for (std::size_t i = 0; i < 20; ++i) sum += weights[i], squares += weights[i] * weights[i];
  for (std::size_t i = 0; i < 20; ++i) mean += weights[i] / sum * kEruptions[i];
  for (std::size_t i = 0; i < 20; ++i) {
    variance += weights[i] / sum * (kEruptions[i] - mean) * (kEruptions[i] - mean);
  }
  const double n = sum * sum / squares;
  const double expected = std::sqrt(variance * n / (n - 1)) * std::pow(n, -0.2);
  CHECK(width(kEruptions, weights) == doctest::Approx(expected).epsilon(1e-12));
  CHECK(width(kEruptions, Numbers(20, 7.0)) ==
        doctest::Approx(fit(kEruptions).model.bandwidth()[0]).epsilon(1e-12));
  const Fit<KernelDensity> whole = fit(kEruptions, options, 1, weights);
  MemorySource rest = table(kEruptions, 1, weights);
  const Fit<KernelDensity> twice = KernelDensity::partial_fit(whole, rest, options, {});
  const Fit<KernelDensity> once = KernelDensity::unlearn(twice, rest, options, {});
  CHECK(parameters_of(once.model) == parameters_of(whole.model));
  check_refused([&] { KernelDensity::partial_fit(fit(kEruptions), rest, options, {}); },
                Code::kBadOption, -1, "squares of its weights");
  const KernelDensity read = KernelDensity::from_parameters(parameters_of(whole.model));
  ResultTable rows{"rows", "rows"}, again{"rows", "rows"}, copies{"rows", "rows"};
  whole.model.diagnose(rest, rows, {});
  read.diagnose(rest, again, {});
  CHECK(*rows.find("standard_error")->numbers() == *again.find("standard_error")->numbers());
  Options same = of(SmoothingKernel::kGaussian, whole.model.bandwidth()[0]);
  fit(kEruptions, same, 1, weights).model.diagnose(rest, copies, {});
  CHECK((*rows.find("standard_error")->numbers())[0] ==
        doctest::Approx((*copies.find("standard_error")->numbers())[0] * std::sqrt(sum / n)));
}

TEST_CASE("bands hold the smoothed density as often as they say") {
  // Rows of a standard normal, kernels of deviation h: the smoothed density is normal again.
  constexpr int kTables = 400, kRows = 300;
  const double h = 0.3;
  const Numbers at{-1.5, 0, 0.7, 2.2};
  for (const double level : {0.5, 0.9}) {
    Numbers hits(at.size());
    for (int t = 0; t < kTables; ++t) {
      Numbers x;
      for (int i = 0; i < kRows; ++i) {
        Random random(9, Purpose::kTest, static_cast<std::uint32_t>(t),
                      static_cast<std::uint64_t>(i));
        x.push_back(random.normal());
      }
      const KernelDensity model = fit(x, of(SmoothingKernel::kGaussian, h)).model;
      MemorySource source = table(at, 1);
      ResultTable rows{"rows", "rows"};
      model.intervals(source, level, rows, {});
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double wide = std::sqrt(1 + h * h), z = at[i] / wide;
        const double truth = -z * z / 2 - kHalfLogTwoPi - std::log(wide);
        hits[i] += (*rows.find("low")->numbers())[i] <= truth &&
                   truth <= (*rows.find("high")->numbers())[i];
      }
    }
    for (const double hit : hits) {  // within four deviations of the count
      const double sd = std::sqrt(level * (1 - level) / kTables);
      CHECK(std::abs(hit / kTables - level) < 4 * sd);
    }
  }
}

TEST_CASE("what cannot be estimated is refused with what to do") {
  const auto refused = [](const Numbers& x, const Options& options, Code code, const char* words,
                          Index columns = 1) {
    check_refused([&] { fit(x, options, columns); }, code, -1, words);
  };
  refused({5}, {}, Code::kTooFewRows, "one sample");
  refused({5, 5, 5}, {}, Code::kNoSpread, "the value is 5 in every row");
  refused({1, 5, 2, 5}, {}, Code::kNoSpread, "every row", 2);
  refused({1, 2, 3, 4}, {.bandwidth = BandwidthRule::kNrd0}, Code::kBadOption, "one column", 2);
  for (const double h : {0.0, -1.0, static_cast<double>(NAN)}) {
    refused({1, 2}, of(SmoothingKernel::kGaussian, h), Code::kBadOption, "bandwidth");
  }
  CHECK_NOTHROW(fit({5}, of(SmoothingKernel::kGaussian, 1)));
  CHECK_NOTHROW(fit({1, 2, 3, 4, 5, 9}, {}, 3));  // more columns than rows
  const KernelDensity model = fit({1, 2, 3}).model;
  const Numbers far{1e300}, infinite{INFINITY};
  for (const Numbers& x : {far, infinite}) {
    MemorySource source = table(x, 1);
    Numbers out(1);
    check_refused([&] { model.score_samples(source, out, {}); }, Code::kNotFinite, -1, "");
  }
}

TEST_CASE("where half of the rows are one value the normal reference goes by the deviation") {
  const Numbers ties{1, 1, 1, 1, 1, 1, 1, 5};
  CHECK(fit(ties, {.bandwidth = BandwidthRule::kNrd0}).model.bandwidth()[0] ==
        doctest::Approx(0.9 * std::sqrt(2.0) * std::pow(8, -0.2)));
}

}  // namespace craton::kde_test
