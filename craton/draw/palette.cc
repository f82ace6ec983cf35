#include "craton/draw/palette.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>

namespace craton {
namespace {

// The pair that differs most comes first, and what is faint on white last.
constexpr std::array<std::string_view, 8> kColours{
    "#0072b2",  // blue
    "#d55e00",  // vermilion
    "#009e73",  // bluish green
    "#cc79a7",  // reddish purple
    "#e69f00",  // orange
    "#56b4e9",  // sky blue
    "#4d4d4d",  // black, softened
    "#c9bc0f",  // yellow, darkened to be seen on white
};
constexpr std::array kMarks{Mark::kDisc, Mark::kTriangle, Mark::kSquare, Mark::kDiamond};
constexpr std::string_view kNoGroup = "#8a8a8a";

std::string polygon(double x, double y, double radius, int corners, double first_angle) {
  std::string path;
  for (int i = 0; i < corners; ++i) {
    const double angle = first_angle + 2 * std::numbers::pi * i / corners;
    path += fmt::format("{}{} {}", i == 0 ? "M" : "L", svg_number(x + radius * std::cos(angle)),
                        svg_number(y + radius * std::sin(angle)));
  }
  return path + "Z";
}

}  // namespace

GroupStyle group_style(int group) {
  if (group < 0) return {kNoGroup, Mark::kDisc};
  const auto at = static_cast<std::size_t>(group);
  return {kColours[at % kColours.size()], kMarks[at / kColours.size() % kMarks.size()]};
}

void draw_mark(Svg& svg, Mark mark, double x, double y, double radius) {
  constexpr double kUp = -std::numbers::pi / 2;
  switch (mark) {
    case Mark::kDisc:
      svg.add("circle", {{"cx", x}, {"cy", y}, {"r", radius}});
      return;
    case Mark::kTriangle:
      svg.add("path", {{"d", polygon(x, y, 1.5 * radius, 3, kUp)}});
      return;
    case Mark::kSquare:
      svg.add("path", {{"d", polygon(x, y, 1.25 * radius, 4, kUp / 2)}});
      return;
    case Mark::kDiamond:
      svg.add("path", {{"d", polygon(x, y, 1.25 * radius, 4, kUp)}});
      return;
  }
}

}  // namespace craton
