#include "craton/select/cross_validation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "craton/core/random.h"
#include "tests/refused.h"

namespace craton {
namespace {

// Two classes of rows, two columns, and some weights.
struct Labelled {
  explicit Labelled(Index rows) {
    Random random(3, Purpose::kTest);
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(static_cast<std::int32_t>(i % 2));
      weights.push_back(static_cast<double>(1 + i % 3));
      for (Index j = 0; j < 2; ++j) {
        x.values.push_back(random.normal() + 1.5 * static_cast<double>(i % 2));
      }
    }
    x.shape = {rows, 2};
    schema.columns = {{"a"}, {"b"}};
    schema.target = Column{"kind", ColumnKind::kCategory, {"no", "yes"}};
  }
  MemorySource source() const {
    return MemorySource({.x = x.view(), .labels = labels, .weights = weights}, schema, "rows");
  }
  Array x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights;
  Schema schema;
};

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
    SelectedRows learned(source, train), held(source, test);
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
    const std::vector<Folds> splits{split_ordered(rows, {}, 2)};
    Predictions kept;
    const Results results = cross_validate(source, splits, trial, {kBoth, HeldOut::kUsual, &kept},
                                           {.threads = threads}, [](Index) {});
    return std::tuple(results[0].values, results[1].values, kept.labels, kept.fold);
  };
  CHECK(run(1000, 1) == run(1000, 3));
  CHECK(run((1 << 19) + 6, 1) == run((1 << 19) + 6, 3));
}

TEST_CASE("what is kept of each row is what its fold's model says of it") {
  const Labelled data(61);
  MemorySource source = data.source();
  const std::vector<Folds> splits{split_ordered(61, {}, 3)};
  const Trial trial{&find_model("gaussian-nb")};
  Predictions kept;
  cross_validate(source, splits, trial, {kBoth, HeldOut::kUsual, &kept}, {}, [](Index) {});
  REQUIRE(kept.proba.shape == std::vector<Index>{61, 2});
  for (Index f = 0; f < 3; ++f) {
    const RowSet train = splits[0].train(f), test = splits[0].test(f);
    SelectedRows learned(source, train), held(source, test);
    const Fitted fitted = trial.model->fit(learned, {}, {});
    std::vector<std::int32_t> labels(usize(test.size()));
    std::vector<double> proba(usize(test.size() * 2));
    fitted.model->predict(held, labels, {});
    fitted.model->predict_log_proba(held, proba, {});
    for (Index i = 0; i < test.size(); ++i) {
      CHECK(kept.fold[usize(test[i])] == f);
      CHECK(kept.labels[usize(test[i])] == labels[usize(i)]);
      CHECK(kept.proba.view().row(test[i])[1] == std::exp(proba[usize(2 * i + 1)]));
    }
  }
  CHECK(kept.fold[0] == -1);
  CHECK(kept.labels[0] == -1);
  CHECK(std::isnan(kept.proba.values[0]));

  const std::vector<Folds> twice{splits[0], splits[0]};
  check_refused(
      [&] {
        cross_validate(source, twice, trial, {kBoth, -1, &kept}, {}, [](Index) {});
      },
      Code::kBadOption, -1, "held out several times");
  const std::vector<const Metric*> density{&find_metric("log-likelihood")};
  check_refused(
      [&] {
        cross_validate(source, splits, {&find_model("density")}, {density, -1, &kept}, {},
                       [](Index) {});
      },
      Code::kNotAble, -1, "density predicts no labels to keep");
}

TEST_CASE("the positive class is the one that is named") {
  const Labelled data(200);
  MemorySource source = data.source();
  const std::vector<Folds> splits{split_plain(200, {.folds = 2})};
  const std::vector<const Metric*> four{&find_metric("recall"), &find_metric("precision"),
                                        &find_metric("roc_auc"), &find_metric("brier")};
  const Trial trial{&find_model("gaussian-nb")};
  const auto values = [&](std::int32_t positive, Predictions& kept) {
    return cross_validate(source, splits, trial, {four, positive, &kept}, {}, [](Index) {})[0]
        .values;
  };
  Predictions kept;
  const auto usual = values(HeldOut::kUsual, kept);
  CHECK(values(1, kept) == usual);
  const auto other = values(0, kept);
  double right = 0, truly = 0, said = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    if (kept.fold[i] != 0) continue;
    const double w = data.weights[i];
    truly += data.labels[i] == 0 ? w : 0;
    said += kept.labels[i] == 0 ? w : 0;
    right += data.labels[i] == 0 && kept.labels[i] == 0 ? w : 0;
  }
  CHECK(other[0] == doctest::Approx(right / truly).epsilon(1e-14));
  CHECK(other[1] == doctest::Approx(right / said).epsilon(1e-14));
  CHECK(other[0] != usual[0]);
  CHECK(other[2] == doctest::Approx(usual[2]).epsilon(1e-12));  // the same for either of two
  CHECK(other[3] == usual[3]);
}

TEST_CASE("a label is found by its name, numbers by their value") {
  Schema words{.columns = {}, .target = Column{"kind", ColumnKind::kCategory, {"no", "yes"}}};
  Schema numbers{.columns = {}, .target = Column{"kind", ColumnKind::kNumber, {"-1", "1"}}};
  CHECK(find_positive(words, "no") == 0);
  CHECK(find_positive(numbers, "1.0") == 1);
  check_refused([&] { find_positive(words, "yess"); }, Code::kUnknownName, -1,
                "did you mean 'yes'?");
  check_refused([&] { find_positive(numbers, "2"); }, Code::kUnknownName, -1,
                "The labels are: -1, 1.");
  check_refused([&] { find_positive(numbers, "x"); }, Code::kUnknownName, -1, "no label 'x'");
  check_refused([&] { find_positive({}, "yes"); }, Code::kBadOption, -1, "needs labels");
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
  CHECK(best_of(all, find_metric("accuracy"), 0) == 0);
  CHECK(best_of(all, find_metric("log-loss"), 0) == 1);
}

TEST_CASE("a fold without rows of a class says so where a metric needs them") {
  Labelled data(20);
  for (std::size_t i = 0; i < 20; ++i) data.labels[i] = i < 17 ? 0 : 1;
  MemorySource source = data.source();
  const std::vector<Folds> splits{split_ordered(20, {}, 4)};
  const std::vector<const Metric*> auc{&find_metric("roc-auc")};
  check_refused(
      [&] {
        cross_validate(source, splits, {&find_model("gaussian-nb")}, {auc}, {}, [](Index) {});
      },
      Code::kTooFewRows, -1, "fold 1 of 4, gaussian-nb: rows: roc-auc is not defined");
}

}  // namespace
}  // namespace craton
