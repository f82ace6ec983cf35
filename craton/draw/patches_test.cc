#include <doctest/doctest.h>

#include "craton/draw/palette.h"
#include "craton/draw/scatter.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::patches_test {
namespace {

using tests::read_marks;
using tests::read_svg;

Scatter words() {
  return {.title = "t",
          .x_name = "kind",
          .y_name = "place",
          .x = {0, 1, 1, 1},
          .y = {0, 0, 1, 1},
          .x_names = {"a <b>", "c"},
          .y_names = {"cliff", "shore"},
          .patches = {{-0.5, 0.5, -0.5, 0.5, shade(1), "first", "12"},
                      {0.5, 1.5, -0.5, 0.5, shade(0), "second", "3"}}};
}

TEST_CASE("patches lie beside each other, and tell what they are") {
  const std::string svg = draw_scatter(words());
  CHECK(tests::xml_problem(svg) == "");
  const auto patches = read_marks(svg, "rect");
  REQUIRE(patches.size() == 2);
  CHECK(patches[0].told == "first");
  CHECK(patches[1].number("x") ==
        doctest::Approx(patches[0].number("x") + patches[0].number("width")).epsilon(1e-4));
  CHECK(patches[0].number("y") == patches[1].number("y"));
  for (const char* text : {">12<", ">3<", ">a &lt;b&gt;<", ">c<", ">shore<"}) {
    CAPTURE(text);
    CHECK(tests::count_of(svg, text) == 1);
  }
  CHECK(tests::count_of(svg, "fill=\"#ffffff\">12<") +
            tests::count_of(svg, "fill=\"#ffffff\" x=") ==
        1);  // white on dark
}

TEST_CASE("points that share a place lie beside each other within it, and tell it") {
  const auto points = read_marks(draw_scatter(words()), "circle");
  REQUIRE(points.size() == 4);
  CHECK(points[2].told == "kind c, place shore");
  CHECK(points[2].number("cx") != points[3].number("cx"));
  const auto patches = read_marks(draw_scatter(words()), "rect");
  CHECK(points[1].number("cx") > patches[1].number("x"));
  CHECK(points[1].number("cx") < patches[1].number("x") + patches[1].number("width"));
}

TEST_CASE("many long words below an axis are aslant, thinned out, and told in full") {
  Scatter many{.x = {}, .y = {}};
  for (int i = 0; i < 500; ++i) {
    many.x.push_back(i);
    many.y.push_back(0);
    many.x_names.push_back("a category with a long name " + std::to_string(i));
  }
  const std::string svg = draw_scatter(many);
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.find("<title>a category with a long name 0</title>") != svg.npos);
  CHECK(tests::count_of(svg, "rotate(-35") > 10);
  CHECK(tests::count_of(svg, "rotate(-35") < 60);
}

TEST_CASE("shades go from light to dark") {
  CHECK(!is_dark(shade(0)));
  CHECK(is_dark(shade(1)));
  CHECK(shade(7) == shade(1));
  CHECK(lightened("#000000", 1) == "#ffffff");
}

}  // namespace
}  // namespace craton::patches_test
