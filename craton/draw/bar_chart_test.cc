#include "craton/draw/bar_chart.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/well_formed.h"

namespace craton::bar_chart_test {
namespace {

using tests::count_of;
using tests::xml_problem;

std::string draw(const BarChart& chart) {
  const std::string text = draw_bar_chart(chart);
  CHECK(xml_problem(text) == "");
  CHECK(count_of(text, "nan") == 0);
  return text;
}

// The attribute of the i-th bar.
double number_of(const std::string& text, std::string_view attribute, int i) {
  std::size_t at = text.find("<rect", text.find("<rect") + 1);  // behind the picture's ground
  for (; i > 0; --i) at = text.find("<rect", at + 1);
  at = text.find(" " + std::string(attribute) + "=\"", at) + attribute.size() + 3;
  return std::stod(text.substr(at));
}

BarChart two() {
  return {.title = "words",
          .panels = {{"cats & dogs", {{"purr", 4}, {"<bark>", 2}}}, {"stars", {{"shine", 1}}}}};
}

TEST_CASE("bar chart: every panel has its title, and every bar its name and value") {
  const std::string text = draw(two());
  for (const char* part : {">cats &amp; dogs<", ">stars<", ">purr<", ">&lt;bark&gt;<", ">shine<",
                           ">4<", ">2<", ">1<"}) {
    CAPTURE(part);
    CHECK(count_of(text, part) == 1);
  }
  CHECK(count_of(text, ">words<") == 2);  // one is for screen readers
}

TEST_CASE("bar chart: all panels share one scale") {
  const std::string text = draw(two());
  CHECK(number_of(text, "width", 0) == 2 * number_of(text, "width", 1));
  CHECK(number_of(text, "width", 0) == 4 * number_of(text, "width", 2));
}

TEST_CASE(
    "bar chart: a value below 0 points to the left, and one that is not finite is a name alone") {
  BarChart chart = two();
  chart.panels[0].bars[1].value = -2;
  const std::string text = draw(chart);
  CHECK(number_of(text, "x", 1) + number_of(text, "width", 1) ==
        doctest::Approx(number_of(text, "x", 0)));
  CHECK(count_of(text, ">-2<") == 1);
  chart.panels[0].bars[0].value = std::numeric_limits<double>::quiet_NaN();
  CHECK(count_of(draw(chart), ">purr<") == 1);
  CHECK(count_of(draw(chart), "<rect") == count_of(text, "<rect") - 1);
}

TEST_CASE("bar chart: many panels are four across, and long names are kept") {
  BarChart chart;
  const std::string name = "Donaudampfschifffahrtsgesellschaft";
  for (int i = 0; i < 20; ++i) chart.panels.push_back({std::to_string(i), {{name, 1.0 + i}}});
  const std::string text = draw(chart);
  CHECK(count_of(text, ">" + name + "<") == 20);
  CHECK(number_of(text, "x", 4) == number_of(text, "x", 0));
  CHECK(number_of(text, "y", 3) == number_of(text, "y", 0));
  CHECK(number_of(text, "y", 4) > number_of(text, "y", 0));
}

TEST_CASE("bar chart: no panel, an empty one, and bars of 0 are pictures too") {
  draw({});
  draw({.panels = {{"none", {}}}});
  draw({.panels = {{"zero", {{"a", 0}}}}});
}

}  // namespace
}  // namespace craton::bar_chart_test
