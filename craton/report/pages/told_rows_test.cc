#include "craton/report/pages/told_rows.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "craton/report/words.h"

namespace craton::told_rows_test {
namespace {

const std::vector<double>& numbers_of(const ResultTable& table, std::string_view column) {
  return *table.find(column)->numbers();
}

// Six rows of two classes and a category beside a number; the last has no label.
struct Six {
  Six() {
    x = {{6, 2}, {0, 1.5, 1, 2.5, 0, 3.5, 1, 4.5, 0, 5.5, 1, 6.5}};
    schema.columns = {{"town", ColumnKind::kCategory, {"york", "bath"}}, {"size"}};
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b"}};
    rows.schema = schema;
    rows.truth = labels;
    rows.told = {0, 1, 1, 0, 1, 1};
    rows.proba = {{6, 2}, {.9, .1, .3, .7, .05, .95, .6, .4, .2, .8, .5, .5}};
  }
  MemorySource source() const {
    return MemorySource({.x = x.view(), .labels = labels}, schema, "six.csv");
  }

  Array x;
  Schema schema;
  std::vector<std::int32_t> labels{0, 1, 0, 1, 1, -1};
  ToldRows rows{};
};

TEST_CASE("mistakes come with the surest first, and say what the rows are") {
  const Six six;
  CHECK(count_mistakes(six.rows) == 2);
  const std::vector<Index> which = mistaken_rows(six.rows, 10);
  CHECK(which == std::vector<Index>{2, 3});
  CHECK(mistaken_rows(six.rows, 1) == std::vector<Index>{2});
  MemorySource x = six.source();
  const std::vector<Index> columns{1, 0};
  const ResultTable table = mistakes_table(six.rows, x, which, columns, 8);
  CHECK(column_names(table) == std::vector<std::string>{"row", "kind", "taken for", "p",
                                                        "p of the true one", "size", "town"});
  CHECK(numbers_of(table, "row") == std::vector<double>{2, 3});
  CHECK(*table.find("kind")->words() == std::vector<std::string>{"a", "b"});
  CHECK(*table.find("taken for")->words() == std::vector<std::string>{"b", "a"});
  CHECK(numbers_of(table, "p") == std::vector<double>{.95, .6});
  CHECK(numbers_of(table, "p of the true one") == std::vector<double>{.05, .4});
  CHECK(numbers_of(table, "size") == std::vector<double>{3.5, 4.5});
  CHECK(*table.find("town")->words() == std::vector<std::string>{"york", "bath"});
}

TEST_CASE("what is taken for what leaves out rows of which nothing is known") {
  const Six six;
  const Confusion confusion = find_confusion(six.rows);
  CHECK(confusion.matrix.values == std::vector<double>{1, 1, 1, 2});
  CHECK(confusion.rows == std::vector<double>{2, 3});
  ToldRows unsaid = six.rows;
  unsaid.told[4] = -1;  // never held out
  CHECK(find_confusion(unsaid).matrix.values == std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("calibration is the share that is right where the model is as sure") {
  const Six six;
  const ResultTable table = calibration_table(six.rows);
  // p of the label told, of the five rows with one: .6 (wrong), .7, .8, and .9, .95 (wrong).
  CHECK(numbers_of(table, "rows") == std::vector<double>{1, 1, 1, 2});
  CHECK(numbers_of(table, "share that is right") == std::vector<double>{0, 1, 1, .5});
  const std::vector<double>& p = numbers_of(table, "mean p of the label told");
  CHECK(p[3] == doctest::Approx(.925));
  CHECK(calibration_error(table) == doctest::Approx((.6 + .3 + .2 + 2 * .425) / 5));
  // R: prop.test(1, 2, correct = FALSE)$conf.int
  CHECK(numbers_of(table, "from 95%")[3] == doctest::Approx(0.09453121).epsilon(1e-6));
  CHECK(numbers_of(table, "to")[3] == doctest::Approx(0.90546879).epsilon(1e-6));
}

TEST_CASE("numbers are told with what is left of them, the farthest first") {
  ToldRows rows;
  rows.schema.columns = {{"size"}};
  rows.schema.target = Column{"price"};
  rows.true_numbers = {10, 20, std::numeric_limits<double>::quiet_NaN(), 40};
  rows.numbers = {11, 15, 30, 41.5};
  const std::vector<double> values{1, 2, 3, 4};
  MemorySource x({.x = Dense<double>{values.data(), 4, 1, 1}, .targets = rows.true_numbers},
                 rows.schema);
  const std::vector<Index> which = mistaken_rows(rows, 10);
  CHECK(which == std::vector<Index>{1, 3, 0});
  const ResultTable table = mistakes_table(rows, x, which, std::vector<Index>{0}, 8);
  CHECK(numbers_of(table, "residual") == std::vector<double>{5, -1.5, -1});
  CHECK(numbers_of(table, "size") == std::vector<double>{2, 4, 1});
}

}  // namespace
}  // namespace craton::told_rows_test
