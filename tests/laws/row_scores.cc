#include "craton/report/row_scores.h"

#include <algorithm>
#include <functional>

#include "craton/base/error.h"
#include "tests/laws/laws.h"

// How strange rows are to a model.

using namespace craton;
using namespace craton::laws;

namespace {

// A label alone says nothing of how strange a row is.
bool says_of_rows(const ModelInfo& model) {
  const Abilities& able = model.abilities;
  return able.score_samples || able.predict_log_proba || able.predict_numbers || able.transform;
}

void for_models_that_score_rows(const std::function<void(const ModelInfo&)>& f) {
  int models = 0;
  for_every_model([&](const ModelInfo& model) {
    if (!says_of_rows(model)) return;
    ++models;
    f(model);
  });
  CHECK(models > 0);
}

}  // namespace

TEST_CASE("every row of every model has a rank of its own, and the strangest have reasons") {
  for_models_that_score_rows([](const ModelInfo& model) {
    const Data data = groups(model, 150, 3, 81);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    const RowScores scores = find_row_scores(fitted, x, {});
    std::vector<Index> rows = scores.by_rank;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      CHECK(scores.usual[usize(rows[i - 1])] <= scores.usual[usize(rows[i])]);
    }
    std::ranges::sort(rows);
    for (Index i = 0; i < data.rows; ++i) CHECK(rows[usize(i)] == i);
    CHECK(!scores.reasons.empty());
    for (const auto& reasons : scores.reasons) {
      for (const ColumnReason& reason : reasons) CHECK(reason.gain > 0);
    }
    const ResultTable table = row_score_table(scores, fitted, x);
    CHECK(table.rows() == data.rows);
    CHECK(table.find("rank") != nullptr);
    CHECK(table.find("because") != nullptr);
    CHECK(strangest_rows(scores, fitted, x, 4).rows() == 4);
  });
}

TEST_CASE(
    "tail probabilities are uniform on the model's own rows, or larger where rows are equal") {
  constexpr Index kRows = 500;
  int densities = 0;
  for_every_model([&](const ModelInfo& model) {
    if (!model.abilities.score_samples || !model.abilities.sample) return;
    ++densities;
    const Data data = groups(model, 150, 3, 82);
    const Fitted fitted = fit(model, data);
    const Sample own = fitted.model->sample(kRows, 19);
    MemorySource x({.x = own.x.view()}, fitted.schema);
    std::vector<double> tails = find_row_scores(fitted, x, {}, {.explained = 0}).tails;
    std::ranges::sort(tails);
    // Kolmogorov and Smirnov's: one table of a thousand has a larger gap.
    const double n = static_cast<double>(kRows), most = 1.95 * std::sqrt(1 / n + 1.0 / 10'000);
    double below = 0, above = 0;
    for (std::size_t i = 0; i < tails.size(); ++i) {
      const double at = static_cast<double>(i);
      below = std::max(below, (at + 1) / n - tails[i]);
      above = std::max(above, tails[i] - at / n);
    }
    CHECK(below < most);
    std::vector<double> distinct = tails;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() > tails.size() * 9 / 10) CHECK(above < most);
  });
  CHECK(densities > 5);
}

TEST_CASE("scores of rows are the same bits for any threads") {
  for_models_that_score_rows([](const ModelInfo& model) {
    const Data data = groups(model, 150, 3, 83);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    const RowScores one = find_row_scores(fitted, x, {.threads = 1});
    for (const int threads : {2, 7}) {
      const RowScores more = find_row_scores(fitted, x, {.threads = threads});
      CHECK(more.usual == one.usual);
      CHECK(more.tails == one.tails);
      CHECK(more.by_rank == one.by_rank);
      CHECK(*row_score_table(more, fitted, x).find("because")->words() ==
            *row_score_table(one, fitted, x).find("because")->words());
    }
  });
}

TEST_CASE("a model that only names labels says so when it is asked how strange rows are") {
  for_every_model([](const ModelInfo& model) {
    if (says_of_rows(model)) return;
    const Data data = groups(model, 150, 3, 84);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    CHECK_THROWS_AS(find_row_scores(fitted, x, {}), InputError);
  });
}
