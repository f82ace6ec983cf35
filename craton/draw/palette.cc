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

std::string mixed_colour(std::span<const double> shares) {
  constexpr double kSteps = 15;  // of a share
  constexpr int kChannels = 3, kHex = 16;
  std::array<double, kChannels> sum{};
  double total = 0;
  for (std::size_t g = 0; g < shares.size(); ++g) {
    const double share = std::round(kSteps * shares[g]);
    if (!(share > 0)) continue;
    const std::string colour(group_style(static_cast<int>(g)).colour);
    for (std::size_t c = 0; c < sum.size(); ++c) {
      sum[c] += share * std::stoi(colour.substr(1 + 2 * c, 2), nullptr, kHex);
    }
    total += share;
  }
  if (total == 0) return std::string(kNoGroup);
  std::string text = "#";
  for (const double channel : sum) {
    text += fmt::format("{:02x}", static_cast<int>(std::round(channel / total)));
  }
  return text;
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
