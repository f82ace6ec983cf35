#include "craton/classes/calibration.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "craton/base/distributions.h"
#include "craton/classes/counts/count_bayes.h"
#include "tests/refused.h"

namespace craton::calibration_test {
namespace {

constexpr Index kColumns = 5, kClasses = 3;

Schema schema() {
  Schema result = numbered_schema(kColumns);
  result.target = Column{"kind", ColumnKind::kCategory, {"a", "b", "c"}};
  return result;
}

struct Rows {
  std::vector<double> x, weights = {};
  std::vector<std::int32_t> labels = {};

  Index size() const { return ssize(labels); }
  MemorySource source() const {
    return MemorySource({.x = Dense<double>{x.data(), size(), kColumns, kColumns},
                         .labels = labels,
                         .weights = weights},
                        schema(), "t.csv");
  }
  // With that much less of a row.
  Rows without(Index row, double part) const {
    Rows result = *this;
    if (result.weights.empty()) result.weights.assign(labels.size(), 1);
    result.weights[usize(row)] -= part;
    return result;
  }
};

// Words of three classes; each word is written `copies` times, as words that hang together are.
Rows words(Index rows, double copies, bool weighted = false, double mean_length = 6) {
  const double p[3][kColumns] = {{.5, .2, .1, .1, .1}, {.1, .4, .3, .1, .1}, {.1, .1, .2, .3, .3}};
  Rows result;
  for (Index i = 0; i < rows; ++i) {
    Random random(5, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index label = random.below(kClasses);
    std::vector<double> row(kColumns);
    draw_multinomial(random, draw_poisson(random, mean_length), p[label], row);
    for (const double v : row) result.x.push_back(v * copies);
    result.labels.push_back(static_cast<std::int32_t>(label));
    if (weighted) result.weights.push_back(i % 4 == 0 ? 0.25 : i % 4 == 1 ? 3 : 1);
  }
  return result;
}

template <class M>
Fit<M> fit(const Rows& rows, const typename M::Options& options, int threads = 1) {
  MemorySource x = rows.source();
  return M::fit(x, options, {.threads = threads});
}

// log p(row, c), by its terms.
template <class M>
std::vector<double> joint(const M& model, const Rows& rows, Index row) {
  Chunk chunk;
  chunk.x = Dense<double>{&rows.x[usize(row * kColumns)], 1, kColumns, kColumns};
  std::vector<double> result, terms(kColumns + 1);
  for (Index c = 0; c < kClasses; ++c) {
    model.contributions(chunk, 0, c, terms);
    result.push_back(std::accumulate(terms.begin(), terms.end(), 0.0));
  }
  return result;
}

struct Losses {
  double plain = 0, calibrated = 0, penalised = 0, weight = 0, accuracy = 0;
};

// By fitting a model without each row; log T and a as given.
template <class M>
Losses refit(const Rows& rows, typename M::Options options, double log_t, double a) {
  options.calibrate = Calibrate::kNone;
  Losses sum;
  for (Index i = 0; i < rows.size(); ++i) {
    const double w = rows.weights.empty() ? 1 : rows.weights[usize(i)], part = std::min(w, 1.0);
    const std::vector<double> f = joint(fit<M>(rows.without(i, part), options).model, rows, i);
    const std::size_t label = usize(rows.labels[usize(i)]);
    if (f[label] == -INFINITY) continue;
    double length = 1;
    for (Index j = 0; j < kColumns; ++j) {
      const double v = rows.x[usize(i * kColumns + j)];
      length += std::is_same_v<M, BernoulliNB> ? static_cast<double>(v > 0) : v;
    }
    std::vector<double> scaled = f;
    for (double& v : scaled) v *= std::exp(log_t) * std::pow(length, -a);
    sum.plain += w * (log_sum(f) - f[label]);
    sum.calibrated += w * (log_sum(scaled) - scaled[label]);
    sum.accuracy += best_of(f) == static_cast<Index>(label) ? w : 0;
    sum.weight += w;
  }
  sum.penalised = sum.calibrated + (log_t * log_t + a * a) / 50;
  sum.plain /= sum.weight;
  sum.calibrated /= sum.weight;
  sum.accuracy /= sum.weight;
  return sum;
}

template <class M>
void compare(const Rows& rows, const typename M::Options& options) {
  const CalibrationFit found = fit<M>(rows, options).model.calibration().value();
  const double log_t = std::log(found.calibration.scale), a = found.calibration.length_exponent;
  const Losses expected = refit<M>(rows, options, log_t, a);
  CHECK(found.log_loss == doctest::Approx(expected.plain).epsilon(1e-10));
  CHECK(found.calibrated_log_loss == doctest::Approx(expected.calibrated).epsilon(1e-10));
  CHECK(found.accuracy == doctest::Approx(expected.accuracy).epsilon(1e-12));
  CHECK(found.weight == doctest::Approx(expected.weight).epsilon(1e-12));
}

template <class M>
void compare_all(std::initializer_list<double> alphas) {
  for (const bool weighted : {false, true}) {
    for (const double alpha : alphas) {
      for (const bool fit_prior : {true, false}) {
        CAPTURE(weighted);
        CAPTURE(alpha);
        CAPTURE(fit_prior);
        typename M::Options options;
        options.calibrate = Calibrate::kLeaveOneOut;
        options.smoothing.alpha = alpha;
        options.prior.fit_prior = fit_prior;
        compare<M>(words(24, 2, weighted), options);
      }
    }
  }
}

TEST_CASE("rows left out score as under a model fitted without them") {
  compare_all<MultinomialNB>({0, 0.3, 1});
  compare_all<BernoulliNB>({0, 0.3, 1});
  compare_all<ComplementNB>({0.3, 1});
  ComplementNB::Options options;
  options.calibrate = Calibrate::kLeaveOneOut;
  options.norm = true;
  compare<ComplementNB>(words(24, 2, true), options);
}

TEST_CASE("T and a make the penalised log-loss of rows left out least") {
  MultinomialNB::Options options;
  options.calibrate = Calibrate::kLeaveOneOut;
  const Rows rows = words(40, 4);
  const Calibration c = fit<MultinomialNB>(rows, options).model.calibration()->calibration;
  const auto loss = [&](double by_t, double by_a) {
    return refit<MultinomialNB>(rows, options, std::log(c.scale) + by_t, c.length_exponent + by_a)
        .penalised;
  };
  constexpr double kStep = 1e-4;
  CHECK(std::abs(loss(kStep, 0) - loss(-kStep, 0)) / (2 * kStep) < 1e-5);
  CHECK(std::abs(loss(0, kStep) - loss(0, -kStep)) / (2 * kStep) < 1e-5);
  CHECK(loss(0.1, 0) > loss(0, 0));
  CHECK(loss(0, 0.1) > loss(0, 0));
}

TEST_CASE("words that are written four times count once") {
  MultinomialNB::Options options;
  options.calibrate = Calibrate::kLeaveOneOut;
  options.prior.fit_prior = false;
  const CalibrationFit found =
      fit<MultinomialNB>(words(4'000, 4), options).model.calibration().value();
  CHECK(found.calibration.of(1 + 4 * 6) == doctest::Approx(0.25).epsilon(0.1));
  const CalibrationFit honest =
      fit<MultinomialNB>(words(4'000, 1), options).model.calibration().value();
  CHECK(honest.calibration.of(1 + 6) == doctest::Approx(1).epsilon(0.1));
  CHECK(found.calibrated_log_loss == doctest::Approx(honest.calibrated_log_loss).epsilon(0.01));
}

TEST_CASE("calibration changes probabilities, not labels, and is the same on any threads") {
  const Rows rows = words(6'000, 3, true);
  MemorySource x = rows.source();
  const auto labels = [&](const auto& model) {
    std::vector<std::int32_t> out(6'000);
    model.predict(x, out, {});
    return out;
  };
  const auto check = [&]<class M>(const M& plain) {
    typename M::Options options;
    options.calibrate = Calibrate::kLeaveOneOut;
    const M one = fit<M>(rows, options, 1).model;
    CHECK(labels(one) == labels(plain));
    CHECK(one.calibration()->calibrated_log_loss < one.calibration()->log_loss);
    CHECK(parameters_of(one) == parameters_of(fit<M>(rows, options, 3).model));
    CHECK(parameters_of(M::from_parameters(ParameterList::of(one))) == parameters_of(one));
    std::vector<double> before(18'000), after(18'000);
    plain.predict_log_proba(x, before, {});
    one.predict_log_proba(x, after, {});
    CHECK(before != after);
    double gap = 0;
    for (std::size_t i = 0; i < 18'000; i += 3) {
      gap = std::max(
          gap, std::abs(std::exp(after[i]) + std::exp(after[i + 1]) + std::exp(after[i + 2]) - 1));
    }
    CHECK(gap < 1e-12);
  };
  check(fit<MultinomialNB>(rows, {}).model);
  check(fit<BernoulliNB>(rows, {}).model);
  check(fit<ComplementNB>(rows, {}).model);
}

TEST_CASE("the only row of a class is left out of calibration, which is said") {
  Rows rows = words(30, 1);
  for (std::size_t i = 0; i < 30; ++i) rows.labels[i] = i == 7 ? 2 : rows.labels[i] % 2;
  MultinomialNB::Options options;
  options.calibrate = Calibrate::kLeaveOneOut;
  const Fit<MultinomialNB> result = fit<MultinomialNB>(rows, options);
  REQUIRE(result.report.notes.size() == 1);
  CHECK(result.report.notes[0].text ==
        "calibrated without 1 row whose label is impossible in a model of the others");
  // Nothing is left: T and a stay as they were.
  for (std::size_t i = 0; i < 30; ++i) rows.labels[i] = 0;
  rows.weights.assign(30, 0);
  rows.weights[3] = 1;
  const CalibrationFit none = fit<MultinomialNB>(rows, options).model.calibration().value();
  CHECK(none.weight == 0);
  CHECK(none.calibration.scale == 1);
}

TEST_CASE("rows that are all right without themselves give a finite T") {
  Rows rows;
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < kColumns; ++j) rows.x.push_back(j == i % 2 ? 9 : 0);
    rows.labels.push_back(static_cast<std::int32_t>(i % 2));
  }
  MultinomialNB::Options options;
  options.calibrate = Calibrate::kLeaveOneOut;
  const CalibrationFit found = fit<MultinomialNB>(rows, options).model.calibration().value();
  CHECK(found.accuracy == 1);
  CHECK(std::isfinite(found.calibration.scale));
  CHECK(found.calibration.scale < 1e9);
}

TEST_CASE("a calibrated model cannot learn on, and complement needs alpha above 0") {
  const Rows rows = words(30, 1);
  MemorySource x = rows.source();
  MultinomialNB::Options options;
  options.calibrate = Calibrate::kLeaveOneOut;
  const Fit<MultinomialNB> so_far = fit<MultinomialNB>(rows, options);
  check_refused([&] { MultinomialNB::partial_fit(so_far, x, options, {}); }, Code::kNotAble, -1,
                "cannot learn on");
  check_refused([&] { MultinomialNB::unlearn(so_far, x, options, {}); }, Code::kNotAble, -1,
                "unlearn");
  check_refused([&] { MultinomialNB::merge(so_far, so_far, options); }, Code::kNotAble, -1,
                "merge");
  ComplementNB::Options none;
  none.calibrate = Calibrate::kLeaveOneOut;
  none.smoothing.alpha = 0;
  check_refused([&] { fit<ComplementNB>(rows, none); }, Code::kBadOption, -1, "Give alpha above 0");
}

}  // namespace
}  // namespace craton::calibration_test
