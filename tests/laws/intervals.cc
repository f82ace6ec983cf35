#include <cmath>
#include <functional>

#include "craton/base/error.h"
#include "craton/tables/view.h"
#include "tests/laws/laws.h"

// Between what the numbers, or the probabilities, of rows lie.

using namespace craton;
using namespace craton::laws;

namespace {

const ResultColumn::Numbers& column(const ResultTable& table, std::string_view name) {
  const ResultColumn* const found = table.find(name);
  REQUIRE(found != nullptr);
  REQUIRE(found->numbers() != nullptr);
  return *found->numbers();
}

// low <= what is predicted <= high, for each pair of ends that the table has.
void check_ends(const AnyModel& model, Source& x, const ResultTable& rows) {
  const Abilities& able = model.info().abilities;
  const std::size_t n = usize(x.shape().rows);
  REQUIRE(rows.rows() == static_cast<Index>(n));
  const ResultColumn::Numbers& centre = column(rows, able.predict_numbers ? "prediction"
                                                     : able.predict       ? "probability"
                                                                          : "log_density");
  std::vector<double> numbers(n);
  if (able.predict_numbers) {
    model.predict_numbers(x, numbers, {});
    CHECK(centre == numbers);
  }
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(column(rows, "low")[i] <= centre[i]);
    CHECK(centre[i] <= column(rows, "high")[i]);
    if (!able.predict_numbers) continue;
    CHECK(column(rows, "low")[i] <= column(rows, "mean_low")[i]);
    CHECK(column(rows, "mean_low")[i] <= centre[i]);
    CHECK(centre[i] <= column(rows, "mean_high")[i]);
    CHECK(column(rows, "mean_high")[i] <= column(rows, "high")[i]);
  }
}

void for_models_of_intervals(const std::function<void(const ModelInfo&)>& f) {
  int models = 0;
  for_every_model([&](const ModelInfo& model) {
    if (!model.abilities.intervals) return;
    ++models;
    f(model);
  });
  CHECK(models > 0);
}

}  // namespace

TEST_CASE("intervals hold what is predicted, and are wider at a higher level") {
  for_models_of_intervals([](const ModelInfo& model) {
    const Data data = groups(model, 200, 3, 71);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    const ResultTable half = fitted.model->intervals(x, 0.5, {});
    const ResultTable most = fitted.model->intervals(x, 0.99, {});
    check_ends(*fitted.model, x, half);
    check_ends(*fitted.model, x, most);
    for (std::size_t i = 0; i < usize(data.rows); ++i) {
      CHECK(column(most, "low")[i] <= column(half, "low")[i]);
      CHECK(column(half, "high")[i] <= column(most, "high")[i]);
    }
    CHECK(column(most, "high") != column(half, "high"));
  });
}

TEST_CASE("intervals are the same bits for any threads, and of a row by itself") {
  for_models_of_intervals([](const ModelInfo& model) {
    const Data data = groups(model, 300, 3, 72);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    const ResultTable one = fitted.model->intervals(x, 0.95, {.threads = 1});
    for (const int threads : {2, 7}) {
      const ResultTable more = fitted.model->intervals(x, 0.95, {.threads = threads});
      for (const char* name : {"low", "high"}) CHECK(column(more, name) == column(one, name));
    }
    View some(x);
    some.slice({17, 18});
    const ResultTable alone = fitted.model->intervals(some, 0.95, {});
    for (const char* name : {"low", "high"}) CHECK(column(alone, name)[0] == column(one, name)[17]);
  });
}

TEST_CASE("intervals of models that scale their columns are those of models that do not") {
  for_models_of_intervals([](const ModelInfo& model) {
    // A penalty depends on the scale.
    if (!model.abilities.predict_numbers && model.abilities.predict) return;
    const Data data = groups(model, 200, 3, 73);
    MemorySource x = data.source();
    std::vector<NamedOption> options = small_options(model);
    for (const Option& option : model.options()) {
      if (option.name == "alpha") options.emplace_back("alpha", 0.0);
      if (option.name == "alphas") options.emplace_back("alphas", Array{{1}, {0.0}});
    }
    const ResultTable plain = model.fit(x, options, {}).model->intervals(x, 0.9, {});
    options.emplace_back("scale", std::string("standard"));
    const ResultTable scaled = model.fit(x, options, {}).model->intervals(x, 0.9, {});
    for (const char* name : {"low", "high", "mean_low", "mean_high"}) {
      if (plain.find(name) == nullptr) continue;
      for (std::size_t i = 0; i < usize(data.rows); ++i) {
        CHECK(column(scaled, name)[i] == doctest::Approx(column(plain, name)[i]).epsilon(1e-9));
      }
    }
  });
}

TEST_CASE("a level that is no probability is refused, and a model without intervals says so") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 200, 3, 74);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    for (const double level : {0.0, 1.0, -0.5, 95.0, std::nan("")}) {
      CHECK_THROWS_AS(fitted.model->intervals(x, level, {}), InputError);
    }
    if (!model.abilities.intervals) {
      CHECK_THROWS_AS(fitted.model->intervals(x, 0.95, {}), InputError);
    }
  });
}
