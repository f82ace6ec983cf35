#include "craton/base/parameters.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/refused.h"

namespace craton {
namespace {

// One parameter of every type, one that is made for the visit, and a model within the model.
struct Nested {
  Array rates{{2}, {0.5, 0.25}};
  void visit_parameters(ParameterVisitor& v) const { v.doubles("rates", "of decay", rates); }
};
struct Model {
  Array means{{2, 3}, {1, 2, 3, 4, 5, 6}};
  std::vector<float> weights{0.5f, 0.25f};
  std::vector<std::int16_t> codes{-3, 300};
  std::vector<std::int32_t> counts{1 << 20};
  std::string word = "Größe";
  Nested inner;

  void visit_parameters(ParameterVisitor& v) const {
    v.doubles("means", "one a row", means);
    v.floats("weights", "", std::array<Index, 1>{2}, weights);
    v.int16s("codes", "", std::array<Index, 2>{1, 2}, codes);
    v.int32s("counts", "", std::array<Index, 1>{1}, counts);
    v.text("word", "in German", word);
    v.number("tol", "", 0.125);
    v.part("part.0", inner);
    v.part("part.1", inner);
    v.part("part.10", inner);
  }
};

constexpr std::array<Index, 1> kAny{-1};

}  // namespace

TEST_CASE("parameters are borrowed, but for what was made to be shown") {
  const Model model;
  const ParameterList all = ParameterList::of(model);
  CHECK(all.doubles("means", {2, 3}).values.data() == model.means.values.data());
  CHECK(all.floats("weights", kAny).data() == model.weights.data());
  CHECK(all.int16s("codes", std::array<Index, 2>{-1, 2}).data() == model.codes.data());
  CHECK(all.int32s("counts", kAny).data() == model.counts.data());
  CHECK(all.text("word").data() == model.word.data());
  CHECK(all.doubles("part.0.rates", {2}).values.data() == model.inner.rates.values.data());
  CHECK(all.number("tol") == 0.125);
  CHECK(all.all()[0].help == "one a row");
}

TEST_CASE("a part is the list of its own parameters") {
  const Model model;
  const ParameterList all = ParameterList::of(model), part = all.part("part.1");
  REQUIRE(part.all().size() == 1);  // and not that of part.10
  CHECK(part.doubles("rates", {-1}).values.data() == model.inner.rates.values.data());
  CHECK(all.part("part").all().size() == 3);
  CHECK(all.part("par").all().empty());
}

TEST_CASE("copies hold numbers as doubles, and texts") {
  const Model model;
  const std::vector<Parameter> copies = parameters_of(model);
  REQUIRE(copies.size() == 9);
  CHECK(copies[0].value == model.means);
  CHECK(copies[1].value == Array{{2}, {0.5, 0.25}});
  CHECK(copies[2].value == Array{{1, 2}, {-3, 300}});
  CHECK(copies[4].text == "Größe");
  CHECK(copies[8].name == "part.10.rates");
  CHECK(parameter_of(model, "part.1.rates")->value == model.inner.rates);
  CHECK_FALSE(parameter_of(model, "part.1").has_value());
}

TEST_CASE("the order that parameters were given in is kept") {
  const std::vector<Parameter> given{{"b", "", {{1}, {1}}}, {"a", "", {{1}, {2}}}};
  const ParameterList list(given);
  CHECK(list.all()[0].name == "b");
  CHECK(list.number("a") == 2);
  CHECK(copy_all(list) == given);
}

TEST_CASE("a parameter that is missing, or of another type or shape, is refused and named") {
  const Model model;
  const ParameterList all = ParameterList::of(model);
  const auto refused = [](const auto& f, std::string_view part) {
    check_refused(f, Code::kDamagedModel, -1, part);
  };
  refused([&] { all.doubles("mean", {2, 3}); }, "parameter 'mean' is missing");
  refused([&] { all.doubles("word", {-1}); }, "parameter 'word' has the wrong type");
  refused([&] { all.text("means"); }, "parameter 'means' has the wrong type");
  refused([&] { all.int32s("codes", kAny); }, "parameter 'codes' has the wrong type");
  refused([&] { all.doubles("means", {3, -1}); }, "parameter 'means' has the wrong shape");
  refused([&] { all.doubles("means", {-1}); }, "parameter 'means' has the wrong shape");
  refused([&] { all.number("means"); }, "parameter 'means' has the wrong shape");
}

}  // namespace craton
