#include "craton/select/model_choice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/select/guessing.h"
#include "tests/refused.h"

namespace craton {
namespace {

// Rows about three points of a line.
Array three_groups(Index rows) {
  Array x{{rows, 2}, {}};
  Random random(5, Purpose::kTest);
  for (Index i = 0; i < rows; ++i) {
    x.values.push_back(10 * static_cast<double>(i % 3) + random.normal());
    x.values.push_back(random.normal());
  }
  return x;
}

ModelChoice choice_of(std::string_view name, const Array& x, const Sweep& sweep,
                      const std::string& criterion, int threads = 2) {
  const ModelInfo& model = find_model(name);
  MemorySource source({.x = x.view()});
  return choose_model(model, source, settings_of(model, sweep),
                      find_choice_criterion(model, criterion), {.threads = threads}, [](Index) {});
}

TEST_CASE("every criterion finds the groups that are there") {
  const Array x = three_groups(240);
  for (const char* by : {"", "bic", "icl", "held-out"}) {
    CAPTURE(by);
    CHECK(choice_of("gmm", x, {.values = {1, 2, 3, 4}}, by).chosen().setting.value == 3);
  }
  for (const char* by : {"", "silhouette", "calinski-harabasz", "davies-bouldin", "gap"}) {
    CAPTURE(by);
    CHECK(choice_of("kmeans", x, {.values = {2, 3, 4}}, by).chosen().setting.value == 3);
  }
}

TEST_CASE("a choice is the same on any number of threads") {
  const Array x = three_groups(300);
  const ModelChoice one = choice_of("gmm", x, {.values = {2, 3}}, "bic", 1),
                    many = choice_of("gmm", x, {.values = {2, 3}}, "bic", 4);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(one.fits[i].criteria.bic == many.fits[i].criteria.bic);
    CHECK(digest(one.fits[i].fitted) == digest(many.fits[i].fitted));
  }
}

TEST_CASE("the lowest BIC comes with the words for its distance to the next") {
  const ModelChoice choice = choice_of("gmm", three_groups(240), {.values = {2, 3}}, "bic");
  REQUIRE(choice.reasons.size() == 2);
  CHECK(choice.reasons[0].text.starts_with("the lowest BIC, "));
  CHECK(choice.reasons[0].text.ends_with(" below the next (2 full): very strong evidence"));
  CHECK(choice.reasons[1].advice == Reason::Advice::kTryMore);
}

TEST_CASE("words for a Bayes factor are those of Kass and Raftery") {
  CHECK(evidence(1.9) == "barely more than a tie");
  CHECK(evidence(2) == "positive evidence");
  CHECK(evidence(6) == "strong evidence");
  CHECK(evidence(10) == "very strong evidence");
}

TEST_CASE("settings that there are too few rows for are left out") {
  const ModelChoice choice = choice_of("gmm", three_groups(6), {.values = {1, 7, 8}}, "bic");
  CHECK(choice.impossible == std::vector<std::string>{"7 full", "8 full"});
  CHECK(choice.fits.size() == 1);
  const ModelChoice clusters = choice_of("kmeans", three_groups(6), {.values = {2, 7, 8}}, "");
  CHECK(clusters.impossible == std::vector<std::string>{"7", "8"});
  check_refused(
      [] {
        choice_of("gmm", three_groups(6), {.values = {7, 8}}, "bic");
      },
      Code::kTooFewRows, -1, "");
}

TEST_CASE("a criterion goes with what is chosen") {
  const Array x = three_groups(30);
  check_refused([&] { choice_of("kmeans", x, {.values = {1}}, "silhouette"); }, Code::kBadOption,
                -1, "one cluster has no silhouette");
  check_refused([&] { choice_of("kmeans", x, {}, "bic"); }, Code::kBadOption, -1,
                "Give one of silhouette,");
  check_refused([&] { choice_of("quadratic-discriminant", x, {}, "icl"); }, Code::kBadOption, -1,
                "ICL has no use");
}

TEST_CASE("weights make the total weight, and rows do without them") {
  const double x[] = {1, 2, 3}, weights[] = {0.5, 2, 1};
  MemorySource plain({.x = Dense<double>{x, 3, 1, 1}});
  MemorySource weighted({.x = Dense<double>{x, 3, 1, 1}, .weights = weights});
  CHECK(total_weight(plain) == 3);
  CHECK(total_weight(weighted) == 3.5);
}

TEST_CASE("guessing gives the commonest label, and the shares of all") {
  const double x[] = {1, 2, 3, 4, 5};
  const std::int32_t labels[] = {1, 0, 1, -1, 1};
  Schema schema;
  schema.columns.resize(1);
  schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b"}};
  MemorySource source({.x = Dense<double>{x, 5, 1, 1}, .labels = labels}, schema);
  const std::optional<Guessing> guess = find_guessing(source, {});
  REQUIRE(guess);
  CHECK(guess->label == 1);
  CHECK(guess->accuracy == 0.75);
  CHECK(guess->log_loss == doctest::Approx(-0.75 * std::log(0.75) - 0.25 * std::log(0.25)));
  MemorySource unlabelled({.x = Dense<double>{x, 5, 1, 1}}, schema);
  CHECK(!find_guessing(unlabelled, {}));
}

TEST_CASE("clusters that fit worse than fewer are told, and no others") {
  const Array x = three_groups(120);
  MemorySource source({.x = x.view()});
  const ModelInfo& model = find_model("kmeans");
  Index fell = 0, never_fell = 0;
  for (Index seed = 0; seed < 12; ++seed) {
    const Sweep sweep{.values = {2, 3, 4, 5, 6},
                      .options = {{"n_init", Index{1}},
                                  {"max_iter", Index{1}},
                                  {"init", std::string("random")},
                                  {"random_state", seed}}};
    const ModelChoice choice =
        choose_model(model, source, settings_of(model, sweep), find_choice_criterion(model, ""),
                     {.threads = 1}, [](Index) {});
    double best = choice.fits[0].fitted.report.objective;
    bool worse = false;
    for (const SettingFit& fit : choice.fits) {
      const double own = fit.fitted.report.objective;
      worse = worse || own < best * (1 + 2e-3);  // sums of squares, negative
      best = std::max(best, own);
    }
    const bool told = std::ranges::any_of(choice.reasons, [](const Reason& reason) {
      return reason.advice == Reason::Advice::kMoreStarts;
    });
    CHECK(told == worse);
    ++(worse ? fell : never_fell);
  }
  CHECK(fell > 0);
  CHECK(never_fell > 0);
}

}  // namespace
}  // namespace craton
