#include "craton/draw/stacked_bars.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/draw/palette.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::stacked_bars_test {
namespace {

using tests::read_marks;
using tests::xml_problem;

StackedBars example() {
  return {.title = "t",
          .x_name = "share",
          .names = {"cliff", "<shore>"},
          .parts = {{0.1, 0.3}, {0.4, 0.2}},
          .marks = {0.25, 0.75},
          .mark_name = "rows",
          .legend = {"a", "b"}};
}

TEST_CASE("stacked bars: parts lie end to end, as long as their values, and tell them") {
  const std::string svg = draw_stacked_bars(example());
  CHECK(xml_problem(svg) == "");
  const auto bars = read_marks(svg, "rect");
  REQUIRE(bars.size() == 4);  // of a, then of b
  CHECK(bars[0].told == "cliff, a: 0.1");
  CHECK(bars[3].told == "&lt;shore&gt;, b: 0.2");
  const double unit = bars[0].number("width") / 0.1;
  CHECK(bars[1].number("width") == doctest::Approx(0.3 * unit).epsilon(1e-3));
  CHECK(bars[2].number("x") ==
        doctest::Approx(bars[0].number("x") + bars[0].number("width")).epsilon(1e-4));
  CHECK(bars[0].number("y") < bars[1].number("y"));  // from the top
  const auto marks = read_marks(svg, "line");
  REQUIRE(marks.size() == 2);
  CHECK(marks[1].number("x1") - bars[1].number("x") == doctest::Approx(0.75 * unit).epsilon(1e-3));
  CHECK(marks[0].told == "cliff, rows: 0.25");
}

TEST_CASE("stacked bars: grouped ones all begin at 0, one below the other") {
  StackedBars chart = example();
  chart.grouped = true;
  const auto bars = read_marks(draw_stacked_bars(chart), "rect");
  REQUIRE(bars.size() == 4);
  CHECK(bars[2].number("x") == bars[0].number("x"));
  CHECK(bars[2].number("y") ==
        doctest::Approx(bars[0].number("y") + bars[0].number("height")).epsilon(1e-3));
}

TEST_CASE("stacked bars: of 500 names the longest are drawn, and the others as one") {
  StackedBars chart{.title = "t", .parts = {{}}};
  for (int i = 0; i < 500; ++i) {
    chart.names.push_back("level " + std::to_string(i));
    chart.parts[0].push_back(i == 321 ? 0.5 : 0.5 / 499);
  }
  const std::string svg = draw_stacked_bars(chart);
  const auto bars = read_marks(svg, "rect");
  REQUIRE(bars.size() == 24);
  CHECK(bars[22].told == "level 321: 0.5");
  CHECK(bars[23].told == "477 others: 0.478");
  CHECK(svg.find("the 23 with the longest bars of 500") != svg.npos);
}

TEST_CASE("stacked bars: nothing, and what is no number, can be drawn") {
  CHECK(xml_problem(draw_stacked_bars({})) == "");
  StackedBars chart = example();
  chart.parts[0][0] = NAN;
  chart.marks[0] = INFINITY;
  CHECK(read_marks(draw_stacked_bars(chart), "rect").size() == 3);
}

TEST_CASE("areas of 24 groups are told apart") {
  std::vector<std::string> fills;
  for (int g = 0; g < 24; ++g) fills.push_back(group_fill(g));
  std::ranges::sort(fills);
  CHECK(std::ranges::unique(fills).empty());
}

}  // namespace
}  // namespace craton::stacked_bars_test
