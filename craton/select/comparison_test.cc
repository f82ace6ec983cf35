#include "craton/select/comparison.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton::comparison_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Two columns that tell two classes apart, a category that says nothing, and the classes.
// Missing are the first values of b, and the last ones of the category.
OpenedTable table_of(Index rows, double apart, Index missing = 0, Index missing_words = 0) {
  Table table;
  table.name = "rows";
  table.schema.columns = {{"a"},
                          {"b"},
                          {"c", ColumnKind::kCategory, {"p", "q"}},
                          {"kind", ColumnKind::kCategory, {"no", "yes"}}};
  table.x.shape = {rows, 4};
  Random random(8, Purpose::kTest);
  for (Index i = 0; i < rows; ++i) {
    const double label = static_cast<double>(i % 2);
    for (Index j = 0; j < 2; ++j) table.x.values.push_back(random.normal() + apart * label);
    if (i < missing) table.x.values.back() = kNaN;
    table.x.values.push_back(i + missing_words < rows ? static_cast<double>(i % 3 % 2) : kNaN);
    table.x.values.push_back(label);
  }
  return opened("csv", std::move(table));
}

std::vector<Contestant> contestants(std::initializer_list<const char*> names) {
  std::vector<Contestant> all;
  for (const char* name : names) all.push_back({name, {&find_model(name)}});
  return all;
}

Comparison compared(const OpenedTable& table, std::initializer_list<const char*> names,
                    Missing missing = Missing::kAuto, const CompareOptions& options = {},
                    int threads = 2) {
  const Roles roles{.target = "kind", .missing = missing, .measured = true};
  return compare_models(
      table, roles, contestants(names), options, {.threads = threads}, [](std::span<const Note>) {},
      [](Index, Index, const std::string&) {});
}

TEST_CASE("a model that cannot take the table says why, and the others go on") {
  const OpenedTable table = table_of(80, 2, 5);
  const Comparison found = compared(table, {"linear-discriminant", "nb", "ridge", "gaussian-nb"});
  REQUIRE(found.models.size() == 2);
  CHECK(found.models[0].name == "nb");
  CHECK(found.models[0].columns == 3);
  CHECK(found.models[1].left_out == std::vector<std::string>{"c"});
  REQUIRE(found.failed.size() == 2);
  CHECK(found.failed[0].name == "linear-discriminant");
  CHECK(found.failed[0].why.code() == Code::kNotFinite);
  CHECK(found.failed[1].why.code() == Code::kBadTarget);
  CHECK(found.verdict.worse.empty());
}

TEST_CASE("rows that one model leaves out are left out for all") {
  const OpenedTable table = table_of(80, 2, 5, 4);  // gaussian-nb does not take the category
  const Comparison found = compared(table, {"gaussian-nb", "nb"}, Missing::kSkip);
  CHECK(found.failed.empty());
  for (const Compared& model : found.models) {
    Index rows = 0;
    for (const FoldResult& fold : model.results) rows += fold.test_rows;
    CHECK(rows == 71);
  }
}

TEST_CASE("when no model can be compared, the reason of the first is the error") {
  const OpenedTable table = table_of(80, 2, 5);
  check_refused(
      [&] {
        compared(table, {"linear-discriminant", "ridge"});
      },
      Code::kNotFinite, -1, "row 0 (counted from 0), column 'b'");
  check_refused(
      [&] {
        compared(table, {"nb", "gaussian-nb"}, Missing::kAuto, {{"r2"}});
      },
      Code::kNotAble, -1, "r2 does not fit: nb predicts no numbers");
}

TEST_CASE("a comparison is the same on any number of threads") {
  const OpenedTable table = table_of(60, 1);
  const Comparison one = compared(table, {"nb", "logistic"}, Missing::kAuto, {}, 1),
                   many = compared(table, {"nb", "logistic"}, Missing::kAuto, {}, 7);
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t f = 0; f < 5; ++f) {
      CHECK(one.models[m].results[f].values == many.models[m].results[f].values);
    }
  }
}

TEST_CASE("guessing learns its label and its shares from the rows of each fold") {
  const OpenedTable table = table_of(30, 0);
  const Roles roles{.target = "kind"};
  const ModelTable data = table_to_fit(find_model("gaussian-nb"), {table.source->reopen(), {}, {}},
                                       roles, false, {}, [](std::span<const Note>) {});
  // Held out are four rows of "no" and one of "yes": 11 and 14 are learned from.
  std::vector<std::int32_t> part(30, 1);
  for (const std::size_t row : std::initializer_list<std::size_t>{0, 1, 2, 4, 6}) part[row] = 0;
  const std::vector<Folds> splits{{2, part}};
  const std::vector<const Metric*> metrics{&find_metric("accuracy"), &find_metric("log-loss"),
                                           &find_metric("recall"), &find_metric("log-likelihood")};
  const Results guess = measure_guessing(data.source(), splits, {metrics}, {});
  REQUIRE(guess.size() == 2);
  CHECK(guess[0].train_rows == 25);
  CHECK(guess[0].values[0] == 0.2);
  const double loss = -(4 * std::log(11 / 25.0) + std::log(14 / 25.0)) / 5;
  CHECK(guess[0].values[1] == doctest::Approx(loss).epsilon(1e-14));
  CHECK(std::isnan(guess[0].values[2]));
  CHECK(std::isnan(guess[0].values[3]));
}

Results folds(std::initializer_list<std::vector<double>> values) {
  Results results;
  for (const auto& of_fold : values) results.push_back({80, 20, true, of_fold});
  return results;
}

TEST_CASE("a verdict names what is no better than guessing, and probabilities that mislead") {
  const std::vector<const Metric*> metrics{&find_metric("accuracy"), &find_metric("log-loss")};
  const Results guess = folds({{0.5, 0.69}, {0.5, 0.69}, {0.5, 0.69}});
  const std::vector<Results> all{
      folds({{0.8, 0.4}, {0.81, 0.41}, {0.79, 0.4}}),  // fine
      folds({{0.8, 2.0}, {0.81, 2.1}, {0.79, 1.9}}),   // as often right, and too sure
      folds({{0.4, 0.8}, {0.5, 0.8}, {0.6, 0.8}}),     // guesses
      folds({{0.79, 0.5}, {0.8, 0.5}, {0.81, 0.5}}),   // close, with worse probabilities
  };
  const Verdict verdict = judge(all, guess, metrics);
  CHECK(verdict.best == 0);
  CHECK(verdict.close == std::vector<Index>{1, 3});
  CHECK(verdict.worse == std::vector<Index>{2});
  CHECK(verdict.misjudged == std::vector<Index>{1, 3});
  CHECK(judge(all, {}, metrics).worse.empty());
  CHECK(judge(all, {}, metrics).misjudged.empty());
}

}  // namespace
}  // namespace craton::comparison_test
