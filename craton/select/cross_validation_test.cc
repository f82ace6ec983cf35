#include "craton/select/cross_validation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "craton/tables/view.h"
#include "tests/labelled_rows.h"
#include "tests/refused.h"

namespace craton {
namespace {

const std::vector<const Metric*> kBoth{&find_metric("accuracy"), &find_metric("log-loss")};

TEST_CASE("each fold is what fitting and measuring by hand gives") {
  const Labelled data(60);
  MemorySource source = data.source();
  const std::vector<Folds> splits{split_stratified(data.labels, data.schema.target->levels, {})};
  std::vector<Index> called;
  const Trial trial{&find_model("gaussian-nb")};
  const Results results = cross_validate(source, splits, trial, {kBoth}, {},
                                         [&](Index number) { called.push_back(number); });
  CHECK(called.front() == 0);
  CHECK(std::is_sorted(called.begin(), called.end()));
  for (Index f = 0; f < 5; ++f) {
    const RowSet train = splits[0].train(f), test = splits[0].test(f);
    View learned(source), held(source);
    learned.rows(train);
    held.rows(test);
    const Fitted fitted = trial.model->fit(learned, {}, {});
    std::vector<std::int32_t> predicted(usize(test.size()));
    fitted.model->predict(held, predicted, {});
    double right = 0, all = 0;
    for (Index i = 0; i < test.size(); ++i) {
      const std::size_t row = usize(test[i]);
      all += data.weights[row];
      right += predicted[usize(i)] == data.labels[row] ? data.weights[row] : 0;
    }
    CHECK(results[usize(f)].values[0] == doctest::Approx(right / all).epsilon(1e-14));
    CHECK(results[usize(f)].test_rows == test.size());
  }
}

TEST_CASE("threads do not change a bit of a cross-validation") {
  const Labelled data(4000);
  MemorySource source = data.source();
  const std::vector<Folds> splits{split_plain(4000, {.folds = 3})};
  const Trial trial{&find_model("linear-discriminant")};
  const auto run = [&](int threads) {
    const Results results =
        cross_validate(source, splits, trial, {kBoth}, {.threads = threads}, [](Index) {});
    return std::vector{estimate(results, 0).mean, estimate(results, 1).mean,
                       estimate(results, 1).error};
  };
  CHECK(run(1) == run(2));
  CHECK(run(1) == run(7));
}

TEST_CASE("threads do not change a bit of folds side by side, or one after another") {
  const Trial trial{&find_model("gaussian-nb")};
  const auto run = [&](Index rows, int threads) {  // 2^19 rows of two columns are the most together
    const Labelled data(rows);
    MemorySource source = data.source();
    const std::vector<Folds> splits = split_ordered(rows, {}, {.folds = 2});
    Predictions kept;
    const Results results = cross_validate(source, splits, trial, {kBoth, HeldOut::kUsual, &kept},
                                           {.threads = threads}, [](Index) {});
    return std::tuple(results[0].values, results[1].values, kept.labels, kept.fold);
  };
  CHECK(run(1000, 1) == run(1000, 3));
  CHECK(run((1 << 19) + 6, 1) == run((1 << 19) + 6, 3));
}

TEST_CASE("the error of a mean counts that folds share rows") {
  const Results results{{80, 20, true, {1}}, {80, 20, true, {2}}, {80, 20, true, {4}}};
  const double variance =
      (std::pow(1 - 7 / 3.0, 2) + std::pow(2 - 7 / 3.0, 2) + std::pow(4 - 7 / 3.0, 2)) / 2;
  CHECK(estimate(results, 0).mean == doctest::Approx(7 / 3.0));
  CHECK(estimate(results, 0).error ==
        doctest::Approx(std::sqrt(variance * (1 / 3.0 + 0.25))).epsilon(1e-14));
  CHECK(difference(results, results, 0).error == 0);
  CHECK(std::isnan(estimate({results[0]}, 0).error));
}

TEST_CASE("the best is the first of the best means, whichever way is better") {
  const std::vector<Results> all{{{1, 1, true, {3}}}, {{1, 1, true, {1}}}, {{1, 1, true, {3}}}};
  const Metric *const accuracy = &find_metric("accuracy"), *const loss = &find_metric("log-loss");
  CHECK(best_of(all, {&accuracy, 1}) == 0);
  CHECK(best_of(all, {&loss, 1}) == 1);
}

TEST_CASE("of equal means the next metric decides, and what is not a number never does") {
  const std::vector<const Metric*> metrics{&find_metric("accuracy"), &find_metric("log-loss")};
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = 1 / 0.0;
  const auto one = [](double a, double b) { return Results{{1, 1, true, {a, b}}}; };
  CHECK(best_of(std::vector{one(0.9, 2), one(0.9, 1), one(0.8, 0.1)}, metrics) == 1);
  // 0.7 + 0.2 and 0.9 differ in the last bit.
  CHECK(best_of(std::vector{one(0.9, 2), one(0.7 + 0.2, 1)}, metrics) == 1);
  CHECK(best_of(std::vector{one(nan, 2), one(0.9, 1)}, metrics) == 1);
  CHECK(best_of(std::vector{one(0.9, inf), one(0.9, 1)}, metrics) == 1);
  CHECK(best_of(std::vector{one(-inf, 1), one(-inf, 0)}, metrics) == 1);
}

TEST_CASE("a fold without rows of a class says so where a metric needs them") {
  Labelled data(20);
  for (std::size_t i = 0; i < 20; ++i) data.labels[i] = i < 17 ? 0 : 1;
  MemorySource source = data.source();
  const std::vector<Folds> splits = split_ordered(20, {}, {.folds = 4});
  const std::vector<const Metric*> auc{&find_metric("roc-auc")};
  check_refused(
      [&] {
        cross_validate(source, splits, {&find_model("gaussian-nb")}, {auc}, {}, [](Index) {});
      },
      Code::kTooFewRows, -1, "fold 1 of 4, gaussian-nb: rows: roc-auc is not defined");
}

}  // namespace
}  // namespace craton
