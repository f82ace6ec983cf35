#include "craton/draw/curve.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/well_formed.h"

namespace craton {
namespace {

using tests::count_of;
using tests::xml_problem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string draw(const Curve& curve) {
  const std::string text = draw_curve(curve);
  CHECK(xml_problem(text) == "");
  CHECK(count_of(text, "nan") == 0);
  return text;
}

Curve bic() {
  return {.title = "choice",
          .x_name = "n_components",
          .y_name = "BIC",
          .series = {{"BIC", {1, 2, 3, 4}, {2607.6, 2322.2, 2333.7, 2361.3}, 1, "lowest: 2"}}};
}

TEST_CASE("a curve has a line, a mark a point, and the best marked") {
  const std::string text = draw(bic());
  CHECK(count_of(text, "<path") == 1);
  CHECK(count_of(text, "<circle") == 4 + 1);
  CHECK(count_of(text, ">lowest: 2<") == 1);
}

TEST_CASE("whole numbers on the x axis have whole ticks") {
  const std::string text = draw(bic());
  for (const char* label : {">1<", ">2<", ">3<", ">4<"}) CHECK(count_of(text, label) == 1);
  CHECK(count_of(text, ">1.5<") == 0);
}

TEST_CASE("several series have a legend and one has none") {
  Curve curve = bic();
  CHECK(count_of(draw(curve), ">BIC<") == 1);  // the axis
  curve.series.push_back({"AIC", {1, 2}, {2589.6, 2282.5}});
  CHECK(count_of(draw(curve), ">BIC<") == 2);
  CHECK(count_of(draw(curve), ">AIC<") == 1);
}

TEST_CASE("a value that is not finite interrupts the line") {
  Curve curve = bic();
  curve.series[0].y[2] = kNaN;
  const std::string text = draw(curve);
  CHECK(count_of(text, "<circle") == 3 + 1);
  curve.series[0].best = 2;
  CHECK(count_of(draw(curve), "<circle") == 3);
}

TEST_CASE("nothing, one point and constant values are drawn") {
  draw({});
  draw({.series = {{"empty", {}, {}}}});
  draw({.series = {{"one", {3}, {1e6}, 0, "best"}}});
  draw({.series = {{"flat", {1, 2, 3}, {5, 5, 5}}}});
}

TEST_CASE("a long series is a line without marks") {
  Series series{"EM", {}, {}};
  for (int i = 0; i < 100000; ++i) series.x.push_back(i), series.y.push_back(-1.0 / (i + 1));
  const std::string text = draw({.series = {series}});
  CHECK(count_of(text, "<circle") == 0);
  CHECK(text.size() < 100000);
}

TEST_CASE("labels are data") {
  Curve curve = bic();
  curve.title = curve.series[0].best_label = curve.x_name = "</svg><script>";
  CHECK(count_of(draw(curve), "<script") == 0);
}

}  // namespace
}  // namespace craton
