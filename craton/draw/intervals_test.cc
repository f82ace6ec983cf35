#include "craton/draw/intervals.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/well_formed.h"

namespace craton::intervals_test {
namespace {

using tests::count_of;
using tests::xml_problem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string draw(const Intervals& intervals) {
  const std::string text = draw_intervals(intervals);
  CHECK(xml_problem(text) == "");
  CHECK(count_of(text, "nan") == 0);
  return text;
}

Intervals two() {
  return {.title = "coefficients",
          .x_name = "change",
          .intervals = {{"age", 2, 1, 3}, {"height <cm>", 0.5, -0.5, 1.5}}};
}

TEST_CASE("every estimate has a name, a mark and a bar") {
  const std::string text = draw(two());
  CHECK(count_of(text, ">age<") == 1);
  CHECK(count_of(text, ">height &lt;cm&gt;<") == 1);
  CHECK(count_of(text, "<circle") == 2);
  CHECK(text.find(">age<") > text.find(">height"));  // drawn from below: age is at the top
}

TEST_CASE("an interval that leaves out the neutral value stands out") {
  Intervals intervals = two();
  const std::string both = draw(intervals);
  intervals.intervals[1].low = 0.1;
  CHECK(draw(intervals) != both);
  intervals.neutral = 2;  // now the first holds it, and the second does not
  CHECK(count_of(draw(intervals), "stroke-dasharray") == 1);
}

TEST_CASE("an estimate without an interval is a mark, and one that is not finite only a name") {
  Intervals intervals = two();
  const int lines = count_of(draw(intervals), "stroke-width=\"2\"");
  intervals.intervals[0].low = kNaN;
  const std::string text = draw(intervals);
  CHECK(count_of(text, "<circle") == 2);
  CHECK(count_of(text, "stroke-width=\"2\"") == lines - 3);
  intervals.intervals[0].estimate = std::numeric_limits<double>::infinity();
  CHECK(count_of(draw(intervals), "<circle") == 1);
  CHECK(count_of(draw(intervals), ">age<") == 1);
}

TEST_CASE("of very many the most telling are drawn, and the subtitle says so") {
  Intervals intervals = two();
  for (int i = 0; i < 100; ++i) intervals.intervals.push_back({"x" + std::to_string(i), 0, -1, 1});
  const std::string text = draw(intervals);
  CHECK(count_of(text, "<circle") == 40);
  CHECK(count_of(text, ">age<") == 1);
  CHECK(count_of(text, "40 of 102 are drawn") == 1);
}

TEST_CASE("no estimates, and one, are pictures too") {
  CHECK(count_of(draw({}), "<circle") == 0);
  CHECK(count_of(draw({.intervals = {{"only", 0, 0, 0}}}), "<circle") == 1);
}

}  // namespace
}  // namespace craton::intervals_test
