#include "craton/draw/scatter.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/well_formed.h"

namespace craton::scatter_test {
namespace {

using tests::count_of;
using tests::xml_problem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Every picture is well-formed and has no number that is none.
std::string draw(const Scatter& scatter) {
  const std::string text = draw_scatter(scatter);
  CHECK(xml_problem(text) == "");
  CHECK(count_of(text, "nan") == 0);
  CHECK(count_of(text, "inf") == 0);
  return text;
}

Scatter three_points() {
  return {.title = "t", .x_name = "a", .y_name = "b", .x = {1, 2, 3}, .y = {1, 4, 9}};
}

TEST_CASE("each point is one mark") { CHECK(count_of(draw(three_points()), "<circle") == 3); }

TEST_CASE("the same data give the same bytes") {
  CHECK(draw_scatter(three_points()) == draw_scatter(three_points()));
}

TEST_CASE("nothing, one point and constant data are drawn") {
  draw({});
  draw({.x = {5}, .y = {-7}});
  draw({.x = {1, 1, 1}, .y = {0, 0, 0}});
  draw({.x = {1e-6, 2e-6}, .y = {1e6, 3e6}});
  draw({.x = {-1e300, 1e300}, .y = {1e-310, 0}});
}

TEST_CASE("a band lies below the points, and has no place for numbers that are none") {
  Scatter scatter = three_points();
  scatter.bands = {{.x = {1, 2, 3}, .low = {0, 3, 8}, .high = {2, 5, 10}}};
  const std::string text = draw(scatter);
  CHECK(count_of(text, "fill-opacity=\"0.12\"") == 1);
  CHECK(text.find("fill-opacity=\"0.12\"") < text.find("<circle"));
  scatter.bands.push_back({.x = {1, kNaN, 3}, .low = {kNaN, 0, 0}, .high = {1, 1, kInf}});
  CHECK(count_of(draw(scatter), "fill-opacity=\"0.12\"") == 1);
}

TEST_CASE("points that are not finite are left out and said") {
  Scatter scatter = three_points();
  scatter.x[0] = kNaN;
  scatter.y[1] = kInf;
  const std::string text = draw_scatter(scatter);
  CHECK(xml_problem(text) == "");
  CHECK(count_of(text, "<circle") == 1);
  CHECK(count_of(text, "2 left out: not finite") == 1);
  CHECK(count_of(text, "nan") == 0);
}

TEST_CASE("of many points an even choice is drawn and said") {
  Scatter scatter{.subtitle = std::string(500, 'w')};
  for (int i = 0; i < 30000; ++i) {
    scatter.x.push_back(i);
    scatter.y.push_back(i % 7);
  }
  const std::string text = draw(scatter);
  CHECK(count_of(text, "<circle") == 4000);
  CHECK(count_of(text, "4,000 of 30,000 points drawn") == 1);
}

TEST_CASE("labels are data") {
  Scatter scatter = three_points();
  const std::string evil = "</svg><script>alert(1)</script>\xff\x01";
  scatter.title = scatter.subtitle = scatter.x_name = scatter.y_name = evil;
  scatter.legend = {evil};
  CHECK(count_of(draw(scatter), "<script") == 0);
}

TEST_CASE("groups have a colour, a legend, and another mark once colours repeat") {
  Scatter scatter = three_points();
  scatter.group = {0, 8, -1};
  scatter.legend = {"zero"};
  const std::string text = draw(scatter);
  CHECK(count_of(text, ">zero<") == 1);
  CHECK(count_of(text, ">group 8<") == 1);
  CHECK(count_of(text, ">no group<") == 1);
  CHECK(count_of(text, "<circle") == 4);   // two points, two entries
  CHECK(count_of(text, "<path d=") == 2);  // a triangle, and its entry
}

TEST_CASE("a long legend is cut and says so") {
  Scatter scatter = three_points();
  for (int g = 0; g < 40; ++g) scatter.legend.push_back("g" + std::to_string(g));
  CHECK(count_of(draw(scatter), "and 25 more") == 1);
}

TEST_CASE("ellipses and centres are drawn, and skipped when they are not finite") {
  Scatter scatter = three_points();
  scatter.ellipses = {{2, 4, 1, 0.5, 0.3, 0, 0.5},
                      {kNaN, 4, 1, 1, 0, 0, 1},
                      {2, 4, -1, 1, 0, 0, 1},
                      {2, 4, 1, 1, kInf, 0, 1},
                      {2, 4, 1, 1, 0, 0, kNaN}};
  scatter.centres = {{2, 4, 0}, {kNaN, 0, 0}};
  const std::string text = draw(scatter);
  CHECK(count_of(text, "C") == 2 * 4);
  CHECK(count_of(text, "#111111") == 1);
}

TEST_CASE("a huge ellipse does not shrink the data to a dot") {
  Scatter scatter = three_points();
  scatter.ellipses = {{2, 4, 1e6, 1e6, 0, 0, 1}};
  CHECK(count_of(draw(scatter), "10\u2076") == 0);
  scatter.x = {0, 1e-12, 2e-12};
  scatter.ellipses[0].radius_1 = 1e300;
  draw(scatter);
}

TEST_CASE("sizes change the marks") {
  Scatter scatter = three_points();
  scatter.size = {1, 4, kNaN};
  const std::string text = draw(scatter);
  CHECK(count_of(text, "r=\"9\"") == 1);
  CHECK(count_of(text, "r=\"4.5\"") == 1);
  CHECK(count_of(text, "r=\"0\"") == 1);
}

}  // namespace
}  // namespace craton::scatter_test
