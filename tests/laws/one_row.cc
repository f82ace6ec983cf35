#include <algorithm>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "tests/laws/laws.h"

// A row by itself (model/row_work.h) is what it is in a table, to the bit.

using namespace craton;
using namespace craton::laws;

namespace {

// What a table of rows gives, row by row; or the code of what refuses it.
struct Answers {
  std::vector<std::int32_t> labels;
  std::vector<double> log_p, log_density, numbers;
  std::optional<Code> refused;
};

Answers of_table(const AnyModel& model, const Data& data) {
  const Abilities& able = model.info().abilities;
  Answers all;
  MemorySource x = data.source();
  try {
    if (able.predict) all.labels.resize(usize(data.rows));
    if (able.predict) model.predict(x, all.labels, {});
    if (able.predict_log_proba) all.log_p.resize(usize(data.rows * model.classes()));
    if (able.predict_log_proba) model.predict_log_proba(x, all.log_p, {});
    if (able.score_samples) all.log_density.resize(usize(data.rows));
    if (able.score_samples) model.score_samples(x, all.log_density, {});
    if (able.predict_numbers) all.numbers.resize(usize(data.rows));
    if (able.predict_numbers) model.predict_numbers(x, all.numbers, {});
  } catch (const InputError& error) {
    return {{}, {}, {}, {}, error.code()};
  }
  return all;
}

Answers of_rows(const AnyModel& model, const Data& data) {
  const Abilities& able = model.info().abilities;
  Answers all;
  RowWork work(model);
  std::vector<double> log_p(usize(model.classes()));
  try {
    for (Index i = 0; i < data.rows; ++i) {
      const std::span<const double> row(&data.x[usize(i * data.cols)], usize(data.cols));
      if (able.predict) all.labels.push_back(model.predict_row(row, work));
      if (able.score_samples) all.log_density.push_back(model.score_row(row, work));
      if (able.predict_numbers) all.numbers.push_back(model.predict_number_row(row, work));
      if (!able.predict_log_proba) continue;
      model.predict_log_proba_row(row, work, log_p);
      all.log_p.insert(all.log_p.end(), log_p.begin(), log_p.end());
    }
  } catch (const InputError& error) {
    return {{}, {}, {}, {}, error.code()};
  }
  return all;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void check_same(const AnyModel& model, const Data& data) {
  const Answers table = of_table(model, data), rows = of_rows(model, data);
  CHECK(rows.refused == table.refused);
  CHECK(rows.labels == table.labels);
  CHECK(same(rows.log_p, table.log_p));
  CHECK(same(rows.log_density, table.log_density));
  CHECK(same(rows.numbers, table.numbers));
}

// Every choice of a model's covariances, metric and the like, one at a time.
std::vector<std::vector<NamedOption>> variants(const ModelInfo& model) {
  std::vector<std::vector<NamedOption>> all{small_options(model)};
  for (const Option& option : model.options()) {
    for (const std::string& choice : option.choices) {
      const bool shape = option.name == "covariance_type" || option.name == "metric" ||
                         option.name == "variance" || option.name == "calibrate";
      if (!shape || choice == "given") continue;
      all.push_back(small_options(model));
      all.back().emplace_back(option.name, choice);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a row by itself has the label, the probabilities and the density of the table's") {
  for_every_model([](const ModelInfo& model) {
    for (const Index cols : {1, 2, 3, 4, 5, 9, 33}) {
      CAPTURE(cols);
      const Data data = groups(model, 400, cols, 11);
      for (const std::vector<NamedOption>& options : variants(model)) {
        const std::string variant = options.empty() ? "" : to_text(options.back().second);
        CAPTURE(variant);
        MemorySource x = data.source();
        check_same(*model.fit(x, options, {}).model, data);
      }
    }
  });
}

TEST_CASE("a row by itself that is strange has what the table's has, or the same error") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 400, 3, 12);
    MemorySource x = data.source();
    const Fitted fitted = model.fit(x, missing_options(model), {});
    const std::vector<double> values{NAN,  INFINITY, -INFINITY, 0,      -0.0,
                                     -1.0, 1e6,      1e150,     -1e308, 5e-324};
    for (const double value : values) {
      CAPTURE(value);
      Data strange = data.slice(0, 1);
      strange.x[1] = value;
      check_same(*fitted.model, strange);
      std::ranges::fill(strange.x, value);
      check_same(*fitted.model, strange);
    }
  });
}

TEST_CASE("a row by itself of another width is refused") {
  for_every_model([](const ModelInfo& model) {
    const Fitted fitted = fit(model, groups(model, 400, 3, 13));
    RowWork work(*fitted.model);
    const double row[4] = {8, 9, 10, 11};
    for (const std::size_t width : {std::size_t{2}, std::size_t{4}}) {
      std::optional<Code> code;
      try {
        if (model.abilities.predict) {
          fitted.model->predict_row({row, width}, work);
        } else if (model.abilities.predict_numbers) {
          fitted.model->predict_number_row({row, width}, work);
        } else {
          fitted.model->score_row({row, width}, work);
        }
      } catch (const InputError& error) {
        code = error.code();
      }
      CHECK(code == Code::kWrongColumns);
    }
  });
}
