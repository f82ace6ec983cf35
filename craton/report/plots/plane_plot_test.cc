#include "craton/report/plots/plane_plot.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/random.h"
#include "craton/draw/contours.h"
#include "craton/draw/text.h"
#include "craton/report/plots/column_choice.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::plane_plot_test {
namespace {

using tests::read_marks;
using tests::SvgElement;

// Two kinds of rows: columns of noise, of numbers and of words that tell the kinds apart.
struct Birds {
  Birds() {
    table.schema.columns = {{"noise"}, {"length"}, {"eggs"}, {"place"}};
    table.schema.columns[3] = {"place", ColumnKind::kCategory, {"cliff", "shore", "wood"}};
    table.schema.target = Column{"kind", ColumnKind::kCategory, {"auk", "tern"}};
    for (std::size_t i = 0; i < 200; ++i) {
      Random random(4, Purpose::kTest, 0, i);
      const int kind = static_cast<int>(i % 2);
      labels.push_back(kind);
      const double eggs = std::floor(std::abs(random.normal()) * (1 + 2 * kind));
      const double place = i % 7 < 5 ? kind : 2;
      for (const double v : {random.normal(), random.normal() + 4 * kind, eggs, place})
        table.x.values.push_back(v);
    }
    table.x.shape = {200, 4};
  }
  MemorySource source() const {
    return MemorySource({.x = table.x.view(), .labels = labels}, table.schema);
  }

