#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/classes/product/product_bayes.h"
#include "craton/classes/product/product_leave_one_out.h"
#include "tests/refused.h"

// Rows without labels, and probabilities made honest by rows left out.

namespace craton::product_unlabelled_test {
namespace {

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels, truth;
  std::vector<double> weights = {};

  MemorySource source() const {
    Schema schema = numbered_schema(4);
    schema.columns[0] = {"colour", ColumnKind::kCategory, {"blue", "red", "white"}};
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b"}};
    const Dense<double> view{x.data(), ssize(labels), 4, 4};
    return MemorySource({.x = view, .labels = labels, .weights = weights}, schema);
  }
};

// Colour, two measurements, a count; `copies` of the second measurement make the rows too sure.
Rows flowers(Index rows, Index labelled) {
  Rows result;
  for (Index i = 0; i < rows; ++i) {
    Random random(9, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const bool b = i % 2 == 1;
    const double height = random.normal() + (b ? 2.5 : 0);
    result.x.insert(result.x.end(),
                    {random.uniform() < 0.3 ? static_cast<double>(random.below(3))
                     : b                    ? 1.0
                                            : 0.0,
                     height, height + 0.2 * random.normal(), draw_poisson(random, b ? 6 : 3)});
    result.truth.push_back(b ? 1 : 0);
    result.labels.push_back(i < labelled ? result.truth.back() : -1);
  }
  for (std::size_t at = 5; at < result.x.size(); at += 41) result.x[at] = NAN;
  return result;
}

NaiveBayes::Options options(bool em, bool calibrate) {
  NaiveBayes::Options o;
  o.choice.family = "gaussian,4=poisson";
  o.choice.smoothing.prior_rows = 0;
  o.semi.unlabelled = em ? Unlabelled::kEm : Unlabelled::kSkip;
  o.semi.tol = 1e-9;
  o.semi.max_iter = 500;
  o.calibrate = calibrate ? Calibrate::kLeaveOneOut : Calibrate::kNone;
  return o;
}

Fit<NaiveBayes> fit(const Rows& rows, const NaiveBayes::Options& o, int threads = 1) {
  MemorySource x = rows.source();
  return NaiveBayes::fit(x, o, {.threads = threads});
}

double accuracy(const NaiveBayes& model, const Rows& rows) {
  std::vector<std::int32_t> labels(rows.labels.size());
  MemorySource x = rows.source();
  model.predict(x, labels, {});
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == rows.truth[i] ? 1 : 0;
  return right / static_cast<double>(labels.size());
}

TEST_CASE("rows without a label join by EM: the objective climbs, and little data go further") {
  const Rows rows = flowers(1200, 8);
  const Fit<NaiveBayes> few = fit(rows, options(false, false));
  const Fit<NaiveBayes> all = fit(rows, options(true, false));
  CHECK(few.report.notes.at(0).code == "unlabelled");
  CHECK(all.report.notes.empty());
  CHECK(all.report.converged);
  const std::vector<double>& trace = all.report.trace;
  REQUIRE(trace.size() > 3);
  CHECK(std::is_sorted(trace.begin(), trace.end()));
  CHECK(accuracy(all.model, rows) > accuracy(few.model, rows));
  CHECK(all.model.of(3, 0)[0] == doctest::Approx(3).epsilon(0.15));
  CHECK(all.model.of(3, 1)[0] == doctest::Approx(6).epsilon(0.15));
  for (const int threads : {2, 7}) {
    CHECK(parameters_of(fit(rows, options(true, false), threads).model) ==
          parameters_of(all.model));
  }
  // With every label seen there is nothing to share.
  Rows known = rows;
  known.labels = known.truth;
  CHECK(parameters_of(fit(known, options(true, false)).model) ==
        parameters_of(fit(known, options(false, false)).model));
}

TEST_CASE("EM with mixed families, priors and searches goes on to the end") {
  const Rows rows = flowers(300, 20);
  for (const char* family : {"auto", "mdl", "student-t,4=negative-binomial", "laplace"}) {
    CAPTURE(family);
    NaiveBayes::Options o = options(true, false);
    o.choice.family = family;
    o.choice.smoothing.prior_rows = 1;
    o.semi.tol = 1e-4;
    CHECK(accuracy(fit(rows, o).model, rows) > 0.7);
  }
  MemorySource x = rows.source();
  const Fit<NaiveBayes> all = fit(rows, options(true, false));
  check_refused([&] { NaiveBayes::partial_fit(all, x, options(true, false), {}); }, Code::kNotAble,
                -1, "needs all rows at once");
}

// The brute force: fit without the row, and score it.
TEST_CASE("leave-one-out scores are those of a model of the other rows") {
  Rows rows = flowers(60, 60);
  for (std::size_t i = 0; i < 60; ++i)
    rows.weights.push_back(i % 5 == 0 ? 0.5 : i % 7 == 0 ? 2 : 1);
  NaiveBayes::Options o = options(false, false);
  o.choice.family = "2=gaussian,3=gaussian,4=gamma";
  for (std::size_t i = 3; i < rows.x.size(); i += 4) rows.x[i] += 0.5;
  MemorySource x = rows.source();
  const NaiveBayes model = NaiveBayes::fit(x, o, {}).model;
  const ClassStatistics seen = find_class_statistics(x, model.features(), 2, {});
  const FeatureScores scores(model.features(),
                             estimate_features(model.features(), seen, o.choice.smoothing), 2);
  const ProductLeaveOneOut left_out(seen, scores, std::nullopt, o.choice.smoothing, o.prior);
  std::vector<double> out(120), expected(2);
  left_out.find({.x = Dense<double>{rows.x.data(), 60, 4, 4},
                 .labels = rows.labels,
                 .targets = {},
                 .weights = rows.weights},
                out);
  for (std::size_t i = 0; i < 60; ++i) {
    CAPTURE(i);
    Rows others = rows;
    others.weights[i] -= std::min(1.0, rows.weights[i]);
    const NaiveBayes without = fit(others, o).model;
    without.joint(
        {.x = Dense<double>{&rows.x[i * 4], 1, 4, 4}, .labels = {}, .targets = {}, .weights = {}},
        expected);
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(out[i * 2 + c] == doctest::Approx(expected[c]).epsilon(1e-10));
    }
  }
}

TEST_CASE("calibration makes doubled evidence honest, and changes no label") {
  const Rows rows = flowers(800, 800);
  const Fit<NaiveBayes> plain = fit(rows, options(false, false));
  const Fit<NaiveBayes> honest = fit(rows, options(false, true));
  REQUIRE(honest.model.calibration());
  const CalibrationFit& c = *honest.model.calibration();
  CHECK(c.calibrated_log_loss < c.log_loss);
  CHECK(c.calibration.of(5) < 0.9);  // height is there twice
  CHECK(accuracy(plain.model, rows) == accuracy(honest.model, rows));
  const NaiveBayes copy = NaiveBayes::from_parameters(ParameterList::of(honest.model));
  std::vector<double> a(1600), b(1600);
  MemorySource x = rows.source();
  copy.predict_log_proba(x, a, {});
  honest.model.predict_log_proba(x, b, {});
  CHECK(a == b);
}

}  // namespace
}  // namespace craton::product_unlabelled_test
