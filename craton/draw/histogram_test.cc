#include "craton/draw/histogram.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/well_formed.h"

namespace craton {
namespace {

using tests::count_of;
using tests::xml_problem;

Histogram example() {
  Histogram h{.title = "t", .subtitle = "s", .x_name = "a < b"};
  for (int i = 0; i < 100; ++i) h.x.push_back(i % 10);
  h.group.assign(100, 0);
  h.legend = {"component 0"};
  h.curves = {{{0, 5, 9}, {0, 0.2, 0}, 0}, {{0, 9}, {0.1, 0.1}, -1}};
  return h;
}

}  // namespace

TEST_CASE("a histogram has bars, curves and a rug") {
  const std::string svg = draw_histogram(example());
  CHECK(xml_problem(svg) == "");
  CHECK(count_of(svg, "<rect") == 1 + 10);  // the page, and a bar for each value
  CHECK(svg.find(">density<") != svg.npos);
  CHECK(svg.find(">component 0<") != svg.npos);
  CHECK(svg.find("a &lt; b") != svg.npos);
}

TEST_CASE("values that are not finite are left out of a histogram") {
  Histogram h = example();
  h.x[3] = NAN;
  h.x[4] = INFINITY;
  CHECK(xml_problem(draw_histogram(h)) == "");
}

TEST_CASE("a histogram of nothing, of one value and of equal values can be drawn") {
  CHECK(xml_problem(draw_histogram({})) == "");
  CHECK(xml_problem(draw_histogram({.x = {3}})) == "");
  CHECK(xml_problem(draw_histogram({.x = {3, 3, 3}, .centres = {{3, 0}}})) == "");
}

TEST_CASE("a histogram counts weights") {
  Histogram h{.x = {0, 9}, .weight = {0, 1}};
  CHECK(count_of(draw_histogram(h), "<rect") == 1 + 1);
}

}  // namespace craton