  Table table = {};
  std::vector<std::int32_t> labels = {};
};

TEST_CASE("the two columns that tell the labels apart are found, and others by name") {
  const Birds birds;
  MemorySource x = birds.source();
  const DrawnRows rows = read_drawn_rows(x, {});
  const PlotColumns found = telling_columns(rows, rows.labels);
  CHECK(found.across == 1);
  CHECK(found.up == 3);
  CHECK(by_what_they_tell(rows, rows.labels).back() == 0);
  CHECK(telling_columns(rows, {}).across == 0);  // nothing to tell
  const Fitted fitted = find_model("nb").fit(x, {}, {});
  const std::string svg = plot_fit(fitted, x, {}, 0, {});
  CHECK(svg.find(">length<") != svg.npos);
  CHECK(svg.find(">place<") != svg.npos);
  CHECK(svg.find("noise at ") != svg.npos);  // the others
  CHECK(svg.find("eggs at ") != svg.npos);
  CHECK(plot_fit(fitted, x, {0, 2}, 0, {}).find(">noise<") != svg.npos);
}

TEST_CASE("the ground has the probabilities of the model") {
  const Birds birds;
  MemorySource x = birds.source();
  for (const char* model : {"nb", "logistic", "generative"}) {
    CAPTURE(model);
    const Fitted fitted = find_model(model).fit(x, {}, {});
    const DrawnRows rows = read_drawn_rows(x, {});
    const std::vector<double> middle = middle_of(rows);
    // Words across and up: a patch each, whose label and probability are told.
    Table at = rows_along(fitted, middle, {.column = 3, .at = {0, 1, 2}});
    const std::vector<double> p = probabilities(fitted, at, {});
    Scatter picture;
    add_ground(picture, fitted, rows, {3, 1}, {});
    CHECK(picture.subtitle.find("noise at ") != std::string::npos);
    // Numbers: what is told of each patch holds for what lies in it.
    std::size_t checked = 0;
    for (const Patch& patch : picture.patches) {
      const double place = std::midpoint(patch.x1, patch.x2),
                   length = std::midpoint(patch.y1, patch.y2);
      std::vector<double> row = middle;
      row[1] = length;
      const std::vector<double> own =
          probabilities(fitted, rows_along(fitted, row, {.column = 3, .at = {place}}), {});
      const bool auk = own[0] > own[1];
      const double told = std::strtod(patch.told.c_str() + patch.told.find(" "), nullptr);
      if (std::abs(own[0] - own[1]) < 0.1) continue;
      CHECK(patch.told.starts_with(auk ? "auk " : "tern "));
      CHECK(told == doctest::Approx(std::max(own[0], own[1])).epsilon(0.05));
      ++checked;
    }
    CHECK(checked > 90);  // 3 words x 48 places
  }
}

TEST_CASE("a density of words and words is told in each patch, and they add to one") {
  Birds birds;
  birds.table.schema.columns[2] = {
      "eggs", ColumnKind::kCategory, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}};
  Table words{.schema = {{birds.table.schema.columns[2], birds.table.schema.columns[3]}},
              .x = Array{{200, 2}, {}}};
  for (Index i = 0; i < 200; ++i) {
    words.x.values.push_back(birds.table.x.view().row(i)[2]);
    words.x.values.push_back(birds.table.x.view().row(i)[3]);
  }
  MemorySource x = words.source();
  const Fitted fitted = find_model("histogram").fit(x, {}, {});
  Scatter picture;
  add_ground(picture, fitted, read_drawn_rows(x, {}), {0, 1}, {});
  double sum = 0;
  for (const Patch& patch : picture.patches) {
    sum += std::strtod(patch.told.c_str() + patch.told.rfind(' '), nullptr);
  }
  CHECK(sum == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("a model with labels alone has them on the ground, one patch where they are alike") {
  const Birds birds;
  Table numbers{.schema = numbered_schema(2), .x = Array{{200, 2}, {}}};
  for (Index i = 0; i < 200; ++i) {
    numbers.x.values.push_back(birds.table.x.view().row(i)[0]);
    numbers.x.values.push_back(birds.table.x.view().row(i)[1]);
  }
  MemorySource x = numbers.source();
  const std::vector<NamedOption> two{{"n_clusters", Index{2}}};
  const Fitted fitted = find_model("kmeans").fit(x, two, {});
  const std::string svg = plot_fit(fitted, x, {}, 0, {});
  CHECK(tests::xml_problem(svg) == "");
  std::vector<std::string> told;
  for (const SvgElement& area : read_marks(svg, "path")) told.push_back(area.told);
  CHECK(std::ranges::count(told, "cluster 0 1") == 1);
  CHECK(std::ranges::count(told, "cluster 1 1") == 1);
}

TEST_CASE("hostile names are text, and long ones are kept") {
  Birds birds;
  const std::string name = "</text><script>alert(1)</script>&\"' a very long name of a column";
  birds.table.schema.columns[1].name = name;
  birds.table.schema.columns[3].levels[1] = name;
  birds.table.schema.target->levels[0] = name;
  MemorySource x = birds.source();
  const Fitted fitted = find_model("nb").fit(x, {}, {});
  const std::string svg = plot_fit(fitted, x, {1, 3}, 0, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.find("<script") == svg.npos);
  CHECK(svg.find("a very long name of a column") != svg.npos);
}

TEST_CASE("500 labels and 10 000 columns are a picture, and not a large one") {
  Table wide{.schema = numbered_schema(10'000), .x = Array{{500, 10'000}, {}}};
  std::vector<std::int32_t> labels;
  wide.schema.target = Column{"kind", ColumnKind::kCategory, {}};
  for (std::size_t i = 0; i < 500; ++i) {
    Random random(5, Purpose::kTest, 0, i);
    labels.push_back(static_cast<std::int32_t>(i));
    wide.schema.target->levels.push_back("label " + std::to_string(i));
    for (int j = 0; j < 10'000; ++j) wide.x.values.push_back(j < 20 ? random.normal() : j % 3);
  }
  MemorySource x({.x = wide.x.view(), .labels = labels}, wide.schema);
  const Fitted fitted = find_model("nearest-centroid").fit(x, {}, {});
  const std::string svg = plot_fit(fitted, x, {}, 0, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.size() < 1'500'000);
  CHECK(svg.find("more columns at their middle") != svg.npos);
}

}  // namespace
}  // namespace craton::plane_plot_test
