#include <algorithm>
#include <optional>

#include "craton/base/error.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/refused.h"

// Laws of models that learn from a number of each row, and predict one.

using namespace craton;
using namespace craton::laws;

namespace {

template <class Law>
void for_every_regressor(const Law& law) {
  for_every_model([&](const ModelInfo& model) {
    CHECK(model.abilities.numbers == model.abilities.predict_numbers);
    if (model.abilities.numbers) law(model);
  });
}

std::vector<double> predicted_of(const ModelInfo& model, const Data& data,
                                 const std::vector<NamedOption>& more = {}) {
  std::vector<NamedOption> options = small_options(model);
  options.insert(options.end(), more.begin(), more.end());
  MemorySource x = data.source();
  return predicted(model.fit(x, options, {}), x);
}

template <class F>
void check_bad_target(const F& f, Index row) {
  try {
    f();
    CHECK(false);
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kBadTarget);
    CHECK(error.place().row == row);
    CHECK(error.place().column == "number");
  }
}

double largest_gap(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) gap = std::max(gap, std::abs(a[i] - b[i]));
  return gap;
}

}  // namespace

TEST_CASE("a target that is missing or infinite is refused by row") {
  for_every_regressor([](const ModelInfo& model) {
    for (const double bad : std::vector<double>{NAN, INFINITY, -INFINITY}) {
      Data data = groups(model, 3'000, 2, 70);
      const Fitted sound = fit(model, data);
      data.targets[2'345] = bad;
      MemorySource x = data.source();
      check_bad_target([&] { fit(model, x); }, 2'345);
      check_bad_target([&] { sound.model->score(x, {}); }, 2'345);
      if (!model.abilities.partial_fit) continue;
      check_bad_target([&] { model.partial_fit(sound, x, sound.options, {}); }, 2'345);
    }
  });
}

TEST_CASE("a model of numbers refuses labels, and no targets at all; a model of classes numbers") {
  for_every_model([](const ModelInfo& model) {
    Data data = groups(model, 60, 2, 71);
    if (model.abilities.numbers) {
      data.numbers = false;  // the groups are what they are labelled by
      MemorySource labelled = data.source();
      check_refused([&] { fit(model, labelled); }, Code::kBadTarget, -1, "gaussian-nb");
      data.numbers = true;
      data.targets.clear();
      MemorySource none = data.source();
      check_refused([&] { fit(model, none); }, Code::kBadTarget, -1, "no numbers");
    } else if (model.abilities.labels || model.abilities.some_labels) {
      data.numbers = true;
      data.targets.assign(60, 1.5);
      MemorySource numbers = data.source();
      check_refused([&] { fit(model, numbers); }, Code::kBadTarget, -1, "linear");
    }
  });
}

TEST_CASE("targets that are scaled and moved are predicted scaled and moved") {
  for_every_regressor([](const ModelInfo& model) {
    Data data = groups(model, 500, 3, 72);
    std::vector<double> expected = predicted_of(model, data);
    for (double& y : data.targets) y = 1e9 - 8 * y;
    for (double& y : expected) y = 1e9 - 8 * y;
    CHECK(largest_gap(predicted_of(model, data), expected) <= 1e-5);  // of 1e9
  });
}

TEST_CASE("columns that are moved, or scaled by the model, change no prediction") {
  for_every_regressor([](const ModelInfo& model) {
    if (!model.usage.small.empty()) return;  // a penalty knows units
    for (const Option& option : model.options()) {
      if (option.name == "alpha" || option.name == "alphas") return;  // as these are one
    }
    Data data = groups(model, 500, 3, 73);
    const std::vector<double> expected = predicted_of(model, data);
    for (const char* scale : {"standard", "robust", "min_max", "max_abs"}) {
      CHECK(largest_gap(predicted_of(model, data, {{"scale", std::string(scale)}}), expected) <=
            1e-9);
    }
    for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] += i % 3 == 0 ? 1e6 : -4;
    CHECK(largest_gap(predicted_of(model, data), expected) <= 1e-7);
  });
}

TEST_CASE("a constant target is predicted") {
  for_every_regressor([](const ModelInfo& model) {
    Data data = groups(model, 300, 2, 74);
    std::ranges::fill(data.targets, 7.25);
    for (const double y : predicted_of(model, data)) CHECK(y == doctest::Approx(7.25));
    MemorySource x = data.source();
    CHECK(fit(model, x).model->score(x, {}) >= 0);
  });
}

TEST_CASE("fewer rows than columns, and columns that others make up, give finite predictions") {
  for_every_regressor([](const ModelInfo& model) {
    for (const double y : predicted_of(model, groups(model, 4, 9, 75))) CHECK(std::isfinite(y));
    Data data = groups(model, 300, 3, 76);
    for (std::size_t i = 0; i < data.x.size(); i += 3) {
      data.x[i + 2] = data.x[i] - 2 * data.x[i + 1];
    }
    for (const double y : predicted_of(model, data)) CHECK(std::isfinite(y));
  });
}

TEST_CASE("the score is R^2 of the predictions, by weight, and the first of the measures") {
  for_every_regressor([](const ModelInfo& model) {
    Data data = groups(model, 5'000, 2, 77);
    for (Index i = 0; i < data.rows; ++i) data.weights.push_back(static_cast<double>(i % 3));
    MemorySource x = data.source();
    const Fitted fitted = fit(model, x);
    const std::vector<double> numbers = predicted(fitted, x);
    double weight = 0, mean = 0, squares = 0, errors = 0, distances = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      weight += data.weights[i];
      mean += data.weights[i] * data.targets[i];
    }
    mean /= weight;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double y = data.targets[i], e = y - numbers[i];
      squares += data.weights[i] * (y - mean) * (y - mean);
      errors += data.weights[i] * e * e;
      distances += data.weights[i] * std::abs(e);
    }
    const std::vector<Measure> all = fitted.model->measures(x, {});
    REQUIRE(all.size() >= 3);
    CHECK(all[0].value == doctest::Approx(1 - errors / squares).epsilon(1e-12));
    CHECK(all[1].value == doctest::Approx(errors / weight).epsilon(1e-12));
    CHECK(all[2].value == doctest::Approx(distances / weight).epsilon(1e-12));
    CHECK(fitted.model->score(x, {}) == all[0].value);
    CHECK(fitted.model->score(x, {.threads = 7}) == all[0].value);
    CHECK(all[0].value > 0.5);
  });
}

TEST_CASE("a linear form, also of scaled columns, is what is predicted") {
  for_every_regressor([](const ModelInfo& model) {
    if (!model.abilities.linear_form) return;
    const Data data = groups(model, 200, 3, 78);
    for (const char* scale : {"none", "standard", "max_abs"}) {
      std::vector<NamedOption> options = small_options(model);
      options.emplace_back("scale", std::string(scale));
      MemorySource x = data.source();
      const Fitted fitted = model.fit(x, options, {});
      const LinearForm form = fitted.model->linear_form();
      REQUIRE(form.coef.shape == std::vector<Index>{1, 3});
      std::vector<double> expected;
      for (std::size_t i = 0; i < 200; ++i) {
        expected.push_back(form.intercept.values[0]);
        for (std::size_t j = 0; j < 3; ++j) {
          expected.back() += form.coef.values[j] * data.x[i * 3 + j];
        }
      }
      CHECK(largest_gap(predicted(fitted, x), expected) <= 1e-10);
    }
  });
}

TEST_CASE("numbers of rows in any batches, merged or learned on, give one fit") {
  for_every_regressor([](const ModelInfo& model) {
    if (!model.abilities.merge || !model.abilities.partial_fit) return;
    constexpr Index kAligned = 8 * 4096;  // a cut at the top of the tree, whatever the grid
    const Data data = groups(model, 2 * kAligned, 2, 79);
    const Fitted whole = fit(model, data);
    const auto merged = [&](Index cut) {
      const Fitted rest = fit(model, data.slice(cut, data.rows));
      return model.merge(fit(model, data.slice(0, cut)), unpack_model(pack_model(rest), "copy"));
    };
    CHECK(digest(merged(kAligned)) == digest(whole));
    CHECK(merged(kAligned).report.data_hash == whole.report.data_hash);
    CHECK(difference(merged(12'345), whole) <= 1e-11);
    Fitted batches = fit(model, data.slice(0, 100));
    for (Index first = 100; first < data.rows; first += 10'906) {
      const Data part = data.slice(first, std::min(first + 10'906, data.rows));
      MemorySource x = part.source();
      batches = model.partial_fit(batches, x, batches.options, {});
    }
    CHECK(difference(batches, whole) <= 1e-11);
  });
}
