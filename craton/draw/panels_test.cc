#include "craton/draw/panels.h"

#include <doctest/doctest.h>

#include <vector>

#include "craton/draw/curve.h"
#include "craton/draw/palette.h"
#include "craton/draw/scatter.h"
#include "tests/well_formed.h"

namespace craton {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++found;
  return found;
}

TEST_CASE("pictures lie side by side in one") {
  const std::string curve = draw_curve({.title = "a < b", .series = {{"s", {1, 2, 3}, {3, 1, 2}}}});
  const std::string scatter = draw_scatter({.x = {1, 2}, .y = {1, 2}});
  const std::string all = draw_panels("two & more", std::vector{curve, scatter, curve}, 2);
  CHECK(tests::XmlChecker(all).check() == "");
  CHECK(all.find("width=\"960\" height=\"680\"") != all.npos);  // two by two of 480 x 320
  CHECK(count(all, "viewBox=\"0 0 720 480\"") == 3);
  CHECK(all.find("<svg x=\"480\" y=\"40\" width=\"480\" height=\"320\"") != all.npos);
  CHECK(all.find("<svg x=\"0\" y=\"360\"") != all.npos);
}

TEST_CASE("a colour is mixed of the groups a point belongs to") {
  CHECK(mixed_colour(std::vector<double>{1, 0}) == group_style(0).colour);
  CHECK(mixed_colour(std::vector<double>{0, 1}) == group_style(1).colour);
  CHECK(mixed_colour(std::vector<double>{0.5, 0.5}) == "#6b6859");  // of #0072b2 and #d55e00
  CHECK(mixed_colour(std::vector<double>{0, 0}) == group_style(-1).colour);
  const std::string picture =
      draw_scatter({.x = {1, 2, 3}, .y = {1, 2, 3}, .shares = {1, 0, 0.5, 0.5, 0, 1}});
  CHECK(picture.find("fill=\"#6b6859\"") != picture.npos);
}

}  // namespace
}  // namespace craton
