#include "craton/draw/terminal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "craton/draw/text.h"
#include "tests/well_formed.h"

namespace craton::terminal_test {
namespace {

using tests::count_of;

Curve bic() {
  return {.x_name = "n_components",
          .y_name = "BIC",
          .series = {{"BIC", {1, 2, 3}, {2607.6, 2322.2, 2393.55}, 1, "lowest"}}};
}

Index widest_line(const std::string& text) {
  std::istringstream lines(text);
  Index widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, count_characters(line));
  }
  return widest;
}

TEST_CASE("a chart has a line a point, with the best marked") {
  CHECK(draw_terminal_curve(bic(), 44) ==
        "  n_components     BIC\n"
        "             1  2607.6  ···················●\n"
        "             2  2322.2  ● ← lowest\n"
        "             3  2393.6  ·····●\n");
}

TEST_CASE("no line is wider than asked") {
  Curve curve = bic();
  for (const Index best : {0, 1, 2}) {
    for (const char* label : {"", "a label that is by far too long for a narrow terminal"}) {
      curve.series[0].best = best;
      curve.series[0].best_label = label;
      for (int width = 40; width < 200; ++width) {
        CHECK(widest_line(draw_terminal_curve(curve, width)) <= width);
      }
    }
  }
}

TEST_CASE("nothing, constant and missing values are drawn") {
  CHECK(draw_terminal_curve({}, 80).empty());
  const std::string flat =
      draw_terminal_curve({.series = {{"", {0.5, 1.5}, {7, 7}}, {"empty", {}, {}}}}, 80);
  CHECK(count_of(flat, "●") == 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string missing = draw_terminal_curve({.series = {{"y", {1, 2}, {nan, 3}, 0}}}, 80);
  CHECK(count_of(missing, "●") == 1);
  CHECK(count_of(missing, "nan") == 0);
}

TEST_CASE("a long series is thinned out but keeps the best and the last") {
  Series series{"EM", {}, {}, 777, ""};
  for (int i = 0; i < 1000; ++i) series.x.push_back(i), series.y.push_back(i % 13);
  const std::string text = draw_terminal_curve({.series = {series}}, 80);
  CHECK(count_of(text, "\n") <= 35);
  CHECK(count_of(text, "  777  ") == 1);
  CHECK(count_of(text, "  999  ") == 1);
  CHECK(count_of(text, "of 1,000 points") == 1);
}

TEST_CASE("names cannot send commands to the terminal") {
  Curve curve = bic();
  curve.title = curve.x_name = curve.series[0].name = curve.series[0].best_label = "\x1b[2J";
  CHECK(count_of(draw_terminal_curve(curve, 80), "\x1b") == 0);
}

}  // namespace
}  // namespace craton::terminal_test
