#include "craton/report/pictures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/select/sweep.h"
#include "tests/well_formed.h"

// Every model, those to come among them, has pictures of numbers, of counts and of words, in one
// column, in two and in many; or says why it does not take them.

namespace craton::every_model_test {
namespace {

enum class Kind { kNumbers, kCounts, kWords };

constexpr Kind kKinds[] = {Kind::kNumbers, Kind::kCounts, Kind::kWords};
constexpr Index kWidths[] = {1, 2, 5};

// Rows of two groups, by columns of one kind.
struct Rows {
  Rows(const ModelInfo& model, Kind kind, Index columns) : x{{60, columns}, {}} {
    for (Index j = 0; j < columns; ++j) {
      Column column{"column " + std::to_string(j)};
      if (kind == Kind::kWords) {
        column.kind = ColumnKind::kCategory;
        column.levels = {"cliff", "shore", "wood <&>"};
      }
      schema.columns.push_back(column);
    }
    for (std::size_t i = 0; i < 60; ++i) {
      Random random(6, Purpose::kTest, 0, i);
      const auto group = static_cast<double>(i % 2);
      labels.push_back(static_cast<std::int32_t>(i % 2));
      for (Index j = 0; j < columns; ++j) {
        const double number = random.normal() + 2 * group + 3;
        x.values.push_back(kind == Kind::kNumbers  ? number
                           : kind == Kind::kCounts ? std::floor(std::abs(number))
                                                   : static_cast<double>((i * i + i / 7) % 3));
      }
      targets.push_back(x.values[x.values.size() - usize(columns)] + random.normal());
    }
    if (model.target == TargetKind::kNumber) schema.target = Column{"weight"};
    if (model.target == TargetKind::kLabels || model.target == TargetKind::kSomeLabels) {
      schema.target = Column{"kind", ColumnKind::kCategory, {"auk", "tern"}};
    }
  }
  MemorySource source() const {
    return MemorySource(
        {.x = x.view(),
         .labels = std::span(labels).first(schema.labelled() ? labels.size() : 0),
         .targets = std::span(targets).first(schema.number_target() ? targets.size() : 0)},
        schema, "rows.csv");
  }

  Schema schema = {};
  Array x;
  std::vector<std::int32_t> labels = {};
  std::vector<double> targets = {};
};

// Groups are as many as there are.
std::vector<NamedOption> options_of(const ModelInfo& model) {
  std::vector<NamedOption> options;
  if (model.abilities.labels) return options;
  for (const char* const count : {"n_clusters", "n_components"}) {
    if (has_option(model, count)) options.emplace_back(count, Index{2});
  }
  return options;
}

// What there is of a fit, by name.
std::vector<std::pair<std::string, std::string>> draw_all(const Fitted& fitted, Source& x) {
  std::vector<std::pair<std::string, std::string>> drawn;
  for (const Picture& picture : pictures()) {
    if (!picture.able(fitted)) continue;
    try {
      drawn.emplace_back(picture.name, draw_picture(picture.name, fitted, &x, {}, {}));
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).size() > 20);  // why there is none
    }
  }
  return drawn;
}

template <class Law>
void for_every_picture(const Law& law) {
  for (const ModelInfo& model : models()) {
    const std::string name(model.name);
    CAPTURE(name);
    for (const Kind kind : kKinds) {
      if (kind == Kind::kWords && !model.abilities.categories) continue;
      for (const Index columns : kWidths) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(columns);
        const Rows rows(model, kind, columns);
        MemorySource x = rows.source();
        try {
          const Fitted fitted = model.fit(x, options_of(model), {});
          law(model, kind, columns, draw_all(fitted, x));
        } catch (const InputError& error) {
          // Such rows are not taken: of counts no number, of codes no word, ...
          CHECK(std::string(error.what()).size() > 20);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("every model has pictures of numbers, counts and words, that tell what they show") {
  for_every_picture([&](const ModelInfo&, Kind, Index, const auto& drawn) {
    CHECK_FALSE(drawn.empty());
    CHECK(std::ranges::count(drawn, std::string("fit"), [](const auto& d) { return d.first; }) ==
          1);
    for (const auto& [picture, svg] : drawn) {
      CAPTURE(picture);
      CHECK(tests::xml_problem(svg) == "");
      CHECK(svg.find("<title>") != svg.npos);
      CHECK(svg.size() < 600'000);
    }
  });
}

TEST_CASE("no picture of words or of counts has a curve") {
  for_every_picture([&](const ModelInfo& model, Kind kind, Index columns, const auto& drawn) {
    if (kind != Kind::kWords || columns > 1 || model.abilities.predict_numbers) return;
    for (const auto& [picture, svg] : drawn) {
      if (picture != "fit" && picture != "columns") continue;
      CAPTURE(picture);
      CHECK(svg.find("stroke-linejoin") == svg.npos);
      CHECK(svg.find(">wood &lt;&amp;&gt;<") != svg.npos);
    }
  });
}

}  // namespace craton::every_model_test
