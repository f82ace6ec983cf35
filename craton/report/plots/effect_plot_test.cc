#include "craton/report/plots/effect_plot.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/draw/text.h"
#include "craton/report/pictures.h"
#include "craton/report/plots/marks.h"
#include "tests/birds.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::effect_plot_test {
namespace {

using tests::Birds;
using tests::read_marks;

TEST_CASE("along words a regression has a point each, at what it predicts there") {
  const Birds birds;
  Table of = birds.some({1, 3});
  MemorySource x = birds.numbered(of);
  const Fitted fitted = find_model("linear").fit(x, {}, {});
  const std::string svg = draw_picture("columns", fitted, &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  const DrawnRows rows = read_drawn_rows(x, {});
  const std::vector<double> middle = middle_of(rows);
  const std::vector<double> at =
      numbers(fitted, rows_along(fitted, middle, {.column = 1, .at = {0, 1, 2}}), {});
  const auto points = read_marks(svg, "circle");
  REQUIRE(points.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(points[i].told.ends_with(" " + rounded(at[i])));
  }
  CHECK(points[0].number("cy") - points[1].number("cy") ==
        doctest::Approx((points[0].number("cy") - points[2].number("cy")) * (at[1] - at[0]) /
                        (at[2] - at[0]))
            .epsilon(0.02));
}

TEST_CASE("every column of a classifier has its picture, those that change most first") {
  const Birds birds;
  Table of = birds.some({0, 1, 2, 3});
  MemorySource x = birds.labelled(of);
  const std::string svg = draw_picture("columns", find_model("nb").fit(x, {}, {}), &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(tests::count_of(svg, "viewBox=\"0 0 480 320\"") == 4);
  CHECK(svg.find(">length<") < svg.find(">noise<"));
  CHECK(svg.find(">noise<") != svg.npos);
  CHECK(svg.find("birds.csv: kind along each column, the others at their middle") != svg.npos);
}

TEST_CASE("of very many columns nine are drawn, and it is said of how many") {
  Table wide{.schema = numbered_schema(10'000), .x = Array{{30, 10'000}, {}}};
  std::vector<std::int32_t> labels;
  wide.schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b"}};
  for (Index i = 0; i < 30; ++i) {
    labels.push_back(static_cast<std::int32_t>(i % 2));
    for (Index j = 0; j < 10'000; ++j)
      wide.x.values.push_back(static_cast<double>((i * 7919 + j * 104729) % 101));
  }
  MemorySource x({.x = wide.x.view(), .labels = labels}, wide.schema);
  const std::string svg =
      draw_picture("columns", find_model("gaussian-nb").fit(x, {}, {}), &x, {}, {});
  CHECK(svg.find("(9 of 10,000)") != svg.npos);
}

TEST_CASE("a density has the curve of each column") {
  const Birds birds;
  Table of = birds.some({0, 1, 2});
  MemorySource x = Birds::plain(of);
  const std::string svg = draw_picture("columns", find_model("density").fit(x, {}, {}), &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.find("birds.csv: density along each column") != svg.npos);
}

}  // namespace
}  // namespace craton::effect_plot_test
