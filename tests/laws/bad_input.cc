#include <algorithm>
#include <optional>

#include "craton/base/error.h"
#include "tests/laws/laws.h"

// A documented result or a specific error, never a crash, a hang or a silent NaN.

using namespace craton;
using namespace craton::laws;

namespace {

std::optional<InputError> error_of(const ModelInfo& model, const Data& data,
                                   std::span<const NamedOption> options) {
  try {
    MemorySource x = data.source();
    const Fitted fitted = model.fit(x, options, {});
    for (const Parameter& parameter : fitted.model->parameters()) {
      for (const double v : parameter.value.values) {
        const bool impossible =
            model.abilities.labels && v == -INFINITY;  // as a class without rows
        CHECK((std::isfinite(v) || impossible));
      }
    }
  } catch (const InputError& error) {
    return error;
  }
  return std::nullopt;
}

std::optional<InputError> error_of(const ModelInfo& model, const Data& data) {
  return error_of(model, data, small_options(model));
}

}  // namespace

TEST_CASE("infinities, and NaN where nothing may be missing, are refused by row and column") {
  for_every_model([](const ModelInfo& model) {
    for (const double bad : std::vector<double>{NAN, INFINITY, -INFINITY}) {
      Data data = groups(model, 3'000, 3, 8);
      data.x[2'345 * 3 + 1] = bad;
      if (std::isnan(bad) && model.abilities.missing) {
        CHECK(!error_of(model, data, missing_options(model)));
        continue;
      }
      const auto error = error_of(model, data);
      REQUIRE(error);
      CHECK(error->code() == Code::kNotFinite);
      CHECK(error->place().row == 2'345);
      CHECK(error->place().column == "2");
    }
  });
}

TEST_CASE("new rows are checked like old ones") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.predict && !model.abilities.predict_numbers) return;
    const Fitted fitted = fit(model, groups(model, 500, 2, 9));
    Data bad = groups(model, 10, 2, 10);
    bad.x[7] = model.abilities.missing ? INFINITY : NAN;
    MemorySource x = bad.source();
    CHECK_THROWS_WITH_AS(predicted(fitted, x), doctest::Contains("row 3"), InputError);

    const Data wide = groups(model, 10, 3, 10);
    MemorySource too_wide = wide.source();
    CHECK_THROWS_WITH_AS(predicted(fitted, too_wide), doctest::Contains("3 columns"), InputError);
  });
}

TEST_CASE("rows with missing values are fitted, and predicted, by those that are there") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.missing) return;
    Data data = groups(model, 900, 3, 18);
    for (std::size_t i = 0; i < data.x.size(); i += 5) data.x[i] = NAN;
    for (std::size_t i = 0; i < 3; ++i) data.x[i] = NAN;  // a row of nothing
    CHECK_FALSE(error_of(model, data, missing_options(model)));
    if (!model.abilities.predict_log_proba) return;
    MemorySource x = data.source();
    const Fitted fitted = model.fit(x, missing_options(model), {});
    std::vector<double> log_p(usize(900 * fitted.model->classes()));
    fitted.model->predict_log_proba(x, log_p, {});
    for (const double p : log_p) CHECK((p <= 0 && !std::isnan(p)));
  });
}

TEST_CASE("no rows are refused") {
  for_every_model([](const ModelInfo& model) {
    const auto error = error_of(model, groups(model, 0, 2, 11));
    REQUIRE(error);
    CHECK(error->code() == Code::kNoRows);
  });
}

TEST_CASE("one row, equal rows or a constant column give finite parameters or a specific error") {
  for_every_model([](const ModelInfo& model) {
    const auto allowed = [&](const Data& data, std::initializer_list<Code> codes) {
      const auto error = error_of(model, data);
      if (!error) return true;
      CAPTURE(error->what());
      return std::find(codes.begin(), codes.end(), error->code()) != codes.end() &&
             std::string(error->what()).find("\n  ") != std::string::npos;  // with what to do
    };
    CHECK(allowed(groups(model, 1, 2, 12), {Code::kTooFewRows, Code::kNoSpread}));
    Data equal = groups(model, 100, 2, 13);
    std::fill(equal.x.begin(), equal.x.end(), 5.0);
    CHECK(allowed(equal, {Code::kTooFewRows, Code::kNoSpread}));
    Data constant = groups(model, 100, 2, 14);
    for (std::size_t i = 0; i < 100; ++i) constant.x[i * 2] = 5.0;
    CHECK(allowed(constant, {Code::kNoSpread}));
  });
}

TEST_CASE("weights that make no sense are refused by row") {
  for_every_model([](const ModelInfo& model) {
    for (const double bad : {-1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
      Data data = groups(model, 100, 2, 15);
      data.weights.assign(100, 1.0);
      data.weights[42] = bad;
      const auto error = error_of(model, data);
      REQUIRE(error);
      CHECK(error->code() == Code::kBadWeight);
      CHECK(error->place().row == 42);
    }
    Data none = groups(model, 100, 2, 15);
    none.weights.assign(100, 0.0);
    const auto error = error_of(model, none);
    REQUIRE(error);
    CHECK(error->code() == Code::kBadWeight);
  });
}

TEST_CASE("every option refuses what lies outside its bounds, by name") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 100, 2, 16);
    MemorySource x = data.source();
    const auto refused = [&](const NamedOption& option) {
      try {
        model.fit(x, std::array{option}, {});
      } catch (const InputError& error) {
        const bool column = option.first == "terms" && error.code() == Code::kUnknownName;
        return (error.code() == Code::kBadOption || column) &&
               std::string(error.what()).find(option.first) != std::string::npos;
      }
      return false;
    };
    for (const Option& option : model.options()) {
      CAPTURE(option.name);
      CHECK(refused({option.name, "no such value"}));
      if (option.type == OptionType::kInteger || option.type == OptionType::kIntegerOrArray) {
        CHECK(refused({option.name, static_cast<Index>(option.low) - 1}));
        CHECK(refused({option.name, 1.5}));
      }
      if (option.type == OptionType::kIntegerOrArray) {
        CHECK(refused({option.name, Array{{1}, {option.low - 1}}}));
        CHECK(refused({option.name, Array{{1}, {1.5}}}));
      }
      if (option.type == OptionType::kNumber || option.type == OptionType::kChoiceOrNumber) {
        CHECK(refused({option.name, option.low - 1}));
        CHECK(refused({option.name, static_cast<double>(NAN)}));
        CHECK(refused({option.name, static_cast<double>(INFINITY)}));
      }
    }
    CHECK_THROWS_AS(model.fit(x, std::array{NamedOption{"no_such_option", Index{1}}}, {}),
                    InputError);
  });
}

TEST_CASE("a stop ends a fit") {
  struct Stop final : Progress {
    bool keep_going() override { return false; }
  };
  for_every_model([](const ModelInfo& model) {
    Stop stop;
    CHECK_THROWS_AS(fit(model, groups(model, 5'000, 2, 17), {.threads = 2, .progress = &stop}),
                    Interrupted);
  });
}
