#include <doctest/doctest.h>

#include <cmath>

#include "craton/select/cross_validation.h"
#include "craton/select/guessing.h"
#include "craton/tables/view.h"
#include "tests/labelled_rows.h"
#include "tests/refused.h"

namespace craton::held_out_test {
namespace {

const std::vector<const Metric*> kBoth{&find_metric("accuracy"), &find_metric("log-loss")};

TEST_CASE("what is kept of each row is what its fold's model says of it") {
  const Labelled data(61);
  MemorySource source = data.source();
  const std::vector<Folds> splits = split_ordered(61, {}, {.folds = 3});
  const Trial trial{&find_model("gaussian-nb")};
  Predictions kept;
  cross_validate(source, splits, trial, {kBoth, HeldOut::kUsual, &kept}, {}, [](Index) {});
  REQUIRE(kept.proba.shape == std::vector<Index>{61, 2});
  for (Index f = 0; f < 3; ++f) {
    const RowSet train = splits[0].train(f), test = splits[0].test(f);
    View learned(source), held(source);
    learned.rows(train);
    held.rows(test);
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

TEST_CASE("numbers are held out, predicted and measured, beside always the mean") {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8}, w{1, 2, 1, 0, 3, 1, 1, 2};
  const std::vector<double> y{2.5, 3, 7.5, 6.5, 12, 13, 13.5, 17};
  Schema schema{.columns = {{"size"}}, .target = Column{"price"}};
  MemorySource source({.x = Dense<double>{x.data(), 8, 1, 1}, .targets = y, .weights = w}, schema);
  const std::vector<Folds> splits{{.size = 1, .part = {-1, -1, -1, -1, 0, 0, 0, 0}}};
  std::vector<const Metric*> metrics;
  for (const char* name : {"mse", "mae", "r2", "pinball"}) metrics.push_back(&find_metric(name));
  const Trial trial{&find_model("linear")};
  Predictions kept;
  const Results results =
      cross_validate(source, splits, trial, {metrics, HeldOut::kUsual, &kept}, {}, [](Index) {});
  // The first four rows make the line through (1, 2.5), (2, 3) twice and (3, 7.5): slope 2.5,
  // intercept -1.
  double squares = 0, distances = 0, weight = 0, mean = 0, scatter = 0;
  for (std::size_t i = 4; i < 8; ++i) {
    CHECK(kept.fold[i] == 0);
    CHECK(kept.numbers[i] == doctest::Approx(2.5 * x[i] - 1).epsilon(1e-13));
    const double e = y[i] - (2.5 * x[i] - 1);
    weight += w[i];
    mean += w[i] * y[i];
    squares += w[i] * e * e;
    distances += w[i] * std::abs(e);
  }
  mean /= weight;
  for (std::size_t i = 4; i < 8; ++i) scatter += w[i] * (y[i] - mean) * (y[i] - mean);
  CHECK(std::isnan(kept.numbers[0]));
  REQUIRE(results.size() == 1);
  CHECK(results[0].values[0] == doctest::Approx(squares / weight).epsilon(1e-12));
  CHECK(results[0].values[1] == doctest::Approx(distances / weight).epsilon(1e-12));
  CHECK(results[0].values[2] == doctest::Approx(1 - squares / scatter).epsilon(1e-12));
  CHECK(results[0].values[3] == doctest::Approx(distances / weight / 2).epsilon(1e-12));

  const auto guess = find_mean_guess(source, {});
  REQUIRE(guess);
  CHECK(guess->mean == doctest::Approx(112.5 / 11).epsilon(1e-14));
  CHECK_FALSE(find_guessing(source, {}));
  CHECK(labels_of(source, {}).empty());
  CHECK(numbers_of(source, {}) == y);
  const ModelInfo* const linear[] = {&find_model("linear")};
  const std::vector<const Metric*> usual = choose_metrics({}, linear, true);
  REQUIRE(usual.size() == 2);
  CHECK(usual[0]->name == "r2");
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
  numbers.target->levels.clear();
  check_refused([&] { find_positive(numbers, "1"); }, Code::kBadOption, -1, "a number of each row");
  check_refused([&] { find_positive({}, "yes"); }, Code::kBadOption, -1, "needs labels");
}

}  // namespace
}  // namespace craton::held_out_test
