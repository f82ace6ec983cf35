#include <algorithm>
#include <set>

#include "craton/base/error.h"
#include "craton/report/result_text.h"
#include "tests/laws/laws.h"

// What models say of themselves and of rows, as tables.

using namespace craton;
using namespace craton::laws;

namespace {

const ResultColumn::Numbers* numbers_of(const ResultTable& table, std::string_view name) {
  const ResultColumn* column = table.find(name);
  return column == nullptr ? nullptr : column->numbers();
}

// The columns that a model can give, against the verbs that give them too.
void check_diagnosis(const AnyModel& model, Source& x) {
  const Abilities& able = model.info().abilities;
  const std::size_t n = usize(x.shape().rows), k = usize(model.classes());
  const ResultTable rows = model.diagnose(x, {});
  CHECK(rows.rows() == static_cast<Index>(n));
  for (const ResultColumn& column : rows.columns) CHECK(column.size() == rows.rows());
  std::vector<std::int32_t> labels(n);
  REQUIRE((numbers_of(rows, "label") != nullptr) == able.predict);
  if (able.predict) {
    model.predict(x, labels, {});
    CHECK(std::ranges::equal(labels, *numbers_of(rows, "label")));
  }
  REQUIRE((numbers_of(rows, "probability") != nullptr) == able.predict_log_proba);
  if (able.predict_log_proba) {
    std::vector<double> log_p(n * k);
    model.predict_log_proba(x, log_p, {});
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(numbers_of(rows, "probability")->at(i) == std::exp(log_p[i * k + usize(labels[i])]));
    }
  }
  REQUIRE((numbers_of(rows, "prediction") != nullptr) == able.predict_numbers);
  if (able.predict_numbers) {
    std::vector<double> numbers(n);
    model.predict_numbers(x, numbers, {});
    CHECK(numbers == *numbers_of(rows, "prediction"));
  }
  REQUIRE((numbers_of(rows, "log_density") != nullptr) == able.score_samples);
  if (able.score_samples) {
    std::vector<double> log_density(n);
    model.score_samples(x, log_density, {});
    CHECK(log_density == *numbers_of(rows, "log_density"));
  }
}

}  // namespace

TEST_CASE("every model has tables, each with a name and columns of one length") {
  for_every_model([](const ModelInfo& model) {
    const Fitted fitted = fit(model, groups(model, 300, 3, 61));
    const std::vector<ResultTable> tables = all_tables(fitted);
    CHECK_FALSE(tables.empty());
    std::set<std::string> names;
    for (const ResultTable& table : tables) {
      CAPTURE(table.name);
      CHECK_FALSE(table.name.empty());
      CHECK(names.insert(table.name).second);
      CHECK(table.rows() > 0);
      for (const ResultColumn& column : table.columns) CHECK(column.size() == table.rows());
      CHECK(format(table).starts_with(table.title + "\n"));
      CHECK(&find_table(tables, table.name) == &table);
    }
  });
}

TEST_CASE("a diagnosis of rows says what the verbs say") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.diagnose) return;
    const Data data = groups(model, 200, 3, 62);
    MemorySource x = data.source();
    check_diagnosis(*fit(model, data).model, x);
  });
}

TEST_CASE("a diagnosis of scaled rows is in the units of the rows") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.diagnose || model.abilities.categories) return;
    std::vector<NamedOption> options = small_options(model);
    options.emplace_back("scale", std::string("standard"));
    const Data data = groups(model, 200, 3, 63);
    MemorySource x = data.source();
    try {
      check_diagnosis(*model.fit(x, options, {}).model, x);
    } catch (const InputError& error) {
      CHECK(error.kind() == ErrorKind::kData);  // counts stay counts
    }
  });
}
