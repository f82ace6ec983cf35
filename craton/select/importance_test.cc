#include "craton/select/importance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/random.h"
#include "craton/select/cross_validation.h"
#include "craton/select/shuffled_column.h"
#include "craton/tables/view.h"
#include "tests/labelled_rows.h"

namespace craton::importance_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> backwards(Index rows) {
  std::vector<Index> order(usize(rows));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

TEST_CASE("a shuffled column is in the order given, and the others are as they were") {
  const Array x{{4, 3}, {0, 1, 2, 3, kNaN, 5, 6, 7, 8, 9, 10, 11}};
  MemorySource source({.x = x.view()});
  const ColumnValues values(source, 1);
  CHECK(values.missing());
  const std::vector<Index> order{2, 0, 3, 1};
  ShuffledColumn shuffled(source, &values, order);
  const std::vector<double> found = read_all(shuffled).values;
  const std::vector<double> wanted{0, 7, 2, 3, 1, 5, 6, 10, 8, 9, kNaN, 11};
  std::vector<double> gathered(12);
  const std::vector<Index> all{0, 1, 2, 3};
  shuffled.reopen()->gather(all, gathered);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK((found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i]))));
    CHECK((gathered[i] == wanted[i] || (std::isnan(gathered[i]) && std::isnan(wanted[i]))));
  }
}

TEST_CASE("sparse rows are shuffled as dense ones are") {
  const std::vector<Index> offsets{0, 2, 2, 5, 6};
  const std::vector<std::int32_t> columns{0, 2, 0, 1, 2, 1};
  const std::vector<double> entries{1, 2, 3, 4, 5, 6};
  MemorySource source({.x = Sparse<double>{offsets.data(), columns.data(), entries.data(), 4, 3}});
  const Array dense{{4, 3}, {1, 0, 2, 0, 0, 0, 3, 4, 5, 0, 6, 0}};
  MemorySource of_dense({.x = dense.view()});
  const std::vector<Index> order = backwards(4);
  for (Index column = 0; column < 3; ++column) {
    const ColumnValues values(source, column), same(of_dense, column);
    ShuffledColumn a(source, &values, order), b(of_dense, &same, order);
    CHECK(read_all(a).values == read_all(b).values);
    Block block;
    Chunk chunk;
    a.fetch({1, 4}, block);
    a.decode(block, chunk);
    const auto& rows = std::get<Sparse<double>>(chunk.x);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
        CHECK(rows.values[e] != 0);
        if (e > rows.offsets[i]) CHECK(rows.columns[e] > rows.columns[e - 1]);
      }
    }
  }
}

TEST_CASE("a text is shuffled as a whole") {
  TextArray texts;
  for (const char* text : {"one two", "", "three"}) texts.add(text);
  Schema schema;
  schema.texts = {{"body", ColumnKind::kText}};
  MemorySource source({.x = Dense<double>{nullptr, 3, 0, 0}, .texts = {texts.view()}}, schema);
  const ColumnValues values(source, 0);
  const std::vector<Index> order{2, 0, 1};
  ShuffledColumn shuffled(source, &values, order);
  const std::vector<TextArray> found = read_texts(shuffled);
  REQUIRE(found.size() == 1);
  CHECK(found[0].view()[0] == "three");
  CHECK(found[0].view()[1] == "one two");
  CHECK(found[0].view()[2].empty());
}

TEST_CASE("importance is what the metric loses, by hand") {
  const Labelled data(40);
  MemorySource source = data.source();
  const Fitted fitted = find_model("gaussian-nb").fit(source, {}, {});
  const Metric& metric = find_metric("log-loss");
  const Importance found = find_importance(*fitted.model, source, metric, -1, {3, 7}, {});
  CHECK(found.metric == metric.measure(HeldOut(*fitted.model, source, {})));
  // Some order of the values of column b gives each of these losses: found again by its values.
  CHECK(found.drops.shape == std::vector<Index>{2, 3});
  CHECK(found.mean(0) > 0);
  CHECK(found.mean(1) > 0);
  CHECK(find_importance(*fitted.model, source, metric, -1, {3, 8}, {}).drops.values !=
        found.drops.values);
  const double a = found.drops.values[0], b = found.drops.values[1], c = found.drops.values[2];
  const double mean = (a + b + c) / 3;
  CHECK(found.mean(0) == doctest::Approx(mean));
  CHECK(found.deviation(0) ==
        doctest::Approx(std::sqrt(
            ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2)));
}

TEST_CASE("a column that says nothing to the model has no importance, to the last bit") {
  Labelled data(60);
  for (std::size_t i = 1; i < data.x.values.size(); i += 2) data.x.values[i] = 3;
  MemorySource source = data.source();
  const Fitted fitted = find_model("gaussian-nb").fit(source, {}, {});
  const Importance found =
      find_importance(*fitted.model, source, find_metric("log-loss"), -1, {4}, {});
  for (Index r = 0; r < 4; ++r) CHECK(found.drops.values[usize(4 + r)] == 0);
  CHECK(found.mean(0) > 0.1);
}

TEST_CASE("importance is the same on any number of threads, alone and in folds") {
  const Labelled data(80);
  MemorySource source = data.source();
  const Fitted fitted = find_model("logistic").fit(source, {}, {});
  const Metric& metric = find_metric("accuracy");
  const std::vector<const Metric*> metrics{&metric};
  const std::vector<Folds> splits{split_stratified(data.labels, data.schema.target->levels, {})};
  const Trial trial{&find_model("logistic")};
  Measuring measuring{metrics};
  measuring.shuffles = Shuffles{4, 2};
  const auto alone = [&](int threads) {
    return find_importance(*fitted.model, source, metric, -1, {5, 2}, {.threads = threads})
        .drops.values;
  };
  const auto in_folds = [&](int threads) {
    std::vector<double> all;
    for (const FoldResult& fold :
         cross_validate(source, splits, trial, measuring, {.threads = threads}, [](Index) {})) {
      all.insert(all.end(), fold.importance.begin(), fold.importance.end());
    }
    return all;
  };
  CHECK(in_folds(1).size() == 10);
  for (const int threads : {2, 7}) {
    CHECK(alone(threads) == alone(1));
    CHECK(in_folds(threads) == in_folds(1));
  }
}

TEST_CASE("the table of importances begins with the column that says most") {
  const std::vector<double> means{0.1, 0.5, 0.1}, errors{0.01, 0.02, 0.03};
  const ResultTable table =
      importance_table(find_metric("accuracy"), {"a", "b", "c"}, means, errors, "error");
  CHECK(*table.find("column")->words() == std::vector<std::string>{"b", "a", "c"});
  CHECK(*table.find("importance")->numbers() == std::vector<double>{0.5, 0.1, 0.1});
}

}  // namespace
}  // namespace craton::importance_test
